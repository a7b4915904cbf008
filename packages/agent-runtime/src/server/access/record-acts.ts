import type { OperationAudit, Place } from '@homeward/contract'
import { targetOf, valueAt, type JsonObject } from '@homeward/contract/agent-platform'
import { HttpError } from '@homeward/contract/handler'
import { createTokenBuckets } from '@homeward/kit'
import { type Act, withAct } from '../../audit/acting.ts'
import type { Audit } from '../../audit/create-audit.ts'
import type { NewAuditEntry } from '../../store/ports/audit-store.ts'
import type { PlatformCaller } from './platform-caller.ts'

/** What is read of a call: its schemas have parsed it. */
interface AuditedCall {
  readonly params?: unknown
  readonly query?: unknown
  readonly body?: unknown
}

/** Longest target that an entry has. */
const maxTarget = 500
/** A change of the store knows better what it was done to, and its entry is written in the same transaction. */
const cut = (target: string) => target.slice(0, maxTarget)
/** Statuses of acts that were understood and refused; anything else was no act, or failed. */
const refusals = new Set([403, 404, 409])

/** What {@link createActRecorder} is built from. */
interface ActRecorderOptions {
  readonly audit: Pick<Audit, 'record' | 'settle'>
  readonly onError: (error: unknown) => void
  readonly now?: () => number
  readonly createId?: () => string
}

/** Writes into the audit what callers do, and what they were refused (A27). */
interface ActRecorder {
  /** Does something; its entry is written with it, or says that it was refused. */
  run<Result>(
    act: OperationAudit,
    caller: PlatformCaller,
    call: AuditedCall,
    work: () => Result | Promise<Result>,
  ): Promise<Result>
  /** Records that a caller lacks a scope. At most 60 such entries at once for each caller, then 1 per second. */
  refuse(act: OperationAudit, caller: PlatformCaller, path: string, error: unknown): Promise<void>
}

export function createActRecorder(options: ActRecorderOptions): ActRecorder {
  const { audit, onError, now = Date.now, createId = () => crypto.randomUUID() } = options
  const refused = createTokenBuckets({ perSecond: 1, burst: 60, maxKeys: 10_000 })

  const toEntry = ({ action }: OperationAudit, { actor }: PlatformCaller, target: string): NewAuditEntry => ({
    id: createId(),
    at: new Date(now()).toISOString(),
    actor,
    action,
    target: cut(target),
    outcome: 'done',
  })

  /** A caller that is refused all the time must not push everything else out of the audit. */
  const isBounded = ({ actor }: PlatformCaller) => refused.take(actor, now()) === 0

  /** An act that is done stays done, also if its entry could not be completed. */
  async function settle(entry: NewAuditEntry): Promise<void> {
    const { id, target, outcome, details } = entry
    await audit.settle({ id, target, outcome, ...(details && { details }) }).catch(onError)
  }

  async function runOutside<Result>(
    act: OperationAudit,
    call: AuditedCall,
    entry: NewAuditEntry,
    work: () => Result | Promise<Result>,
  ): Promise<Result> {
    await audit.record({ ...entry, details: { ...entry.details, unfinished: true } })
    try {
      const reply = await work()
      await settle({ ...entry, target: cut(targetOf(act, { ...call, reply })) })
      return reply
    } catch (error) {
      if (isKnown(error)) await settle(toRefused(entry, error))
      throw error
    }
  }

  async function runInside<Result>(
    act: OperationAudit,
    caller: PlatformCaller,
    call: AuditedCall,
    entry: NewAuditEntry,
    work: () => Result | Promise<Result>,
  ): Promise<Result> {
    const own: Act = { entry, isWritten: false }
    try {
      const reply = await withAct(own, work)
      // a change of something else than the store, such as a folder of agents, or a repeat
      if (!own.isWritten)
        await audit.record({ ...entry, target: cut(targetOf(act, { ...call, reply })) }).catch(onError)
      return reply
    } catch (error) {
      const isRefused = error instanceof HttpError && refusals.has(error.status)
      if (isRefused && !own.isWritten && isBounded(caller))
        await audit.record(toRefused(entry, error)).catch(onError)
      throw error
    }
  }

  return {
    run(act, caller, call, work) {
      const details = detailsOf(act, call)
      const entry = {
        ...toEntry(act, caller, targetOf(act, call)),
        ...(details && { details }),
      }
      return act.isOutside ? runOutside(act, call, entry, work) : runInside(act, caller, call, entry, work)
    },
    async refuse(act, caller, path, error) {
      if (!(error instanceof HttpError) || !isBounded(caller)) return
      await audit.record(toRefused(toEntry(act, caller, path), error)).catch(onError)
    },
  }
}

function detailsOf({ details }: OperationAudit, { body }: AuditedCall): JsonObject | undefined {
  if (details === undefined) return undefined
  const fields = (body ?? {}) as Readonly<Record<string, unknown>> // of JSON, by its schema
  if (details === 'names') return { fields: Object.keys(fields) }
  const entries = details.map((name): [string, unknown] => [
    name.split('.').at(-1) ?? name,
    valueAt(fields, name as Place),
  ])
  return toJson(Object.fromEntries(entries))
}

/** Whether nothing was changed: the request was not as it has to be. */
const isKnown = (error: unknown): error is HttpError => error instanceof HttpError && error.status < 500

function toRefused(entry: NewAuditEntry, error: HttpError): NewAuditEntry {
  const { status, body } = error
  const reason = { status, ...(body.code !== undefined && { code: body.code }) }
  return { ...entry, outcome: 'refused', details: { ...entry.details, ...reason } }
}

/** Without what is not there. */
const toJson = (details: Readonly<Record<string, unknown>>) =>
  JSON.parse(JSON.stringify(details)) as JsonObject // the fields of an object
