import type { JournalEvent } from '@homeward/contract/agent-platform'
import { toolEffects, type ToolEffects } from '../ports/tool.ts'
import type { EvalRuntime, EvalToolCall } from './scorer.ts'

const pageSize = 1000
/** Runs of one attempt that are looked at. */
const maxRuns = 200

/** Reads the tool calls of a run and of the agents below it, in the order of the journal. */
export async function readCalls(
  runtime: EvalRuntime,
  runId: string,
  signal: AbortSignal,
): Promise<EvalToolCall[]> {
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
