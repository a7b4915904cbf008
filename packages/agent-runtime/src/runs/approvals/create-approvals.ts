import { toApproval } from '../persistence/run-result.ts'
import type { RunStarter } from '../run-starter.ts'
import type { Runs } from '../runs.ts'
import type { RunsParts } from '../runs-parts.ts'
import { decideApproval } from './decide-approval.ts'
import { forgetRemembered, listRemembered } from './remembered-approvals.ts'

/** What `Runs` says about approvals. `ready` has what was left resumed first. */
export function createApprovals(
  { context, checks }: RunsParts,
  starter: RunStarter,
  ready: () => Promise<void>,
): Pick<Runs, 'decideApproval' | 'rememberedApprovals' | 'forgetApproval'> {
  return {
    async decideApproval(runId, approvalId, decision, decidedBy) {
      await ready()
      const deciding = decideApproval(context, checks, runId, approvalId, decision, decidedBy)
      const { approval, open } = await deciding.catch((error) => {
        starter.noteMissed() // it may have been kept all the same
        throw error
      })
      if (open === 0) void starter.resume(approval.runId)
      return toApproval(approval)
    },
    async rememberedApprovals(agentId) {
      await ready()
      return listRemembered(context, agentId)
    },
    async forgetApproval(agentId, id) {
      await ready()
      await forgetRemembered(context, agentId, id)
    },
  }
}
