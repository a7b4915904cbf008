import { untilAborted } from '@homeward/kit'
import type { ApprovalRule } from '@homeward/contract/agent-platform'
import { whileStoreFails } from '../../concurrency/while-store-fails.ts'
import { reasonOf } from '../../ports/reason-of.ts'
import type { ApprovalContext, ToolApproval } from '../../ports/tool.ts'
import type { RememberedCall, StoredApproval } from '../../store/ports/approval.ts'
import type { ActiveRun } from '../active-run.ts'
import type { ArgumentChecks } from '../calls/check-arguments.ts'
import { hashCall } from '../calls/effect-ledger.ts'
import { ownArguments, type RunnableCall } from '../calls/run-tool-call.ts'
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
  'Not called: a rule of this agent denies this call. Do not try this call again; continue without it'
const deniedByTool = 'Not called: the tool denies this call. Do not try this call again; continue without it'

/**
 * Rules on calls (A20): the agent's rules and what the tool itself says first, then `approval_tools` and what untrusted content
 * asks for, and then the decisions that people wanted to be remembered. Nothing but a person lets an external call of a tainted run pass.
 *
 * @returns one ruling for each call, in order
 */
export async function ruleOnCalls(
  context: RunsContext,
  checks: ArgumentChecks,
  run: ActiveRun,
  calls: readonly RunnableCall[],
): Promise<Ruling[]> {
  const rulings = await Promise.all(calls.map((call) => ruleOn(context, checks, run, call)))
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

/**
 * Rules on calls that a person has approved: something may deny them since, or denies the arguments as the person changed them.
 *
 * @returns one ruling for each call, in order; undefined for a call that is made
 */
export async function ruleOnApproved(
  context: RunsContext,
  checks: ArgumentChecks,
  run: ActiveRun,
  calls: readonly RunnableCall[],
): Promise<(Ruling | undefined)[]> {
  return Promise.all(
    calls.map(async (call) => {
      const ruling = await ruleOn(context, checks, run, call)
      return ruling.kind === 'deny' ? ruling : undefined
    }),
  )
}

/** The strictest of what the agent's rules, the tool and untrusted content ask for. */
async function ruleOn(
  context: RunsContext,
  checks: ArgumentChecks,
  run: ActiveRun,
  call: RunnableCall,
): Promise<Ruling> {
  const decision = await findRule(checks, run.agent.approvals ?? [], call)
  if (decision === 'deny') return { kind: 'deny', problem: deniedByRule }
  const wanted = await askTool(context, run, call)
  if (wanted === 'deny') return { kind: 'deny', problem: deniedByTool }
  const isAsked =
    decision === undefined ? run.agent.approval_tools?.includes(call.tool.id) : decision === 'ask'
  return { kind: isAsked || wanted === 'ask' || isTainted(run, call) ? 'ask' : 'make' }
}

const toolApprovals: readonly ToolApproval[] = ['never', 'ask', 'deny']

/** What the tool says about a call. If it fails, or says something else, a person decides. */
async function askTool(
  { logger }: RunsContext,
  run: ActiveRun,
  { tool, args }: RunnableCall,
): Promise<ToolApproval> {
  if (!tool.approval) return 'never'
  const { runContext, tainted, signal } = run
  const about: ApprovalContext = { ...runContext, tainted, depth: run.run.depth, signal }
  try {
    const asked = Promise.resolve(tool.approval(ownArguments(tool, args), about))
    const said: ToolApproval = await untilAborted(asked, signal)
    if (toolApprovals.includes(said)) return said
    const problem = { tool: tool.id, runId: run.run.id }
    logger.warn(
      'The approval function of a tool must return never, ask or deny. A person decides the call.',
      problem,
    )
  } catch (error) {
    signal.throwIfAborted()
    const reason = run.redact.text(reasonOf(error))
    logger.warn('The approval function of a tool failed. A person decides the call.', {
      tool: tool.id,
      reason,
    })
  }
  return 'ask'
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
      ? 'Not called: no one decided this call in time'
      : `A person denied this call${reason ? `: ${reason}` : ''}`
  return `${fact}. Do not try this call again; continue without it`
}
