import type { Graph, JsonObject, ModelSettings, RunLimits } from '@homeward/contract/agent-platform'
import type { BudgetAccount } from './budget-store.ts'
import type { GivenContext } from './given-context.ts'

interface NewRunBase {
  readonly id: string
  readonly userId?: string
  readonly task: string
  readonly metadata?: JsonObject
  readonly idempotencyKey?: string
  /** Run that asked for this one. */
  readonly parentRunId?: string
  /** Agents above this one: 0 for a run that a person, a task or a graph started. */
  readonly depth: number
  /** Whether the task itself may come from content that a stranger made (A20). */
  readonly tainted: boolean
  /** Accounts that its model calls, and those of all it starts, draw on. */
  readonly accounts: readonly BudgetAccount[]
  readonly createdAt: string
}

/** A run of an agent that is about to start. Times are ISO 8601 text in UTC. */
export interface NewAgentRun extends NewRunBase, GivenContext {
  readonly kind: 'agent'
  readonly agentId: string
  readonly conversationId: string
  /** When that was begun; absent when the run begins it. */
  readonly conversationCreatedAt?: string
  /** Number of the conversation's message that is regenerated: what stands there from it on is not read. */
  readonly questionSeq?: number
  readonly limits: RunLimits
  readonly store: boolean
  /** Model that was asked for: `provider/model-id`. */
  readonly model: string
  /** How it is called: the agent's settings at the start, overridden by the request's. Absent for none. */
  readonly modelSettings?: ModelSettings
  /** JSON Schema of its output, the request's or else the agent's. Absent for text. */
  readonly outputSchema?: JsonObject
}

/** A run of a graph that is about to start (A10). */
export interface NewGraphRun extends NewRunBase {
  readonly kind: 'graph'
  /** As it was at the start: later changes do not reach a run. */
  readonly graph: Graph
}

/** A run that is about to start. */
export type NewRun = NewAgentRun | NewGraphRun
