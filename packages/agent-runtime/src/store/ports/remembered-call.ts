import type { Json, JsonObject } from '@homeward/contract/agent-platform'

/** How a call was decided about. */
export type DecidedStatus = 'approved' | 'denied' | 'responded'

/** What a decision says besides its status. */
export interface DecisionDetails {
  readonly editedArgs?: JsonObject
  readonly reason?: string
  /** What the model reads in place of a result. */
  readonly response?: string
}

/** A decision that applies to later calls with the same hash. */
export interface RememberedCall extends DecisionDetails {
  readonly id: string
  readonly agentId: string
  /** The user of the run that asked; it applies to runs of that user only. Absent: it applies to runs without a user. */
  readonly userId?: string
  /** Absent if it applies in all conversations of the agent. */
  readonly conversationId?: string
  readonly tool: string
  /** For people to read: without secrets. */
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
