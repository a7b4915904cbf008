import type { RunMessageMode } from '@homeward/contract/agent-platform'
import type { NewJournalEvent } from './journal.ts'
import type { NewTask } from './task-store.ts'

/** A message to a run that works or waits. */
export interface RunInput {
  readonly runId: string
  readonly id: string
  readonly mode: RunMessageMode
  readonly text: string
  /** Whether it may come from a stranger (A20). */
  readonly untrusted?: true
}

/** A message that is to be stored. */
export interface NewRunInput extends RunInput {
  /** ISO 8601 text in UTC. */
  readonly createdAt: string
  /** With `queue`: the task that the message becomes. It waits until the run has ended. */
  readonly task?: NewTask
  readonly journal: readonly NewJournalEvent[]
}

/** A message with the id that was given. */
export interface InsertedRunInput {
  readonly input: RunInput
  /** Whether this call stored it; else one before did, and nothing was stored now. */
  readonly isNew: boolean
}

/** Messages to runs. `saveRunStep` and `finishRun` mark those as delivered that their messages name. */
export interface RunInputStore {
  /**
   * Stores a message and its task: both, or neither.
   *
   * @returns the message that is stored; `ended` for a run that has ended, `unknown` if the run does not exist.
   */
  insertRunInput(input: NewRunInput, signal?: AbortSignal): Promise<InsertedRunInput | 'ended' | 'unknown'>
  /** Messages to these runs that were not delivered yet, in their order: of those with `queue`, whose task did not begin. */
  listRunInputs(runIds: readonly string[], signal?: AbortSignal): Promise<readonly RunInput[]>
}
