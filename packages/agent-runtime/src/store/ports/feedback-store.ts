import type { Rating } from '@homeward/contract/agent-platform'

/** Whose feedback on which run. */
export interface FeedbackKey {
  readonly runId: string
  /** Absent for callers without a user. */
  readonly userId?: string | undefined
}

/** Feedback on a run. */
export interface StoredFeedback extends FeedbackKey {
  readonly rating: Rating
  readonly comment?: string
  /** ISO 8601 text in UTC. */
  readonly createdAt: string
}

/** Which feedback runs have. Absent fields match everything. */
export interface FeedbackFilter {
  readonly rating?: Rating | undefined
  readonly userId?: string | undefined
}

/** Feedback on runs, which is deleted with its run. Implementations must pass `feedbackStoreConformance`. */
export interface FeedbackStore {
  /** Stores feedback in place of an earlier one of the same user on the same run. @returns false if the run is missing. */
  saveFeedback(feedback: StoredFeedback, signal?: AbortSignal): Promise<boolean>
  /** @returns whether there was one. */
  deleteFeedback(key: FeedbackKey, signal?: AbortSignal): Promise<boolean>
  /** Feedback on these runs, oldest first. */
  listFeedback(runIds: readonly string[], signal?: AbortSignal): Promise<readonly StoredFeedback[]>
}
