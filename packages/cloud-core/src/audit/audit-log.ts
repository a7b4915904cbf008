import type { AuditAction, AuditedDevices, AuditEntry } from '@homeward/contract/device-cloud'
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
export interface AuditSubject {
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
  /** Does an act; a refusal of it is recorded before it is passed on. */
  watch<Result>(
    call: AuditedCall,
    action: AuditAction,
    subject: AuditSubject,
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
    async watch(call, action, subject, act) {
      try {
        return await act()
      } catch (error) {
        if (error instanceof HttpError && refusals.has(error.status))
          await record([toEntry(call, action, subject, error.body.error)])
        throw error
      }
    },
  }
}

function toAuditEntry({ expiresAt: _expiresAt, ...entry }: NewAuditEntry): AuditEntry {
  return entry
}

/** Checks the retention of the options. */
export function toRetentionDays(days: number | 'forever' = 365): number | null {
  if (days === 'forever') return null
  if (Number.isFinite(days) && days > 0 && days <= 36_500) return days
  throw new TypeError(
    'Creating the cloud failed: "auditRetentionDays" must be a number greater than 0, or "forever".',
  )
}
