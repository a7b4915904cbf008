import type { Run } from '../loop/run.ts'
import { rulesOf } from '../../models/fit/wire-rules.ts'
import { approvalsStage } from './approvals.ts'
import { budgetStage, tokenLimitStage } from './budget.ts'
import { guardsStage } from './guards.ts'
import { hostedToolsStage } from './hosted-tools.ts'
import { outputSchemaStage } from './output-schema.ts'
import { promptCacheStage } from './prompt-cache.ts'
import { windowStage } from './window.ts'

/**
 * Puts a run together from the stages that it needs, before its tools are known. Their order is behavior: a window is fitted
 * before hosted tools are added, which it does not count, and an output is checked when it is known whether tokens are left.
 * The stage of files is added with the first file.
 */
export async function useStages(run: Run): Promise<void> {
  const { context, agent, row, chain } = run
  const { input, output, toolCall, toolResult } = context.guards
  const hasFallbacks = chain.fallbacks.length > 0
  if (hasFallbacks || (await context.windows.of(chain.current.name, agent))) run.use(windowStage(run))
  if (input || output || toolCall || toolResult) run.use(guardsStage(run))
  if (row.limits.max_tokens !== undefined) run.use(tokenLimitStage(run, row.limits.max_tokens))
  if (row.accounts.length > 0) run.use(budgetStage(run))
  if (row.outputSchema) run.use(outputSchemaStage(run, row.outputSchema))
  const { prompt_cache: ttl = '5m' } = agent
  if (ttl !== 'off' && (hasFallbacks || rulesOf(chain.current.model)?.cache))
    run.use(promptCacheStage(run, ttl))
  if (chain.hostedTools.length > 0) run.use(hostedToolsStage)
}

/** Adds the stages that the tools of a run need. */
export function useToolStages(run: Run): void {
  if (needsApprovals(run)) run.use(approvalsStage(run))
}

/** Whether anything but "make it" may come of the calls of a run. */
function needsApprovals({ agent, tools }: Run): boolean {
  if (agent.approvals?.length || agent.approval_tools?.length) return true
  for (const { needsApproval, effects } of tools.byId.values())
    if (needsApproval || effects === 'external') return true
  return false
}
