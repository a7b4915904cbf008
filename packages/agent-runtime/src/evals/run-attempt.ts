import { untilAborted } from '@homeward/kit'
import type {
  GraphRunRequest,
  GraphRunResult,
  RunRequest,
  RunResult,
  JournalEvent,
} from '@homeward/contract/agent-platform'
import { cut } from '../json/to-json.ts'
import { reasonOf } from '../ports/reason-of.ts'
import type { EvalCase } from './eval-case.ts'
import type { EvalAttempt, EvalScore } from './eval-report.ts'
import type { EvalRuntime, Scorer, ScoredAttempt, EvalToolCall } from './scorer.ts'
import { isWaiting } from '../ports/waiting-agent.ts'
import { toolEffects, type ToolEffects } from '../ports/tool.ts'

const maxReason = 2000

/** What an attempt needs besides its case. */
interface AttemptContext {
  readonly runtime: EvalRuntime
  readonly agent: string | undefined
  readonly graph: string | undefined
  readonly scorers: readonly Scorer[]
  readonly now: () => number
  readonly signal: AbortSignal
}

/** Runs a case once and scores what came of it. Whatever goes wrong with it is part of the attempt. @throws the signal's reason */
export async function runAttempt(context: AttemptContext, given: EvalCase): Promise<EvalAttempt> {
  const { runtime, signal, now } = context
  const startedAtMs = now()
  const scorers = [...context.scorers, ...(given.scorers ?? [])]
  try {
    const { result, graph } = await play(context, given)
    const durationMs = Math.max(0, now() - startedAtMs)
    signal.throwIfAborted()
    // nobody will decide
    if (isWaiting(result)) await runtime.runs.cancel(result.run_id)
    const calls = await readCalls(runtime, result.run_id, signal)
    const attempt: ScoredAttempt = {
      case: given,
      result,
      ...(graph && { graph }),
      calls,
      durationMs,
      runtime,
    }
    const scores = await Promise.all(scorers.map((scorer) => scoreBy(scorer, attempt, signal)))
    signal.throwIfAborted()
    const { run_id: runId, output, usage, stop_reason: stopReason, error } = result
    const passed = error === undefined && scores.every((score) => score.passed)
    const failed = error !== undefined && { error }
    return { runId, output, stopReason, ...failed, durationMs, usage, scores, passed }
  } catch (error) {
    signal.throwIfAborted()
    const reason = cut(reasonOf(error), maxReason)
    const scores = scorers.map(({ name }): EvalScore => ({ scorer: name, value: 0, passed: false }))
    return {
      output: '',
      error: reason,
      durationMs: Math.max(0, now() - startedAtMs),
      scores,
      passed: false,
    }
  }
}

async function play(
  { runtime, agent, graph, signal }: AttemptContext,
  given: EvalCase,
): Promise<Pick<ScoredAttempt, 'result' | 'graph'>> {
  const graphId = given.graph_id ?? (given.agent_id === undefined ? graph : undefined)
  if (graphId === undefined) return { result: await runtime.run(toRequest(agent, given), { signal }) }
  const { task, user_id, metadata, budget } = given
  const request: GraphRunRequest = { graph_id: graphId, input: task, user_id, metadata, budget }
  const ended = await runtime.graphs.run(request, { signal })
  return { result: toRunResult(ended), graph: ended }
}

/** The result of a graph as scorers of agents read it. */
function toRunResult({
  success,
  output,
  error,
  code,
  run_id,
  usage,
  waits,
  stop_reason,
  node_results,
}: GraphRunResult): RunResult {
  const data = node_results.findLast((node) => node.status === 'completed' && node.output === output)?.data
  return {
    success,
    output,
    ...(data !== undefined && { data }),
    ...(error !== undefined && { error }),
    ...(code !== undefined && { code }),
    turns: 0,
    tool_calls: 0,
    steps: [],
    usage,
    model: '',
    run_id,
    conversation_id: '',
    stop_reason: stop_reason ?? (success ? 'done' : 'error'),
    ...(waits && { waits }),
  }
}

function toRequest(agent: string | undefined, given: EvalCase): RunRequest {
  const { name: _, expected: __, scorers: ___, graph_id: ____, agent_id, store, ...request } = given
  return { ...request, agent_id: agent_id ?? agent ?? '', store: store ?? false }
}

async function scoreBy(scorer: Scorer, attempt: ScoredAttempt, signal: AbortSignal): Promise<EvalScore> {
  const { name } = scorer
  try {
    const scoring = Promise.resolve(scorer.score(attempt, signal))
    const { value, passed = value === 1, reason } = await untilAborted(scoring, signal)
    if (!(value >= 0 && value <= 1))
      throw new Error(`Scoring failed: "value" must be between 0 and 1, got ${value}.`)
    return {
      scorer: name,
      value,
      passed,
      ...(reason !== undefined && { reason: cut(reason, maxReason) }),
    }
  } catch (error) {
    return {
      scorer: name,
      value: 0,
      passed: false,
      reason: cut(reasonOf(error), maxReason),
      failed: true,
    }
  }
}

const pageSize = 1000
/** Runs of one attempt that are looked at. */
const maxRuns = 200

/** Reads the tool calls of a run and of the agents below it, in the order of the journal. */
async function readCalls(runtime: EvalRuntime, runId: string, signal: AbortSignal): Promise<EvalToolCall[]> {
  const events: JournalEvent[] = []
  for (const id of await runsOf(runtime, runId, signal)) events.push(...(await eventsOf(runtime, id, signal)))
  return events.toSorted((a, b) => a.seq - b.seq).map(toCall)
}

async function runsOf(runtime: EvalRuntime, runId: string, signal: AbortSignal): Promise<string[]> {
  const ids = [runId]
  for (const parentRunId of ids) {
    if (ids.length >= maxRuns) break
    const { runs } = await runtime.runs.list({ parentRunId, limit: maxRuns }, signal)
    ids.push(...runs.map(({ id }) => id).toReversed())
  }
  return ids.slice(0, maxRuns)
}

async function eventsOf({ logs }: EvalRuntime, runId: string, signal: AbortSignal): Promise<JournalEvent[]> {
  const all: JournalEvent[] = []
  for (;;) {
    const query = { runId, types: ['tool.called', 'approval.requested'], since: all.at(-1)?.seq ?? 0 }
    const page = await logs.list({ ...query, limit: pageSize }, signal)
    all.push(...page)
    if (page.length < pageSize) return all
  }
}

function toCall({ type, run_id: runId = '', data }: JournalEvent): EvalToolCall {
  const effects = toolEffects.find((known): known is ToolEffects => known === data['effects'])
  return {
    runId,
    tool: typeof data['tool'] === 'string' ? data['tool'] : '',
    ...(effects && { effects }),
    tainted: data['tainted'] === true,
    asked: type === 'approval.requested',
  }
}
