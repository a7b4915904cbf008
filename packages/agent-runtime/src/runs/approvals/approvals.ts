import type { ApprovalDecision, JsonObject, RememberedApproval } from '@homeward/contract/agent-platform'
import { startLimit } from '../../concurrency/start-limit.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { Tool } from '../../ports/tool.ts'
import type {
  ApprovalVerdict,
  DecidedStatus,
  RememberedCall,
  RememberedFilter,
  StoredApproval,
} from '../../store/ports/approval.ts'
import type { StoredRun } from '../../store/ports/run-store.ts'
import type { ArgumentChecks, ArgumentsCheck } from '../calls/check-arguments.ts'
import { hashCall } from '../calls/effect-ledger.ts'
import { noteMissedRun, resumeWaiting } from '../continue.ts'
import { toApproval } from '../drive.ts'
import { waitingBelow } from '../find-run.ts'
import type { Runs } from '../runs.ts'
import { shownId } from '../../store/own-conversation.ts'
import type { RunsContext } from '../runs-options.ts'
import { buildRunContext, withSetup } from '../setup.ts'

/** What `Runs` says about approvals. `ready` has what was left resumed first. */
export function createApprovals(
  context: RunsContext,
  ready: () => Promise<void>,
): Pick<Runs, 'decideApproval' | 'rememberedApprovals' | 'forgetApproval'> {
  return {
    async decideApproval(runId, approvalId, decision, decidedBy) {
      await ready()
      const deciding = decideApproval(context, runId, approvalId, decision, decidedBy)
      const { approval, open } = await deciding.catch((error) => {
        noteMissedRun(context) // it may have been kept all the same
        throw error
      })
      if (open === 0) void resumeWaiting(context, approval.runId)
      return toApproval(approval)
    },
    async rememberedApprovals(agentId, { userId } = {}) {
      await ready()
      return listRemembered(context, { agentId, userId })
    },
    async forgetApproval(agentId, id, { userId } = {}) {
      await ready()
      await forgetRemembered(context, { agentId, userId }, id)
    },
  }
}

const attempt = 'Deciding a tool call failed:'

const statuses = {
  approve: 'approved',
  deny: 'denied',
  respond: 'responded',
} as const satisfies Record<ApprovalDecision['decision'], DecidedStatus>

/** An approval, with its run. */
interface Asked {
  readonly run: StoredRun
  readonly approval: StoredApproval
}

/** The journal event of a decision. It names what was decided, and holds no arguments. */
export const toResolvedEvent = (
  { runId, approvalId, status, decidedAt, decidedBy }: Omit<ApprovalVerdict, 'journal'>,
  agentId?: string,
): ApprovalVerdict['journal'][number] => ({
  type: 'approval.resolved',
  timestamp: decidedAt,
  runId,
  data: {
    ...(agentId !== undefined && { agent_id: agentId }),
    approval_id: approvalId,
    status,
    ...(decidedBy !== undefined && { decided_by: decidedBy }),
  },
})

/**
 * Writes down what a person decided about a call of a run, or of a run below it.
 *
 * @param decidedBy who decided; undefined for the HTTP API
 * @returns the approval, and how many of its run still wait.
 * @throws {RuntimeError} `not_found`, `conflict`; `validation_error` if changed arguments cannot be used.
 */
async function decideApproval(
  context: RunsContext,
  runId: string,
  approvalId: string,
  decision: ApprovalDecision,
  decidedBy?: string,
): Promise<{ readonly approval: StoredApproval; readonly open: number }> {
  const asked = await findAsked(context, runId, approvalId)
  const { run, approval } = asked
  if (approval.status !== 'pending') throw decidedBefore()
  const { args, reason, text, remember } = decision
  if (args) await assertArguments(context, asked, args)
  const agentId = run.kind === 'agent' ? run.agentId : undefined
  const verdict = {
    runId: run.id,
    approvalId,
    status: statuses[decision.decision],
    decidedAt: context.timestamp(),
    ...(decidedBy !== undefined && { decidedBy }),
    ...(args && { editedArgs: args }),
    ...(typeof reason === 'string' && { reason }),
    ...(typeof text === 'string' && { response: text }),
  }
  const outcome = await context.store.decideApproval({
    ...verdict,
    ...(remember && { remember: toRemembered(context, asked, verdict, remember) }),
    journal: [toResolvedEvent(verdict, agentId)],
  })
  if (outcome.outcome === 'decided') return outcome
  throw outcome.outcome === 'already' ? decidedBefore() : unknownApproval()
}

const decidedBefore = () =>
  new RuntimeError('conflict', `${attempt} the call has already been decided. Reload the run.`)
const unknownApproval = () =>
  new RuntimeError(
    'not_found',
    `${attempt} the run has no approval with this id. List the approvals of the run.`,
  )

