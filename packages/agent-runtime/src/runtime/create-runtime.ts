import { checkRuntimeOptions } from './check-runtime-options.ts'
import { createEventBus } from '../journal/runtime-events.ts'
import { guardedLogger, silentLogger } from '../ports/logger.ts'
import type { RunHandle } from '../runs/runs.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { RuntimeOptions } from './runtime-options.ts'
import type { RuntimeParts } from './runtime-parts.ts'
import { createRunStart, createRuntimeRuns, createRuntimeServices } from './runtime-services.ts'
import type { AgentRuntime, RunStream, RuntimeRuns } from './runtime.ts'

/**
 * Creates a runtime for agents. Nothing is opened, read or loaded before the first call needs it.
 *
 * Without options it needs no configuration and no key: everything is in memory, and the built-in model `test/echo`
 * answers with the task.
 *
 * @throws {RuntimeError} `validation_error` when an option cannot be used.
 * @example
 * ```ts
 * import { createRuntime } from '@homeward/agent-runtime'
 *
 * const runtime = createRuntime()
 * await runtime.agents.create({ id: 'parrot', model: 'test/echo' })
 * console.log((await runtime.run({ agent_id: 'parrot', task: 'Hello' })).output)
 * ```
 */
export function createRuntime(options: RuntimeOptions = {}): AgentRuntime {
  checkRuntimeOptions(options)
  const { now = Date.now, createId = () => crypto.randomUUID() } = options
  const logger = guardedLogger(options.logger ?? silentLogger)
  const bus = createEventBus(logger)
  let opening: Promise<RuntimeParts> | undefined
  let closing: Promise<void> | undefined

  async function parts(): Promise<RuntimeParts> {
    if (closing) throw new RuntimeError('closed', 'Using the runtime: it was closed. Create another one.')
    opening ??= open()
    return opening
  }

  async function open(): Promise<RuntimeParts> {
    try {
      const { openRuntimeParts } = await import('./runtime-parts.ts')
      const environment = options.environment ?? process.env
      return await openRuntimeParts({ options, environment, logger, bus, now, createId })
    } catch (error) {
      opening = undefined // what was in the way may be gone at the next call
      throw error
    }
  }

  async function close(): Promise<void> {
    const opened = await opening?.catch(() => undefined)
    await opened?.close()
    bus.emitter.removeAllListeners()
  }

  const runs = createRuntimeRuns(parts)
  const startRun = createRunStart(parts)

  return {
    ...createRuntimeServices(parts),
    runs,
    events: bus.emitter,
    logger,
    run: async (request, given) => (await startRun('run', request, given)).result,
    stream: async (request, given) => toRunStream(runs, await startRun('stream', request, given)),
    start: async () => (await parts()).work.start(),
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => (closing ??= close()),
  }
}

function toRunStream(runs: RuntimeRuns, handle: RunHandle): RunStream {
  return { ...handle, events: eventsOf(runs, handle.runId) }
}

async function* eventsOf(runs: RuntimeRuns, runId: string): RunStream['events'] {
  for await (const { event } of runs.events(runId, 0)) yield event
}
