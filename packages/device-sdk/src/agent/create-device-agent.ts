import type { DeviceMetadata } from '@homeward/contract/device-cloud'
import {
  createDeviceClient,
  type DeviceClient,
  type DeviceClientOptions,
} from '../client/create-device-client.ts'
import { DeviceCloudError } from '../device-cloud-error.ts'
import { createMemoryOutbox } from '../outbox/create-memory-outbox.ts'
import type { DevicePolicy } from '../policy/device-policy.ts'
import type { AuditLog, FileSource, Outbox, SearchProviders } from '../ports/index.ts'
import type { AgentContext } from './agent-context.ts'
import type { AgentEvents, AgentListener } from './agent-events.ts'
import { createHeartbeatLoop } from './heartbeat-loop.ts'
import { toOwnError } from './is-final.ts'
import { createPollLoop } from './poll-loop.ts'
import { createReportSender } from './report-sender.ts'
import { createSafeEmitter } from './safe-emitter.ts'
import { createSearchWork } from './search-work.ts'
import { createUploadWork } from './upload-work.ts'

/** What an agent does and how. Give either `client`, or `baseUrl` and `apiKey`. */
export type DeviceAgentOptions = AgentSettings &
  ({ readonly client: DeviceClient } | (DeviceClientOptions & { readonly client?: never }))

/** Everything about an agent but its connection. */
export interface AgentSettings {
  /** What can be searched on this device, by scope. */
  readonly providers: SearchProviders
  /** Where requested files come from. @default none: every file is refused */
  readonly files?: FileSource
  /** Where results wait until the cloud has them. @default createMemoryOutbox() */
  readonly outbox?: Outbox
  /** What this device gives away; the cloud cannot override it. @default everything that has a provider */
  readonly policy?: DevicePolicy
  /** Where it is written down what was given away and what was refused. @default nowhere */
  readonly auditLog?: AuditLog
  /** Facts sent with each heartbeat. @default none */
  readonly metadata?: DeviceMetadata | (() => DeviceMetadata | Promise<DeviceMetadata>)
  /** Milliseconds between heartbeats and between polls, ±10 %. @default 30000 */
  readonly intervalMs?: number
  /** Seconds that a poll lets the cloud hold its answer, 1 to 60, less than the client's deadline. @default 50 */
  readonly waitSeconds?: number
  /** Milliseconds until a search is reported with what is known by then. @default 60000 */
  readonly searchDeadlineMs?: number
  /** Searches that run at the same time. @default 2 */
  readonly searchConcurrency?: number
  /** Files that are uploaded at the same time. @default 2 */
  readonly uploadConcurrency?: number
  /** Whether the first beat waits a random part of the interval: for a fleet that boots together. @default false */
  readonly spreadFirstBeat?: boolean
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number
  /** A number from 0 to 1. @default Math.random */
  readonly random?: () => number
}

/** What one cycle did. */
export interface TickSummary {
  /** Searches that were run. */
  readonly searches: number
  /** Files, or refusals, that were tried to deliver. */
  readonly uploads: number
  /** Reports that the cloud took, those of earlier cycles included. */
  readonly reports: number
}