async function findAsked({ store }: RunsContext, runId: string, approvalId: string): Promise<Asked> {
  const run = await store.findRun(runId)
  if (!run) throw new RuntimeError('not_found', `${attempt} no run has this id. List the runs to find it.`)
  const findIn = async (one: StoredRun) => {
    const approval = (await store.listApprovals([one.id])).find(({ id }) => id === approvalId)
    return approval && { run: one, approval }
  }
  const own = await findIn(run)
  if (own) return own
  for await (const below of waitingBelow(store, runId)) {
    const asked = below.kind === 'agent' ? await findIn(below) : undefined
    if (asked) return asked
  }
  throw unknownApproval()
}

/** @throws {RuntimeError} `validation_error` */
async function assertArguments(
  context: RunsContext,
  { run, approval }: Asked,
  args: JsonObject,
): Promise<void> {
  const invalid = (problem: string) => new RuntimeError('validation_error', `${attempt} ${problem}`)
  const redact = await context.redactor()
  if (redact.json(args) !== args)
    throw invalid('"args" contains a secret of the settings. Remove the secret.')
  if (JSON.stringify(args).includes('"[secret]"'))
    throw invalid(
      '"args" contains the placeholder [secret]. Replace the placeholder with the value, or decide without "args".',
    )
  const stored = run.kind === 'agent' ? await context.agents.find(run.agentId) : undefined
  const agent = stored && run.kind === 'agent' ? withSetup(stored, run.setup) : undefined
  const runContext = run.kind === 'agent' ? await buildRunContext(context, run) : undefined
  const { signal } = new AbortController()
  const toolset = agent && runContext && (await context.tools.forRun(agent, signal, runContext))
  const tool = toolset?.tools.find(({ id }) => id === approval.tool)
  if (!tool) throw invalid(`the agent no longer has the tool "${approval.tool}". Deny the call.`)
  const check = await checkInTime(context.checks, tool, args)
  if (!check) throw invalid('"args" could not be checked within 30 seconds. Try again.')
  if (check.outcome === 'invalid')
    throw invalid(`"args" does not match the parameters of the tool: ${check.problem}.`)
}

const checkMs = 30_000

/** The check of a tool itself may wait for anything. */
async function checkInTime(
  checks: ArgumentChecks,
  tool: Tool,
  args: JsonObject,
): Promise<ArgumentsCheck | undefined> {
  const limit = startLimit(checkMs, new AbortController().signal)
  try {
    return await checks.check(tool, args, limit.signal)
  } catch (error) {
    if (limit.isOver()) return undefined
    throw error
  } finally {
    limit.end()
  }
}

/** Changed arguments are what the person agreed to: they are remembered in place of the model's. */
function toRemembered(
  context: RunsContext,
  { run, approval }: Asked,
  { status, decidedAt, editedArgs, reason, response }: Omit<ApprovalVerdict, 'journal'>,
  scope: NonNullable<ApprovalDecision['remember']>,
): RememberedCall {
  const { tool } = approval
  const callHash = editedArgs ? hashCall(tool, editedArgs) : approval.callHash
  if (run.kind !== 'agent' || callHash === undefined) {
    throw new RuntimeError(
      'conflict',
      `${attempt} the decision cannot be remembered. Decide without "remember".`,
    )
  }
  return {
    id: context.createId(),
    agentId: run.agentId,
    ...(run.userId !== undefined && { userId: run.userId }),
    ...(scope === 'conversation' && { conversationId: run.conversationId }),
    tool,
    args: editedArgs ?? approval.args,
    callHash,
    status,
    ...(reason !== undefined && { reason }),
    ...(response !== undefined && { response }),
    createdAt: decidedAt,
  }
}

const decisions = { approved: 'approve', denied: 'deny', responded: 'respond' } as const

/** Lists the remembered decisions of an agent, newest first. @throws {RuntimeError} `not_found` */
async function listRemembered(context: RunsContext, filter: RememberedFilter): Promise<RememberedApproval[]> {
  if (!(await context.agents.find(filter.agentId))) {
    throw new RuntimeError(
      'not_found',
      'Listing remembered approvals failed: no agent has this id. List the agents to find it.',
    )
  }
  return (await context.store.listRememberedCalls(filter)).map(toRememberedApproval)
}

/** Revokes a remembered decision. @throws {RuntimeError} `not_found` */
async function forgetRemembered({ store }: RunsContext, filter: RememberedFilter, id: string): Promise<void> {
  if ((await store.forgetRememberedCalls({ ...filter, id })) > 0) return
  const fact = 'the agent has no remembered approval with this id. List its remembered approvals.'
  throw new RuntimeError('not_found', `Revoking a remembered approval failed: ${fact}`)
}

function toRememberedApproval(call: RememberedCall): RememberedApproval {
  const { id, agentId, userId, conversationId, tool, args, status, reason, response, createdAt } = call
  return {
    id,
    agent_id: agentId,
    ...(userId !== undefined && { user_id: userId }),
    ...(conversationId !== undefined && { conversation_id: shownId(conversationId) }),
    tool,
    args,
    decision: decisions[status],
    ...(reason !== undefined && { reason }),
    ...(response !== undefined && { text: response }),
    created_at: createdAt,
  }
}
