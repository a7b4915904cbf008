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

/** A run of an agent to start. Times are ISO 8601 text in UTC. */
export interface NewAgentRun extends NewRunBase, GivenContext {
  readonly kind: 'agent'
  readonly agentId: string
  /** Version of the agent at the start. Absent for runs older than agent versions. */
  readonly agentVersion?: number
  readonly conversationId: string
  /** `createdAt` of the conversation; absent if the conversation has no message of the run before its end. */
  readonly conversationCreatedAt?: string
  /** Message of the conversation that the run answers; absent with `store: false`. */
  readonly questionId?: string
  /** Messages of the conversation from this number on are not read. Present once the question is stored. */
  readonly questionSeq?: number
  /** Whether the answer replaces earlier ones. @default false */
  readonly regenerates?: boolean
  readonly limits: RunLimits
  readonly store: boolean
  /** Requested model: `provider/model-id`. */
  readonly model: string
  /** Model settings: the agent's at the start, overridden by the request's. Absent if empty. */
  readonly modelSettings?: ModelSettings
  /** Your app's choices at the start; its model is also in `model`. Absent if the agent's own apply. */
  readonly setup?: RunSetup
  /** Tools that the client runs. Absent without such tools. */
  readonly clientTools?: readonly ClientTool[]
  /** JSON Schema of the output, from the request or the agent. Absent for text. */
  readonly outputSchema?: JsonObject
  /** Present for a run that undoes the calls of another run without a model. */
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
  /** Of a call that a program made: its place among those of the program. */
  readonly inner?: number
  /** Why it cannot be undone. Absent for a call that can. */
  readonly reason?: string
}

/** A run of a graph to start. */
export interface NewGraphRun extends NewRunBase {
  readonly kind: 'graph'
  /** The graph at the start. Later changes do not affect the run. */
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

/** A run to start. */
export type NewRun = NewAgentRun | NewGraphRun
