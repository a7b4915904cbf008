import { checkRuntimeOptions } from './check-runtime-options.ts'
import { createEventBus } from '../journal/runtime-events.ts'
import { guardedLogger, silentLogger } from '../ports/logger.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { OpenRuntime } from './open-runtime.ts'
import type { RuntimeOptions } from './runtime-options.ts'
import { createRunMethods } from './run-methods.ts'
import type { AgentRuntime } from './runtime.ts'
import { createServices, setUncheckedServices } from './services.ts'

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
export function createRuntime<Context = unknown>(given: RuntimeOptions<Context> = {}): AgentRuntime {
  const options = given as RuntimeOptions // guards get what `contextFor` builds, whatever its type
  checkRuntimeOptions(options)
  const { now = Date.now, createId = () => crypto.randomUUID() } = options
  const logger = guardedLogger(options.logger ?? silentLogger)
  const bus = createEventBus(logger)
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
