import type { Operation, OperationAudit } from '@homeward/contract'
import {
  targetOf,
  textAt,
  valueAt,
  type AuditAction,
  type AuditedDevices,
  type AuditEntry,
} from '@homeward/contract/device-cloud'
import { HttpError } from '@homeward/contract/handler'
import type { DeviceCloudEventMap } from '../context/cloud-events.ts'
import type { AuditStore, NewAuditEntry } from '../ports/audit-store.ts'

const dayMs = 24 * 60 * 60 * 1000

/** Statuses of acts that were understood and refused; anything else was no act, or failed. */
const refusals = new Set([404, 409])

/** On whose behalf, and from where. */
export interface AuditedCall {
  readonly userId: string
  readonly actor?: string | undefined
  readonly address?: string | undefined
}

/** What an act is about. */
interface AuditSubject {
  readonly deviceId?: string | null
  /** Of an act on several devices; there is no `deviceId` then. */
  readonly devices?: AuditedDevices | undefined
  readonly subjectId?: string
  readonly name?: string
}

/** Records what users do (C24). */
export interface AuditLog {
  /** Entry of an act, for the verb that does it to write along. */
  entryOf(call: AuditedCall, action: AuditAction, subject: AuditSubject): NewAuditEntry
  /** Writes entries of acts that change nothing else, before they are done. */
  record(entries: readonly NewAuditEntry[]): Promise<void>
  /** Tells the host of entries that a verb has written. */
  tell(entries: readonly NewAuditEntry[]): void
  /** Carries out an operation. If it is refused, that is recorded as its row says, before the refusal is passed on. */
  watch<Result>(
    call: AuditedCall,
    operation: Operation,
    given: object,
    act: () => Promise<Result>,
  ): Promise<Result>
}

/** What {@link createAuditLog} works with. */
interface AuditLogSetup {
  readonly store: Pick<AuditStore, 'appendAudit'>
  readonly now: () => number
  readonly createId: () => string
  /** How long entries are kept, in days; null keeps them for good. */
  readonly retentionDays: number | null
  readonly emit: (name: 'audit:recorded', event: Parameters<DeviceCloudEventMap['audit:recorded']>[0]) => void
}

/** Creates the log. */
export function createAuditLog({ store, now, createId, retentionDays, emit }: AuditLogSetup): AuditLog {
  function toEntry(
    call: AuditedCall,
    action: AuditAction,
    subject: AuditSubject,
    reason: string | null,
  ): NewAuditEntry {
    const nowMs = now()
    return {
      id: createId(),
      createdAt: new Date(nowMs).toISOString(),
      expiresAt: retentionDays === null ? null : new Date(nowMs + retentionDays * dayMs).toISOString(),
      userId: call.userId,
      ...(call.actor !== undefined && { actor: call.actor }),
      action,
      outcome: reason === null ? 'done' : 'refused',
      reason,
      deviceId: subject.deviceId ?? null,
      ...(subject.devices && { devices: subject.devices }),
      subjectId: subject.subjectId ?? null,
      name: subject.name ?? null,
      address: call.address ?? null,
    }
  }

  function tell(entries: readonly NewAuditEntry[]): void {
    for (const entry of entries) emit('audit:recorded', toAuditEntry(entry))
  }

  async function record(entries: readonly NewAuditEntry[]): Promise<void> {
    await store.appendAudit(entries)
    tell(entries)
  }

  return {
    entryOf: (call, action, subject) => toEntry(call, action, subject, null),
    record,
    tell,
    async watch(call, { audit }, given, act) {
      try {
        return await act()
      } catch (error) {
        if (audit && audit !== 'none' && error instanceof HttpError && refusals.has(error.status))
          // the rows of the device cloud have actions of its audit only
          await record([
            toEntry(call, audit.action as AuditAction, toSubject(audit, given), error.body.error),
          ])
        throw error
      }
    },
  }
}

function toAuditEntry({ expiresAt: _expiresAt, ...entry }: NewAuditEntry): AuditEntry {
  return entry
}

/** The retention of the options, which are checked. */
export const toRetentionDays = (days: number | 'forever' = 365): number | null =>
  days === 'forever' ? null : days

/** What a call is about, by its row and its fields. */
function toSubject(audit: OperationAudit, given: object): AuditSubject {
  const name = textAt(given, audit.name)
  const named = name !== undefined && { name }
  if (!audit.device) {
    const subjectId = targetOf(audit, given)
    return { ...(subjectId !== '' && { subjectId }), ...named }
  }
  const ids = valueAt(given, audit.device)
  const deviceId = Array.isArray(ids) ? onlyOne(ids as readonly string[]) : textAt(given, audit.device)
  return { deviceId: deviceId ?? null, ...named }
}

/** The one device of a call, to name it in the audit; null for several, of which it is not known which was refused. */
function onlyOne(deviceIds: readonly string[] = []): string | null {
  const [deviceId, ...others] = new Set(deviceIds)
  return deviceId === undefined || others.length > 0 ? null : deviceId
}

/** What the one entry of an act names: the search or upload request of one device, or the group of those of several. */
export function subjectOf(
  groupId: string,
  work: readonly { readonly id: string; readonly deviceId: string }[],
  devices: AuditedDevices,
): AuditSubject {
  const [one] = work
  if (one !== undefined && devices.count === 1) return { deviceId: one.deviceId, subjectId: one.id }
  return { subjectId: groupId, devices }
}
