import type { Feedback, FeedbackRequest } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { FeedbackStore, StoredFeedback } from '../store/ports/feedback-store.ts'

/** Whose feedback. */
interface FeedbackOwner {
  /** @default that of callers without a user */
  readonly userId?: string | undefined
}

/** Feedback on runs, at most one per user and run. */
export interface RunFeedback {
  /** Rates a run, in place of earlier feedback of the same user. @throws {RuntimeError} `not_found` */
  set(runId: string, feedback: FeedbackRequest, owner?: FeedbackOwner): Promise<Feedback>
  /** Deletes feedback, if there is any. */
  delete(runId: string, owner?: FeedbackOwner): Promise<void>
  /** Feedback on these runs, oldest first. Runs that do not exist have none. */
  list(runIds: readonly string[]): Promise<Feedback[]>
}

/** Feedback over a store. */
export function createFeedback(store: FeedbackStore, now: () => number): RunFeedback {
  return {
    async set(runId, { rating, comment }, { userId } = {}) {
      const feedback: StoredFeedback = {
        runId,
        ...(userId !== undefined && { userId }),
        rating,
        ...(comment !== undefined && { comment }),
        createdAt: new Date(now()).toISOString(),
      }
      if (await store.saveFeedback(feedback)) return toFeedback(feedback)
      throw new RuntimeError(
        'not_found',
        'Rating a run failed: no run has this id. List the runs to find it.',
      )
    },
    delete: async (runId, { userId } = {}) => void (await store.deleteFeedback({ runId, userId })),
    list: async (runIds) => (await store.listFeedback(runIds)).map(toFeedback),
  }
}

const toFeedback = ({ runId, userId, rating, comment, createdAt }: StoredFeedback): Feedback => ({
  run_id: runId,
  ...(userId !== undefined && { user_id: userId }),
  rating,
  ...(comment !== undefined && { comment }),
  created_at: createdAt,
})
