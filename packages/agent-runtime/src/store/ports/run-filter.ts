import type { RunSort, RunSource, RunStatus } from '@homeward/contract/agent-platform'

/** Which runs, and in which order. Absent fields match everything. */
export interface RunFilter {
  readonly agentId?: string | undefined
  readonly graphId?: string | undefined
  readonly parentRunId?: string | undefined
  readonly conversationId?: string | undefined
  readonly status?: RunStatus | undefined
  readonly source?: RunSource | undefined
  /** Words that the task or the output has, all of them. Of a text without words: no run. */
  readonly text?: string | undefined
  /** ISO 8601 text in UTC. Created then or later. */
  readonly from?: string | undefined
  /** ISO 8601 text in UTC. Created before. */
  readonly to?: string | undefined
  /** Runs that have ended and cost at least so many millionths of a US dollar. */
  readonly minMicroUsd?: number | undefined
  /** @default -created_at */
  readonly sort?: RunSort | undefined
}
