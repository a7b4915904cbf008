import type { Json, JsonObject } from '@homeward/contract/agent-platform'

/** Decision about a call. */
export type DecidedStatus = 'approved' | 'denied' | 'responded'

/** Details of a decision besides its status. */
export interface DecisionDetails {
  readonly editedArgs?: JsonObject
  readonly reason?: string
  /** Text that the model receives instead of a result. */
  readonly response?: string
}

/** A decision that applies to later calls with the same hash. */
export interface RememberedCall extends DecisionDetails {
  readonly id: string
  readonly agentId: string
  /** User of the run. The decision applies only to runs of that user; if absent, to runs without a user. */
  readonly userId?: string
  /** Absent if it applies in all conversations of the agent. */
  readonly conversationId?: string
  readonly tool: string
  /** Arguments for people, without secrets. */
  readonly args: Json
  readonly callHash: string
  readonly status: DecidedStatus
  readonly createdAt: string
}

/** Which remembered decisions of an agent: those of all users without a `userId`. */
export interface RememberedFilter {
  readonly agentId: string
  readonly userId?: string | undefined
}
