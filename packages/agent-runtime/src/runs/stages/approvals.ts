import { untilAborted } from '@homeward/kit'
import type { ApprovalRule } from '@homeward/contract/agent-platform'
import { whileStoreFails } from '../../concurrency/while-store-fails.ts'
import { reasonOf } from '../../ports/reason-of.ts'
import type { ApprovalContext, ToolApproval } from '../../ports/tool.ts'
import type { RememberedCall } from '../../store/ports/remembered-call.ts'
import type { ArgumentChecks } from '../calls/check-arguments.ts'
import { hashCall } from '../calls/effect-ledger.ts'
import { ownArguments, toDenial, type RunnableCall } from '../calls/plan-calls.ts'
import type { Run } from '../loop/run.ts'
import type { CallQuestion, Ruling, Stage } from '../loop/stage.ts'

const deniedByRule =
  'Not called: a rule of this agent denies this call. Do not try this call again; continue without it'
const deniedByTool = 'Not called: the tool denies this call. Do not try this call again; continue without it'

/**
 * Rules on calls (A20): the agent's rules and what the tool itself says first, then `approval_tools` and what untrusted content
 * asks for, and then the decisions that people wanted to be remembered. Nothing but a person lets an external call of a tainted
 * run pass. A call that a person has approved may still be denied: by what changed since, or for its changed arguments.
 */
export const approvalsStage = (run: Run): Stage => ({
  name: 'approvals',
  async calls(questions) {
    await Promise.all(
      questions.map(async (question) => {
        if (question.state === 'known' || question.ruling) return
        const ruling = await ruleOn(run, question.checked)
        if (question.state === 'new' || ruling?.kind === 'deny') question.ruling = ruling
      }),
    )
    const asked = questions.filter(({ ruling }) => ruling?.kind === 'ask')
    if (asked.length === 0) return
    const { agentId, userId, conversationId } = run.row
    const callHashes = asked.map(({ checked: { tool, args } }) => hashCall(tool.id, args))
    const find = () =>
      run.context.store.findRememberedCalls({ agentId, userId, conversationId, callHashes }, run.signal)
    const remembered = await whileStoreFails(run.context, find, run.signal)
    for (const question of asked) recall(remembered, run, question)
  },
})

/** The strictest of what the agent's rules, the tool and untrusted content ask for; undefined to make the call. */
async function ruleOn(run: Run, call: RunnableCall): Promise<Ruling | undefined> {
  const decision = await findRule(run.context.checks, run.agent.approvals ?? [], call)
  if (decision === 'deny') return { kind: 'deny', problem: deniedByRule }
  const wanted = await askTool(run, call)
  if (wanted === 'deny') return { kind: 'deny', problem: deniedByTool }
  const isAsked =
    decision === undefined ? run.agent.approval_tools?.includes(call.tool.id) : decision === 'ask'
  return isAsked || wanted || isTainted(run, call) ? { kind: 'ask' } : undefined
}

/** What the tool says about a call. If it fails, or says something else, a person decides. */
async function askTool(run: Run, { tool, args }: RunnableCall): Promise<ToolApproval> {
  if (!tool.needsApproval) return false
  const { signal } = run
  const { logger } = run.context
  const about: ApprovalContext = { ...run.about(), signal }
  try {
    const asked = Promise.resolve(tool.needsApproval(ownArguments(tool, args), about))
    const said: ToolApproval = await untilAborted(asked, signal)
    if (typeof said === 'boolean' || said === 'deny') return said
    const problem = { tool: tool.id, runId: run.row.id }
    logger.warn(
      'The function "needsApproval" of a tool must return true, false or "deny". A person decides the call.',
      problem,
    )
  } catch (error) {
    signal.throwIfAborted()
    const reason = run.redact.text(reasonOf(error))
    logger.warn('The function "needsApproval" of a tool failed. A person decides the call.', {
      tool: tool.id,
      reason,
    })
  }
  return true
}

/** The decision of the first rule that matches. A rule that cannot be checked matches, but never lets a call pass. */
async function findRule(
  checks: ArgumentChecks,
  rules: readonly ApprovalRule[],
  { tool, args }: RunnableCall,
): Promise<ApprovalRule['decision'] | undefined> {
  for (const rule of rules) {
    if (rule.tool !== tool.id) continue
    const matches = !rule.when || (await checks.matches(rule.when, args))
    if (matches === undefined) return rule.decision === 'deny' ? 'deny' : 'ask'
    if (matches) return rule.decision
  }
  return undefined
}

const isTainted = (run: Run, { tool }: RunnableCall) => run.progress.tainted && tool.effects === 'external'

/** Decides a call as a person wanted it to be remembered: the decision of the conversation before that of the agent. */
function recall(remembered: readonly RememberedCall[], run: Run, question: CallQuestion): void {
  const { tool, args } = question.checked
  const hash = hashCall(tool.id, args)
  const found = remembered.filter(({ callHash }) => callHash === hash)
  const decision = found.find(({ conversationId }) => conversationId !== undefined) ?? found[0]
  if (!decision) return
  if (decision.status === 'responded') question.ruling = { kind: 'respond', text: decision.response ?? '' }
  else if (decision.status === 'denied') question.ruling = { kind: 'deny', problem: toDenial(decision) }
  else if (!isTainted(run, question.checked)) question.ruling = undefined
}
