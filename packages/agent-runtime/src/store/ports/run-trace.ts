import type { Usage } from '@homeward/contract/agent-platform'
import type { RunCost } from './run-store.ts'

/** An attempt at a model call. Times are ISO 8601 text in UTC. */
export interface ModelAttempt {
  readonly model: string
  readonly startedAt: string
  readonly finishedAt: string
  /** Why it failed; absent for the one that did not. */
  readonly error?: string
}

/** A model call of a run, with all attempts. */
export interface ModelSpan {
  readonly kind: 'model'
  /** How many messages the run had when the model was called: its answer, if there is one, comes next. */
  readonly at: number
  /** The model that was called last. */
  readonly model: string
  readonly attempts: readonly ModelAttempt[]
  readonly usage?: Usage
  readonly cost?: RunCost
  readonly startedAt: string
  readonly finishedAt: string
  /** Why there is no whole answer. */
  readonly error?: string
}

/** A tool call of a run. What it was given and what came of it are in the run's messages. */
export interface ToolSpan {
  readonly kind: 'tool'
  /** How many messages the run had when it ended: the answer that asks for it is before. */
  readonly at: number
  readonly callId: string
  readonly startedAt: string
  readonly finishedAt: string
}

/** Something that a run did, and how long it took. In the order in which they ended. */
export type RunSpan = (ModelSpan | ToolSpan) & {
  /** Whether another run did it, from which this one took it over. @default false */
  readonly isReused?: boolean
}
