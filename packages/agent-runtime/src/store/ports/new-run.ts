import type {
  ClientTool,
  Graph,
  JsonObject,
  ModelSettings,
  RunEvent,
  RunLimits,
  RunSource,
} from '@homeward/contract/agent-platform'
import type { RunSetup } from '../../ports/agent-code.ts'
import type { BudgetAccount } from './budget-store.ts'
import type { ModelMessage } from '../../ports/message.ts'
import type { StoredEffect } from './effect.ts'
import type { RunProgress } from './run-store.ts'
import type { RunSpan } from './run-trace.ts'
import type { GivenContext } from './given-context.ts'

interface NewRunBase {
  readonly id: string
  readonly userId?: string
  readonly task: string
  /** How it was started. */
  readonly source: RunSource
  readonly metadata?: JsonObject
  readonly idempotencyKey?: string
  /** Run that asked for this one. */
  readonly parentRunId?: string
  /** Whether the run that asked for this one goes on without it, and gets its result as a message. */
  readonly background?: true
  /** Agents above this one: 0 for a run that a person, a task or a graph started. */
  readonly depth: number
  /** Whether the task itself may come from content that a stranger made (A20). */
  readonly tainted: boolean
  /** Accounts that its model calls, and those of all it starts, draw on. */
  readonly accounts: readonly BudgetAccount[]
  readonly createdAt: string
  /** The run that it does again, and the step of it that it began at. */
  readonly rerunOf?: { readonly runId: string; readonly step?: string }
  /** The span that it belongs to, as the header `traceparent` has it. */
  readonly traceparent?: string
}

/** A run of an agent that is about to start. Times are ISO 8601 text in UTC. */
export interface NewAgentRun extends NewRunBase, GivenContext {
  readonly kind: 'agent'
  readonly agentId: string
  /** Version of the agent when it started. Absent if the run is older than versions. */
  readonly agentVersion?: number
  readonly conversationId: string
  /** When that was begun; absent when it has nothing of the run before its end. */
  readonly conversationCreatedAt?: string
  /** The conversation's message that the run answers; absent with `store: false`. */
  readonly questionId?: string
  /** What stands in the conversation from this number on is not read. Present once the question is there. */
  readonly questionSeq?: number
  /** Whether the answer takes the place of those before. @default false */
  readonly regenerates?: boolean
  readonly limits: RunLimits
  readonly store: boolean
  /** Model that was asked for: `provider/model-id`. */
  readonly model: string
  /** How it is called: the agent's settings at the start, overridden by the request's. Absent for none. */
  readonly modelSettings?: ModelSettings
  /** What the app chose for it at the start; its model is in `model` too. Absent for what the agent has. */
  readonly setup?: RunSetup
  /** Tools that the caller runs. Absent for none. */
  readonly clientTools?: readonly ClientTool[]
  /** JSON Schema of its output, the request's or else the agent's. Absent for text. */
  readonly outputSchema?: JsonObject
  /** Present for a run that undoes the calls of another one, and asks no model. */
  readonly undoes?: { readonly runId: string; readonly steps: readonly PlannedUndo[] }
}

/** A call of a run that is to be undone. */
export interface PlannedUndo {
  /** Its place among the steps of the run. */
  readonly step: number
  readonly tool: string
  /** Place of the answer that asked for the call among the messages of the run, and of the call in that answer. */
  readonly message: number
  readonly call: number
  /** Why it cannot be undone. Absent for a call that can. */
  readonly reason?: string
}

/** A run of a graph that is about to start (A10). */
export interface NewGraphRun extends NewRunBase {
  readonly kind: 'graph'
  /** As it was at the start: later changes do not reach a run. */
  readonly graph: Graph
}

/** What a run takes over from the one that it does again: it begins behind that. */
export interface RunBeginning {
  readonly messages: readonly ModelMessage[]
  readonly spans: readonly RunSpan[]
  /** Calls of the newest message that have ended, with their outcomes. */
  readonly intents: readonly StoredEffect[]
  readonly progress: RunProgress
  /** Events of its stream, from number 1 on. @default none */
  readonly events?: readonly RunEvent[]
}

/** A run that is about to start. */
export type NewRun = NewAgentRun | NewGraphRun
