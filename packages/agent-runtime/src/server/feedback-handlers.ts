import type { Run } from '@homeward/contract/agent-platform'
import type { PlatformCaller } from './access/platform-caller.ts'
import type { PlatformContext, PlatformHandlers } from './platform-context.ts'

/** Feedback on runs (additions 2, 6). */
export function createFeedbackHandlers({
  services: { feedback, runs },
}: PlatformContext): Pick<PlatformHandlers, 'setRunFeedback' | 'deleteRunFeedback'> {
  return {
    async setRunFeedback({ params, body, caller: { userId } }) {
      return { ok: true, feedback: await feedback.set(params.id, body, { userId }) }
    },
    async deleteRunFeedback({ params, caller: { userId } }) {
      await runs.get(params.id)
      await feedback.delete(params.id, { userId })
      return { ok: true }
    },
  }
}

/** Runs with their feedback. A caller for one user sees its own. */
export async function withFeedback(
  { services }: PlatformContext,
  runs: readonly Run[],
  { userId }: PlatformCaller,
): Promise<Run[]> {
  const given = runs.length === 0 ? [] : await services.feedback.list(runs.map(({ id }) => id))
  const own = given.filter(({ user_id }) => userId === undefined || user_id === userId)
  const byRun = Map.groupBy(own, ({ run_id }) => run_id)
  return runs.map((run) => {
    const feedback = byRun.get(run.id)
    return feedback ? { ...run, feedback } : run
  })
}
