import type { RunRequest } from '@homeward/contract/agent-platform'
import type { RunEventsOptions, RunStartOptions } from '../runs/runs.ts'
import type {
  AgentRuntime,
  RunOptions,
  RunStream,
  RuntimeRuns,
  StreamOptions,
  TypedRunRequest,
  TypedRunStream,
} from './runtime.ts'

type Request = RunRequest | TypedRunRequest<unknown>

const isTyped = (request: Request): request is TypedRunRequest<unknown> =>
  // a host without types may give anything
  (request as Partial<TypedRunRequest<unknown>> | undefined)?.output !== undefined

/** Builds what starts runs from a host's code, over the runs of a runtime. */
export function createRunMethods(runs: RuntimeRuns): Pick<AgentRuntime, 'run' | 'stream'> {
  async function stream(request: Request, given?: StreamOptions): Promise<TypedRunStream<unknown>> {
    if (!isTyped(request)) return start(request, given)
    const { toTypedRun } = await import('./typed-output.ts')
    const typed = await toTypedRun(request)
    const started = await start(typed.request, { ...given, checkOutput: typed.checkOutput })
    const result = started.result.then((ended) => typed.toResult(ended))
    result.catch(() => {}) // not every caller waits for it
    return { ...started, result }
  }

  async function start(
    request: RunRequest,
    given?: StreamOptions & Pick<RunStartOptions, 'checkOutput'>,
  ): Promise<RunStream> {
    const handle = await runs.start(request, given)
    return { ...handle, events: eventsOf(runs, handle.runId, given), text: textOf(runs, handle.runId, given) }
  }

  const run = async (request: Request, given?: RunOptions) => (await stream(request, given)).result

  // the overloads say which request gives which result
  return { run, stream } as Pick<AgentRuntime, 'run' | 'stream'>
}

/** Nothing is read for it, or kept, until somebody asks. */
async function* textOf(
  runs: RuntimeRuns,
  runId: string,
  { untilWaiting = false }: RunEventsOptions = {},
): RunStream['text'] {
  for await (const { event } of runs.events(runId, 0, undefined, { untilWaiting }))
    if (event.event === 'assistant') yield event.data.delta
}

async function* eventsOf(runs: RuntimeRuns, runId: string, options?: RunEventsOptions): RunStream['events'] {
  for await (const { event } of runs.events(runId, 0, undefined, options)) yield event
}
