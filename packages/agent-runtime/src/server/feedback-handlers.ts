import type { Run } from '@homeward/contract/agent-platform'
import type { PlatformCaller } from './access/platform-caller.ts'
import type { PlatformContext, PlatformHandlers } from './platform-context.ts'

/** Feedback on runs, and what-ifs (additions 2, 6). */
export function createFeedbackHandlers({
  services: { feedback, runs, whatIfs },
}: PlatformContext): Pick<
  PlatformHandlers,
  'setRunFeedback' | 'deleteRunFeedback' | 'startWhatIf' | 'getWhatIf'
> {
  return {
    async setRunFeedback({ params, body, caller: { userId } }) {
      return { ok: true, feedback: await feedback.set(params.id, body, { userId }) }
    },
    async deleteRunFeedback({ params, caller: { userId } }) {
      await runs.get(params.id)
      await feedback.delete(params.id, { userId })
      return { ok: true }
    },
    async startWhatIf({ params, body }) {
      const { id, status } = await whatIfs.start(params.id, body)
      return { ok: true, what_if: { id, status } }
    },
    getWhatIf: async ({ params }) => ({ what_if: await whatIfs.get(params.id) }),
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
