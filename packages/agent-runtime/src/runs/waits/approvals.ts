import type { JsonObject, RememberedApproval } from '@homeward/contract/agent-platform'
import { startLimit } from '../../concurrency/start-limit.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { Tool } from '../../ports/tool.ts'
import type { RememberedCall, RememberedFilter } from '../../store/ports/remembered-call.ts'
import { shownId } from '../../store/own-conversation.ts'
import type { StoredRun } from '../../store/ports/run-store.ts'
import { decisionOf, type StoredApproval, type StoredWait } from '../../store/ports/wait.ts'
import type { ArgumentChecks, ArgumentsCheck } from '../calls/check-arguments.ts'
import { hashCall } from '../calls/effect-ledger.ts'
import type { RunsContext } from '../runs-options.ts'
import { buildRunContext, withSetup } from '../setup.ts'
import { toApproval } from '../../store/wait-view.ts'

/** A wait, with its run. */
export interface AskedWait {
  readonly run: StoredRun
  readonly wait: StoredWait
}

/** What errors about decisions begin with. */
export const deciding = 'Deciding a tool call failed:'

/** @throws {RuntimeError} `validation_error` */
export async function assertArguments(
  context: RunsContext,
  { run, wait }: AskedWait,
  args: JsonObject,
): Promise<void> {
  const invalid = (problem: string) => new RuntimeError('validation_error', `${deciding} ${problem}`)
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
  const own =
    run.kind === 'agent' && runContext ? { ...runContext, conversationId: run.conversationId } : undefined
  const toolset = agent && own && (await context.tools.forRun(agent, signal, own))
  const tool = toolset?.tools.find(({ id }) => id === wait.tool)
  if (!tool) throw invalid(`the agent no longer has the tool "${wait.tool}". Deny the call.`)
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

/**
 * What is remembered of a decision; undefined for nothing. Changed arguments are what the person agreed to: they are remembered in
 * place of the model's.
 *
 * @throws {RuntimeError} `conflict`
 */
export function toRemembered(
  context: RunsContext,
  run: StoredRun,
  wait: StoredApproval,
): RememberedCall | undefined {
  const { remember: scope, args: edited } = decisionOf(wait) ?? {}
  if (!scope) return undefined
  const { tool, args, settledAt = '' } = wait
  const callHash = edited ? hashCall(tool, edited) : wait.callHash
  const { status, reason, response } = toApproval(wait)
  if (run.kind !== 'agent' || callHash === undefined || status === 'pending') {
    throw new RuntimeError(
      'conflict',
      `${deciding} the decision cannot be remembered. Decide without "remember".`,
    )
  }
  return {
    id: context.createId(),
    agentId: run.agentId,
    ...(run.userId !== undefined && { userId: run.userId }),
    ...(scope === 'conversation' && { conversationId: run.conversationId }),
    tool,
    args: edited ?? args,
    callHash,
    status,
    ...(reason !== undefined && { reason }),
    ...(response !== undefined && { response }),
    createdAt: settledAt,
  }
}

const decisions = { approved: 'approve', denied: 'deny', responded: 'respond' } as const

/** Lists the remembered decisions of an agent, newest first. @throws {RuntimeError} `not_found` */
export async function listRemembered(
  context: RunsContext,
  filter: RememberedFilter,
): Promise<RememberedApproval[]> {
  if (!(await context.agents.find(filter.agentId))) {
    throw new RuntimeError(
      'not_found',
      'Listing remembered approvals failed: no agent has this id. List the agents to find it.',
    )
  }
  return (await context.store.listRememberedCalls(filter)).map(toRememberedApproval)
}

/** Revokes a remembered decision. @throws {RuntimeError} `not_found` */
export async function forgetRemembered(
  { store }: RunsContext,
  filter: RememberedFilter,
  id: string,
): Promise<void> {
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
