import type { JsonObject, TriggerOutcome, TriggerVerification } from '@homeward/contract/agent-platform'
import type { NewAuditEntry } from './audit-store.ts'
import type { NewJournalEvent } from './journal.ts'
import type { NewSignal } from './signal-store.ts'
import type { NewTask, StoredTask } from './task-store.ts'

/** A secret of a trigger. Of one with `verify: 'token'` only the hash is stored. */
interface TriggerSecret {
  readonly secret: string
  /** ISO 8601 text in UTC. Absent for the present one. */
  readonly until?: string
}

/** A trigger as it is stored. */
export interface StoredTrigger {
  readonly id: string
  readonly name: string
  /** What a call starts; of `event` the id is the name of the signal. */
  readonly target: { readonly kind: 'agent' | 'graph' | 'event'; readonly id: string }
  readonly verify: TriggerVerification
  /** The present one first. */
  readonly secrets: readonly TriggerSecret[]
  readonly input?: string
  readonly filter?: JsonObject
  readonly conversation?: string
  readonly perMinute: number
  readonly enabled: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

/** A valid call of a trigger, as it is listed. */
export interface StoredTriggerCall {
  readonly id: string
  readonly triggerId: string
  readonly at: string
  readonly outcome: TriggerOutcome
  readonly taskId?: string
  readonly reason?: string
}

/** A valid call that is to be stored with its task, or its signal. */
export interface NewTriggerCall extends Omit<StoredTriggerCall, 'taskId'> {
  /** Id of the delivery by its sender: a later call with the same one is a duplicate. */
  readonly key?: string
  readonly task?: NewTask
  readonly signal?: NewSignal
  readonly journal: readonly NewJournalEvent[]
  /** Calls before this time are forgotten, some with each call. */
  readonly keptSince: string
  /** At most so many calls are accepted after a time. */
  readonly limit: { readonly since: string; readonly calls: number }
}

/** What came of a call: nothing was stored if the trigger is gone or its limit is reached. */
export interface TriggerCallOutcome {
  readonly outcome: TriggerOutcome | 'gone' | 'limited'
  readonly taskId?: string
  /** The task, if this call added it. */
  readonly task?: StoredTask
}

/** Triggers and their calls. */
export interface TriggerStore {
  /** Adds a trigger. @returns false if there are `most` already. */
  insertTrigger(
    trigger: StoredTrigger,
    most: number,
    audit?: NewAuditEntry,
    signal?: AbortSignal,
  ): Promise<boolean>
  /** Changes a trigger; `change` has no side effects. @returns the changed trigger, if it exists. */
  changeTrigger(
    id: string,
    change: (before: StoredTrigger) => StoredTrigger,
    audit?: NewAuditEntry,
    signal?: AbortSignal,
  ): Promise<StoredTrigger | undefined>
  /** Deletes a trigger with its calls. @returns whether there was one. */
  deleteTrigger(id: string, audit?: NewAuditEntry, signal?: AbortSignal): Promise<boolean>
  findTrigger(id: string, signal?: AbortSignal): Promise<StoredTrigger | undefined>
  /** Newest first. */
  listTriggers(signal?: AbortSignal): Promise<readonly StoredTrigger[]>
  /**
   * Stores a call and its task or signal: both, or neither. A call with the key of an earlier one that is not forgotten is
   * stored as `duplicate` with the task of that one, and adds neither.
   */
  acceptTriggerCall(call: NewTriggerCall, signal?: AbortSignal): Promise<TriggerCallOutcome>
  /** Newest first. */
  listTriggerCalls(
    triggerId: string,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly StoredTriggerCall[]>
}
