import { DeviceCloudError } from '../device-cloud-error.ts'
import type { AgentEvents, AgentListener } from './agent-events.ts'
import type { DeviceAgentOptions } from './agent-options.ts'
import { assembleAgent } from './assemble-agent.ts'
import { backoffMs, sleep, linkSignals } from '@homeward/kit'
import { createAgentEmitter } from './agent-emitter.ts'

/** Summary of one cycle. */
export interface RunOnceResult {
  /** Number of searches that were run. */
  readonly searches: number
  /** Number of attempted uploads, including reports that a file cannot be sent. */
  readonly uploads: number
  /** Number of reports that the cloud accepted, including those of earlier cycles. */
  readonly reports: number
}

/** Connects this device to the cloud: sends heartbeats, runs searches and uploads files. */
export interface DeviceAgent {
  /**
   * Adds a listener for one kind of event, until the returned function is called. An error in a listener has no
   * further effect.
   */
  on<Name extends keyof AgentEvents>(name: Name, listener: AgentListener<Name>): () => void
  /** Starts the loops and returns at once. Does nothing if they already run. */
  start(): void
  /**
   * Stops the loops. Resolves when all work has ended and the outbox and audit log are closed. Interrupted searches
   * stay pending in the cloud.
   */
  stop(): Promise<void>
  /**
   * Runs one full cycle: a heartbeat, reports of earlier cycles, both lists of work, the work itself, its reports and
   * uploads.
   *
   * Use it for a device that wakes, works and sleeps.
   *
   * @throws {DeviceCloudError} if the heartbeat or a list fails, or the loops already run; the signal's reason on
   * abort.
   */
  runOnce(options?: { readonly signal?: AbortSignal }): Promise<RunOnceResult>
  /** Same as {@link DeviceAgent.stop}. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Creates the agent of this device.
 *
 * The agent only makes outgoing requests. Normally this is one long poll for work. If the cloud does not support it,
 * the agent sends heartbeats and polls two lists.
 *
 * @throws {DeviceCloudError} `INVALID_OPTION`.
 * @example
 * const agent = createDeviceAgent({
 *   baseUrl: 'https://cloud.example',
 *   apiKey: new Secret(key),
 *   providers: { system: async () => ({ found: { cpu: '8 cores', memory: '16 GB', disk: '512 GB' } }) },
 * })
 * agent.on('search:end', ({ queryId, error }) => logger.info({ queryId, error }))
 * agent.start() // until agent.stop()
 */
export function createDeviceAgent(options: DeviceAgentOptions): DeviceAgent {
  const emitter = createAgentEmitter()
  let onRefused: (error: DeviceCloudError) => void = () => {}
  const parts = assembleAgent(options, emitter.emit, (error) => onRefused(error))
  let active: { readonly controller: AbortController; readonly done: Promise<unknown> } | undefined

  /** Reads the outbox; until that works nothing is taken, since it could be work that was done before. */
  async function work(signal: AbortSignal): Promise<void> {
    for (let failures = 1; !(await parts.load()); failures += 1) {
      await sleep(backoffMs({ failures, random: parts.random }), signal, parts.timers)
      if (signal.aborted) return
    }
    await Promise.all(parts.loops.map((loop) => loop.run(signal)))
  }

  async function runLoops(signal: AbortSignal): Promise<void> {
    await Promise.all([parts.heartbeat.run(signal), work(signal)])
    await Promise.all(parts.works.map((work) => work.whenIdle()))
  }

  async function cycle(signal: AbortSignal): Promise<RunOnceResult> {
    if (!(await parts.load())) {
      throw new DeviceCloudError(
        'STATE_UNAVAILABLE',
        'runOnce failed: the outbox cannot be read. See the event `state:error`.',
      )
    }
    await parts.heartbeat.beat(signal)
    const before = await parts.sender.flush(signal)
    const taken = [0, 0]
    for (const [index, poll] of parts.polls.entries()) taken[index] = await poll.pollOnce(signal)
    await Promise.all(parts.works.map((work) => work.whenIdle()))
    const after = await parts.sender.flush(signal)
    signal.throwIfAborted()
    return { searches: taken[0] ?? 0, uploads: taken[1] ?? 0, reports: before + after }
  }

  async function stop(): Promise<void> {
    active?.controller.abort(new Error('The device agent was stopped'))
    await active?.done
  }

  /** Runs `job` alone, and keeps it where `stop` finds it. */
  function begin<T>(job: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController()
    const run = async () => {
      try {
        return await job(linkSignals(controller.signal))
      } finally {
        controller.abort(new Error('The cycle has ended'))
        await Promise.all(parts.works.map((work) => work.whenIdle()))
        await parts.close()
        active = undefined
      }
    }
    const outcome = run()
    active = { controller, done: outcome.catch(() => {}) }
    return outcome
  }

  return {
    on: emitter.on,
    start() {
      if (!active) void begin(runLoops).catch(() => {}) // told by `state:error`
    },
    stop,
    async runOnce({ signal } = {}) {
      signal?.throwIfAborted()
      if (active)
        throw new DeviceCloudError(
          'INVALID_OPTION',
          'runOnce failed: the agent is already running. Stop it first.',
        )
      const abort = () => active?.controller.abort(signal?.reason)
      signal?.addEventListener('abort', abort)
      // Nothing would wait for the next probe here, so a refused key ends the cycle.
      onRefused = (error) => active?.controller.abort(error)
      try {
        return await begin(cycle)
      } finally {
        signal?.removeEventListener('abort', abort)
        onRefused = () => {}
      }
    },
    [Symbol.asyncDispose]: stop,
  }
}
