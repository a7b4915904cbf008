import { checkRuntimeOptions } from './check-runtime-options.ts'
import { createEventBus } from '../journal/runtime-events.ts'
import { guardedLogger, silentLogger } from '../ports/logger.ts'
import { tracingOf } from '../ports/instrumentation.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { OpenRuntime } from './open-runtime.ts'
import type { RuntimeOptions } from './runtime-options.ts'
import type {
  AgentRuntime,
  RunOptions,
  RunStream,
  RuntimeRuns,
  StreamOptions,
  TypedRunRequest,
  TypedRunStream,
} from './runtime.ts'
import { createServices, setUncheckedServices } from './services.ts'
import type { RunRequest } from '@homeward/contract/agent-platform'
import type { RunEventsOptions, RunStartOptions } from '../runs/runs.ts'

/**
 * Creates a runtime for agents. Opens, reads and loads nothing before the first call needs it.
 *
 * Without options, the runtime needs no configuration and no key: everything is in memory, and the built-in model
 * `test/echo` answers with the task.
 *
 * @throws {RuntimeError} `validation_error` if an option is invalid.
 * @example
 * ```ts
 * import { createRuntime } from '@homeward/agent-runtime'
 *
 * const runtime = createRuntime()
 * await runtime.agents.create({ id: 'parrot', model: 'test/echo' })
 * console.log((await runtime.run({ agent_id: 'parrot', task: 'Hello' })).output)
 * ```
 */
export function createRuntime<Context = unknown>(given: RuntimeOptions<Context> = {}): AgentRuntime {
  const options = given as RuntimeOptions // guards get what `contextFor` builds, whatever its type
  checkRuntimeOptions(options)
  const { now = Date.now, createId = () => crypto.randomUUID() } = options
  const logger = guardedLogger(options.logger ?? silentLogger)
  const bus = createEventBus(logger)
  tracingOf(bus.emitter).now = now
  let opening: Promise<OpenRuntime> | undefined
  let closing: Promise<void> | undefined

  async function opened(): Promise<OpenRuntime> {
    if (closing)
      throw new RuntimeError('closed', 'Using the runtime failed: it was closed. Create another one.')
    opening ??= open()
    return opening
  }

  async function open(): Promise<OpenRuntime> {
    try {
      const { openRuntime } = await import('./open-runtime.ts')
      const environment = options.environment ?? process.env
      return await openRuntime({ options, environment, logger, bus, now, createId })
    } catch (error) {
      opening = undefined // what was in the way may be gone at the next call
      throw error
    }
  }

  async function close(): Promise<void> {
    const runtime = await opening?.catch(() => undefined)
    await runtime?.close()
    bus.emitter.removeAllListeners()
  }

  const services = createServices(async (name) => (await opened()).hostService(name))
  const { runs } = services

  const runtime: AgentRuntime = {
    ...services,
    events: bus.emitter,
    logger,
    ...createRunMethods(runs),
    start: async () => (await opened()).start(),
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => (closing ??= close()),
  }
  setUncheckedServices(
    runtime,
    createServices(async (name) => (await opened()).service(name)),
  )
  return runtime
}

type Request = RunRequest | TypedRunRequest<unknown>

const isTyped = (request: Request): request is TypedRunRequest<unknown> =>
  // a host without types may give anything
  (request as Partial<TypedRunRequest<unknown>> | undefined)?.output !== undefined

/** Builds what starts runs from a host's code, over the runs of a runtime. */
function createRunMethods(runs: RuntimeRuns): Pick<AgentRuntime, 'run' | 'stream'> {
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
