import type { ApprovalRule } from '@homeward/contract/agent-platform'
import { whileStoreFails } from '../../concurrency/while-store-fails.ts'
import type { RememberedCall, StoredApproval } from '../../store/ports/approval.ts'
import type { ActiveRun } from '../active-run.ts'
import type { ArgumentChecks } from '../calls/check-arguments.ts'
import { hashCall } from '../calls/effect-ledger.ts'
import type { RunnableCall } from '../calls/run-tool-call.ts'
import type { RunsContext } from '../runs-options.ts'

/** What a person decided about a call. */
export type Verdict = Pick<StoredApproval, 'status' | 'reason' | 'editedArgs' | 'response' | 'decidedBy'>

/** What becomes of a call that nobody has decided about yet. */
export type Ruling =
  | { readonly kind: 'make' }
  | { readonly kind: 'ask' }
  | { readonly kind: 'deny'; readonly problem: string }
  | { readonly kind: 'respond'; readonly text: string }

const deniedByRule =
  'Not called: a rule of this agent denies this call. Do not try it again; go on without it'

/**
 * Rules on calls (A20): the agent's rules first, then `approval_tools` and what untrusted content asks for, and then the
 * decisions that people wanted to be remembered. Nothing but a person lets an external call of a tainted run pass.
 *
 * @returns one ruling for each call, in order
 */
export async function ruleOnCalls(
  context: RunsContext,
  checks: ArgumentChecks,
  run: ActiveRun,
  calls: readonly RunnableCall[],
): Promise<Ruling[]> {
  const rulings = await Promise.all(calls.map((call) => ruleOn(checks, run, call)))
  const hashes = calls.flatMap(({ tool, args }, index) =>
    rulings[index]?.kind === 'ask' ? [hashCall(tool.id, args)] : [],
  )
  if (hashes.length === 0) return rulings
  const { agentId, conversationId } = run.run
  const find = () =>
    context.store.findRememberedCalls({ agentId, conversationId, callHashes: hashes }, run.signal)
  const remembered = await whileStoreFails(context, find, run.signal)
  return rulings.map((ruling, index) => {
    const call = calls[index]
    return ruling.kind === 'ask' && call ? (recall(remembered, run, call) ?? ruling) : ruling
  })
}

async function ruleOn(checks: ArgumentChecks, run: ActiveRun, call: RunnableCall): Promise<Ruling> {
  const decision = await findRule(checks, run.agent.approvals ?? [], call)
  if (decision === 'deny') return { kind: 'deny', problem: deniedByRule }
  const isAsked =
    decision === undefined ? run.agent.approval_tools?.includes(call.tool.id) : decision === 'ask'
  return { kind: isAsked || isTainted(run, call) ? 'ask' : 'make' }
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

const isTainted = (run: ActiveRun, { tool }: RunnableCall) => run.tainted && tool.effects === 'external'

/** A remembered decision about a call: that of the conversation before that of the agent. */
function recall(
  remembered: readonly RememberedCall[],
  run: ActiveRun,
  call: RunnableCall,
): Ruling | undefined {
  const hash = hashCall(call.tool.id, call.args)
  const found = remembered.filter(({ callHash }) => callHash === hash)
  const decision = found.find(({ conversationId }) => conversationId !== undefined) ?? found[0]
  if (!decision) return undefined
  if (decision.status === 'responded') return { kind: 'respond', text: decision.response ?? '' }
  if (decision.status === 'denied') return { kind: 'deny', problem: toDenial(decision) }
  return isTainted(run, call) ? undefined : { kind: 'make' }
}

/** What the model reads about a call that a person denied, or that nobody decided about in time. */
export function toDenial({ reason, decidedBy }: Pick<Verdict, 'reason' | 'decidedBy'>): string {
  const fact =
    decidedBy === 'timeout'
      ? 'Not called: nobody decided about this call in time'
      : `A person denied this call${reason ? `: ${reason}` : ''}`
  return `${fact}. Do not try it again; go on without it`
}