/** A program's part that answers the cloud for this device. */
export interface DeviceAgent {
  /** Hears one kind of event until the returned function is called. A listener that throws stops nothing. */
  on<Name extends keyof AgentEvents>(name: Name, listener: AgentListener<Name>): () => void
  /** Starts the loops and returns at once. Does nothing when they run. */
  start(): void
  /** Ends the loops; resolves when nothing of the agent runs any more. Searches that run stay pending at the cloud. */
  stop(): Promise<void>
  /**
   * Does one full cycle: heartbeat, reports left over, both lists, what they ask for, its reports and uploads.
   * For a device that wakes, works and sleeps.
   *
   * @throws {DeviceCloudError} when the heartbeat or a list fails, or the loops run; the signal's reason on abort.
   */
  tick(options?: { readonly signal?: AbortSignal }): Promise<TickSummary>
  /** Same as {@link DeviceAgent.stop}. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Builds the agent of this device. It only ever calls out: heartbeat, pending searches, pending uploads.
 *
 * @throws {DeviceCloudError} `INVALID_OPTION`.
 * @example
 * await using agent = createDeviceAgent({
 *   baseUrl: 'https://cloud.example',
 *   apiKey: new Secret(key),
 *   providers: { system: async () => ({ found: { cpu: '8 cores', memory: '16 GB', disk: '512 GB' } }) },
 * })
 * agent.on('search:end', ({ queryId, error }) => logger.info({ queryId, error }))
 * agent.start()
 */
export function createDeviceAgent(options: DeviceAgentOptions): DeviceAgent {
  const emitter = createSafeEmitter()
  const parts = assemble(options, emitter.emit)
  let active: { readonly controller: AbortController; readonly done: Promise<unknown> } | undefined

  /** Reads the outbox; until that works nothing is taken, since it could be work that was done before. */
  async function load(): Promise<void> {
    try {
      await parts.sender.load()
    } catch (cause) {
      const error = toOwnError(cause, 'Reading the outbox')
      emitter.emit('state:error', { part: 'outbox', error })
      throw error
    }
  }

  async function runLoops(signal: AbortSignal): Promise<void> {
    await load()
    await Promise.all([parts.heartbeat, ...parts.polls, parts.sender].map((loop) => loop.run(signal)))
    await Promise.all(parts.works.map((work) => work.whenIdle()))
  }

  async function cycle(signal: AbortSignal): Promise<TickSummary> {
    await load()
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
    const outcome = job(controller.signal).finally(async () => {
      controller.abort(new Error('The cycle is over'))
      await Promise.all(parts.works.map((work) => work.whenIdle()))
      active = undefined
    })
    active = { controller, done: outcome.catch(() => {}) }
    return outcome
  }

  return {
    on: emitter.on,
    start() {
      if (!active) void begin(runLoops).catch(() => {}) // told by `state:error`
    },
    stop,
    async tick({ signal } = {}) {
      signal?.throwIfAborted()
      if (active)
        throw new DeviceCloudError('INVALID_OPTION', 'tick failed: the agent runs already. Stop it first.')
      const abort = () => active?.controller.abort(signal?.reason)
      signal?.addEventListener('abort', abort)
      try {
        return await begin(cycle)
      } finally {
        signal?.removeEventListener('abort', abort)
      }
    },
    [Symbol.asyncDispose]: stop,
  }
}

function assemble(options: DeviceAgentOptions, emit: AgentContext['emit']) {
  const { now = Date.now, random = Math.random, policy = {}, outbox = createMemoryOutbox() } = options
  const intervalMs = positive('intervalMs', options.intervalMs ?? 30_000)
  const client = options.client ?? createDeviceClient(options)
  const { metadata = {}, auditLog } = options
  const heartbeat = createHeartbeatLoop({
    client,
    emit,
    random,
    intervalMs,
    metadata: typeof metadata === 'function' ? metadata : () => metadata,
    spreadFirstBeat: options.spreadFirstBeat ?? false,
    onPending(pending) {
      searchPoll.hint(pending?.searches)
      uploadPoll.hint(pending?.uploads)
    },
  })
  const { admitted, noteError } = heartbeat
  const audit: AgentContext['audit'] = async (entry) => {
    await auditLog?.append({ at: new Date(now()).toISOString(), ...entry }).catch((error: unknown) => {
      emit('state:error', { part: 'audit', error: toOwnError(error, 'Writing to the audit log') })
    })
  }
  const context: AgentContext = { client, policy, intervalMs, emit, now, random, admitted, noteError, audit }
  const sender = createReportSender(context, outbox, () => searchPoll.noteDone())
  const searches = createSearchWork(context, {
    providers: options.providers,
    policy,
    deadlineMs: positive('searchDeadlineMs', options.searchDeadlineMs ?? 60_000),
    outbox,
    sender,
    concurrency: positive('searchConcurrency', options.searchConcurrency ?? 2),
  })
  const uploads = createUploadWork(context, {
    files: options.files,
    concurrency: positive('uploadConcurrency', options.uploadConcurrency ?? 2),
    onSettled: () => uploadPoll.noteDone(),
  })
  const waitSeconds = Math.min(positive('waitSeconds', options.waitSeconds ?? 50), 60)
  const searchPoll = createPollLoop(context, {
    kind: 'searches',
    list: client.listPendingSearches,
    work: searches,
    waitSeconds,
  })
  const uploadPoll = createPollLoop(context, {
    kind: 'uploads',
    list: client.listPendingUploads,
    work: uploads,
    waitSeconds,
  })
  return { heartbeat, sender, polls: [searchPoll, uploadPoll], works: [searches, uploads] }
}

function positive(name: string, value: number): number {
  if (Number.isFinite(value) && value > 0) return value
  throw new DeviceCloudError(
    'INVALID_OPTION',
    `Creating the device agent failed: ${name} must be a number above 0.`,
  )
}
