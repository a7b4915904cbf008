import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { Done, orAbsent, PlatformId } from './values.ts'

/** Rating of an answer: good or bad. */
export const Rating = z.enum(['up', 'down'])
export type Rating = z.infer<typeof Rating>

/** Feedback of one user on a run. */
export const FeedbackRequest = z.object({
  rating: Rating,
  comment: orAbsent(z.string().check(z.minLength(1), z.maxLength(4000))),
})
export type FeedbackRequest = z.infer<typeof FeedbackRequest>

/** Feedback on a run. Each user has at most one entry per run. All callers without a user share one. */
export const Feedback = z.object({
  run_id: PlatformId,
  /** User who gave the feedback. Absent for callers without a user. */
  user_id: z.optional(PlatformId),
  rating: Rating,
  comment: z.optional(z.string()),
  /** Time of the feedback or of its last change. */
  created_at: z.string(),
})
export type Feedback = z.infer<typeof Feedback>

const byRunId = z.object({ id: PlatformId })
const subject = { found: 'run', id: 'params.id', user: 'own' } as const

/** Feedback on runs. */
export const feedbackOperations = {
  setRunFeedback: {
    method: 'PUT',
    path: '/api/runs/{id}/feedback',
    auth: 'local',
    scope: 'run',
    subject,
    summary: 'Rates a run, in place of earlier feedback of the same user.',
    source: 'additions 2, 6',
    params: byRunId,
    body: FeedbackRequest,
    reply: z.object({ ok: z.literal(true), feedback: Feedback }),
    errors: [404],
  },
  deleteRunFeedback: {
    method: 'DELETE',
    path: '/api/runs/{id}/feedback',
    auth: 'local',
    scope: 'run',
    subject,
    summary: 'Deletes the feedback of the caller on a run, if there is any.',
    source: 'additions 2, 6',
    params: byRunId,
    reply: Done,
    errors: [404],
  },
} as const satisfies Record<string, Operation>
