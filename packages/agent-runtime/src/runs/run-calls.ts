import type { RunStep } from '@homeward/contract/agent-platform'
import type { ToolCallPart, ToolResult } from '../ports/message.ts'
import type { StoredApproval } from '../ports/run-store.ts'
import type { Tool } from '../ports/tool.ts'
import { addMessage, lastCalls, note, type ActiveRun, type RunRecord } from './active-run.ts'
import type { ArgumentChecks } from './check-arguments.ts'
import { isUntrusted } from './is-untrusted.ts'
import { withoutNamedSecrets } from './redact.ts'
import { checkCall, runToolCall, type CheckedCall } from './run-tool-call.ts'
import type { RunsContext } from './runs-options.ts'
import { cut, isSmallJson } from './to-json.ts'
import { toPromptMessage } from './to-prompt.ts'
import { untilAbort } from './until-abort.ts'

/** More calls than this in one turn are answered with an error. */
const maxCallsPerTurn = 64
const tooManyCalls = `Not called: more than ${maxCallsPerTurn} calls in one turn`
const maxJournalChars = 4000

type Runnable = Extract<CheckedCall, { tool: Tool }>

/** What a person decided about a call, by the call's id. */
export type Verdicts = ReadonlyMap<string, Pick<StoredApproval, 'status' | 'reason'>>

/**
 * Makes the calls of a turn, all at once, and adds their results to the run. Calls that need a person's yes are left
 * out and given back (A20). Never rejects: what goes wrong, an abort too, becomes the result of its call.
 */
export async function runCalls(
  context: RunsContext,
  checks: ArgumentChecks,
  run: ActiveRun,
  calls: readonly ToolCallPart[],
  verdicts?: Verdicts,
): Promise<Runnable[]> {
  const waiting: Runnable[] = []
  // The taint at the turn's start counts: the model asked for all of these before it read any of their results.
  const { tainted } = run
  const all = lastCalls(run.messages)
  const settle = async (call: ToolCallPart, place: number): Promise<ToolResult | undefined> => {
    const index = all.length === calls.length ? place : all.findIndex(({ id }) => id === call.id)
    if (index >= maxCallsPerTurn) return fail(context, run, call, tooManyCalls)
    const verdict = verdicts?.get(call.id)
    if (verdict?.status === 'denied') return fail(context, run, call, denial(verdict.reason))
    const check = checkCall(call, run.tools, checks, context)
    const checked = check instanceof Promise ? await check : check
    if (!('tool' in checked)) return fail(context, run, call, checked.problem)
    if (verdict || !needsApproval(run, checked.tool, tainted)) {
      return makeCall(context, run, checked, index, tainted)
    }
    waiting.push(checked)
    return undefined
  }
  const settled = await Promise.all(calls.map(settle))
  const results = settled.filter((result) => result !== undefined)
  addResults(run, calls, results)
  return waiting
}

/** Answers calls that are not made with an error, so that none stays without a result. */
export function refuseCalls(
  context: RunsContext,
  run: RunRecord,
  calls: readonly ToolCallPart[],
  reason: string,
): void {
  addResults(
    run,
    calls,
    calls.map((call) => fail(context, run, call, reason)),
  )
}

function needsApproval(run: ActiveRun, tool: Tool, tainted: boolean): boolean {
  if (run.agent.approval_tools?.includes(tool.id)) return true
  return tainted && tool.effects === 'external'
}

const denial = (reason: string | undefined) =>
  `A person denied this call${reason ? `: ${reason}` : ''}. Do not try it again; go on without it`

async function makeCall(
  context: RunsContext,
  run: ActiveRun,
  checked: Runnable,
  index: number,
  tainted: boolean,
): Promise<ToolResult> {
  const { call, tool } = checked
  const startedAtMs = context.now()
  run.toolCalls += 1
  run.log.push({
    event: 'tool_start',
    data: { id: call.id, name: tool.id, args: run.redact.json(call.args) },
  })
  note(run, 'tool.called', context.timestamp(), { tool: tool.id, call_id: call.id, args: journalArgs(call) })
  const workspace = run.workspace ?? (await openWorkspace(context, run))
  const result =
    workspace === undefined
      ? { id: call.id, name: tool.id, error: "The agent's workspace cannot be used" }
      : await runToolCall(checked, toToolContext(run, index, tainted, workspace), run, context)
  if (isUntrusted(tool, result)) run.tainted = true
  finishCall(context, run, result, Math.max(0, context.now() - startedAtMs))
  return result
}

/** Made sure of by the first calls of a run; undefined when it cannot be had. */
async function openWorkspace(context: RunsContext, run: ActiveRun): Promise<string | undefined> {
  try {
    const opened = await untilAbort(context.workspace(run.run.agentId), run.abort)
    return (run.workspace ??= opened)
  } catch (error) {
    context.logger.error('The workspace of an agent cannot be used', {
      agentId: run.run.agentId,
      error: String(error),
    })
    return undefined
  }
}

function toToolContext(run: ActiveRun, index: number, tainted: boolean, workspace: string) {
  const { id, agentId, conversationId, userId } = run.run
  return {
    agentId,
    ...(userId !== undefined && { userId }),
    runId: id,
    conversationId,
    // Made of what a repeat of the step knows too; providers may give the same id to calls of different turns.
    idempotencyKey: `${id}:${run.turns}:${index}`,
    workspace,
    tainted,
    depth: run.depth,
  }
}

function fail(context: RunsContext, run: RunRecord, call: ToolCallPart, problem: string): ToolResult {
  const name = cut(call.name, 200)
  run.toolCalls += 1
  run.log.push({ event: 'tool_start', data: { id: call.id, name, args: run.redact.json(call.args) } })
  note(run, 'tool.called', context.timestamp(), { tool: name, call_id: call.id, args: journalArgs(call) })
  const result = { id: call.id, name, error: run.redact.text(problem) }
  finishCall(context, run, result, 0)
  return result
}

function finishCall(context: RunsContext, run: RunRecord, result: ToolResult, durationMs: number): void {
  run.log.push({ event: 'tool_call', data: result })
  note(run, 'tool.completed', context.timestamp(), {
    tool: result.name,
    call_id: result.id,
    ok: result.error === undefined,
    ...(result.error !== undefined && { error: cut(result.error, 500) }),
    duration_ms: durationMs,
  })
}

function journalArgs({ args }: ToolCallPart): RunStep['args'] {
  const clean = withoutNamedSecrets(args)
  if (isSmallJson(clean, maxJournalChars)) return clean
  return `${cut(JSON.stringify(clean), maxJournalChars)}…`
}

function addResults(run: RunRecord, calls: readonly ToolCallPart[], results: readonly ToolResult[]): void {
  if (results.length === 0) return
  for (const result of results) {
    const args = calls.find(({ id }) => id === result.id)?.args ?? {}
    const step = { tool: result.name, args }
    run.steps.push(
      result.error === undefined
        ? { ...step, result: result.result ?? null }
        : { ...step, error: result.error },
    )
  }
  const message = { role: 'tool', results } as const
  addMessage(run, message, toPromptMessage(message, run.tools.wireName))
}
