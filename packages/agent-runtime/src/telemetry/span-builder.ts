import type { JournalEvent } from '@homeward/contract/agent-platform'
import { startRunSpan, type RunSpan, type SpanMaker } from './run-span.ts'
import { text } from './span-attributes.ts'

/** Most runs whose spans are remembered, open or ended. */
const maxRuns = 10_000
/** Runs above one another that are looked for. */
const maxDepth = 16

/** Kinds of events that spans are made of. */
export const spanEventTypes = [
  'agent.started',
  'agent.completed',
  'graph.started',
  'graph.completed',
  'model.completed',
  'tool.called',
  'tool.completed',
  'approval.requested',
  'approval.resolved',
]

/** What {@link createSpanBuilder} is built from. */
interface SpanBuilderOptions extends SpanMaker {
  /** Finds the first event of a run that began before these spans did. */
  readonly findStart: (runId: string) => Promise<JournalEvent | undefined>
}

/** Makes spans of events, in their order. */
export interface SpanBuilder {
  add(event: JournalEvent): Promise<void>
  /** Ends the spans that are still open, marked as such. */
  end(): void
}

/** Builds a span builder. */
export function createSpanBuilder(options: SpanBuilderOptions): SpanBuilder {
  const { api, findStart } = options
  /** By run; the oldest first. Ended ones too: a run that they asked for may begin late. */
  const runs = new Map<string, RunSpan>()

  async function startRun(id: string, event: JournalEvent, depth: number): Promise<RunSpan> {
    const parentId = text(event.data['parent_run_id'])
    const parent = parentId === undefined ? undefined : await findRun(parentId, depth + 1)
    const run = startRunSpan(options, event, parent?.contextOfChild() ?? api.ROOT_CONTEXT)
    runs.set(id, run)
    const [oldest] = runs
    if (runs.size > maxRuns && oldest) {
      runs.delete(oldest[0])
      oldest[1].leave()
    }
    return run
  }

  async function findRun(id: string, depth = 0): Promise<RunSpan | undefined> {
    const known = runs.get(id)
    if (known || depth > maxDepth) return known
    const event = await findStart(id)
    return event && startRun(id, event, depth)
  }

  return {
    async add(event) {
      const { run_id: runId, type } = event
      if (runId === undefined) return
      if (type === 'agent.started' || type === 'graph.started') {
        if (!runs.has(runId)) await startRun(runId, event, 0)
        return
      }
      const run = await findRun(runId)
      if (run?.isOpen === true) run.add(event)
    },
    end() {
      for (const run of runs.values()) run.leave()
      runs.clear()
    },
  }
}
