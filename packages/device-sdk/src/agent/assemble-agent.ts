import type { SearchRequest, UploadRequest } from '@homeward/contract/device-cloud'
import { checkNumbers } from '../check-numbers.ts'
import { createDeviceClient, maxTimeoutMs } from '../client/create-device-client.ts'
import { DeviceCloudError } from '../device-cloud-error.ts'
import { createMemoryOutbox } from '../outbox/create-memory-outbox.ts'
import type { AgentContext } from './agent-context.ts'
import type { DeviceAgentOptions } from './agent-options.ts'
import { platformTimers } from '@homeward/kit'
import { createFirstEnrollment } from './first-enrollment.ts'
import { createHeartbeatLoop } from './heartbeat-loop.ts'
import type { SearchProviders, Timers } from '../ports/index.ts'
import { type Admission, createAdmission } from './admission.ts'
import { toOwnError } from './is-final.ts'
import { createCatalogLoop } from './catalog-loop.ts'
import { createDeviceFacts, type DeviceFacts } from './device-facts.ts'
import { createListTaker, type PendingWork } from './pending-work.ts'
import { createPollLoop } from './poll-loop.ts'
import { createReportSender } from './searches/report-sender.ts'
import { createSearchWork } from './searches/search-work.ts'
import { createUploadWork } from './uploads/upload-work.ts'
import { createWorkChannel, type WorkChannel } from './work-channel.ts'

const attempt = 'Creating the device agent'

/** Wires the parts of one agent together. @throws {DeviceCloudError} `INVALID_OPTION`. */
export function assembleAgent(
  options: DeviceAgentOptions,
  emit: AgentContext['emit'],
  onRefused: (error: DeviceCloudError) => void,
) {
  const { outbox = createMemoryOutbox(), auditLog, providers } = options
  checkProviders(providers)
  const { timers = platformTimers } = options
  const admission = createAdmission(timers, onRefused)
  const context = createContext(options, timers, admission, emit)
  const { client, guard, policy, random } = context
  const sender = createReportSender(context, outbox)
  const searches = createSearchWork(context, {
    providers,
    policy,
    timers,
    deadlineMs: positive('searchDeadlineMs', options.searchDeadlineMs ?? 60_000),
    outbox,
    sender,
    concurrency: positive('searchConcurrency', options.searchConcurrency ?? 2),
  })
  const uploads = createUploadWork(context, {
    files: options.files,
    concurrency: positive('uploadConcurrency', options.uploadConcurrency ?? 2),
  })
  const facts = createDeviceFacts(context, options.metadata ?? {}, providers)
  const isWanted = client.takeWork !== undefined && (options.work ?? 'held') === 'held'
  const channel = createWorkChannel(isWanted, context.now, () => admission.refused.set())
  const parts = { searches, uploads, facts, channel, times: pollTimes(options) }
  const [workLoop, ...polls] = createPolls(context, parts)
  const [searchPoll, uploadPoll] = polls
  const heartbeat = createHeartbeatLoop(context, {
    facts,
    channel,
    enrollment: createFirstEnrollment(context, options.enroll),
    admission,
    spreadFirstHeartbeat: options.spreadFirstHeartbeat ?? false,
    onPending(pending) {
      searchPoll.hint(pending?.searches)
      uploadPoll.hint(pending?.uploads)
    },
    onSilence() {
      searchPoll.noteSilence()
      uploadPoll.noteSilence()
    },
  })
  const load = () => guard('outbox', 'Reading the outbox', sender.load)
  const close = async () => {
    await guard('outbox', 'Closing the outbox', () => outbox.close?.())
    await guard('audit', 'Closing the audit log', () => auditLog?.close?.())
  }
  const catalog = options.catalog && createCatalogLoop(context, options.catalog)
  const loops = [workLoop, ...polls, sender, ...(catalog ? [catalog] : [])]
  return { random, timers, load, close, heartbeat, sender, loops, polls, works: [searches, uploads] }
}

/** What every part needs. */
function createContext(
  options: DeviceAgentOptions,
  timers: Timers,
  { admitted, noteError }: Admission,
  emit: AgentContext['emit'],
): AgentContext {
  const { now = Date.now, random = Math.random, policy = {}, auditLog } = options
  const guard = createGuard(emit)
  const { waitSeconds } = options
  const { maxUploadBytes, consentTimeoutMs } = policy
  checkNumbers(attempt, {
    waitSeconds,
    'policy.maxUploadBytes': maxUploadBytes,
    'policy.consentTimeoutMs': consentTimeoutMs,
  })
  return {
    client: options.client ?? createDeviceClient(options),
    policy,
    intervalMs: positive('intervalMs', options.intervalMs ?? 30_000),
    emit,
    now,
    random,
    timers,
    reconnect: { withinMs: undefined },
    admitted,
    noteError,
    guard,
    audit: (entry) =>
      guard('audit', 'Writing to the audit log', () =>
        auditLog?.append({ at: new Date(now()).toISOString(), ...entry }),
      ),
  }
}

interface PollParts {
  readonly searches: PendingWork<SearchRequest>
  readonly uploads: PendingWork<UploadRequest>
  readonly facts: DeviceFacts
  readonly channel: WorkChannel
  readonly times: ReturnType<typeof pollTimes>
}

/** The loop of the one request, and those of the two lists, which ask while the other does not. */
function createPolls(context: AgentContext, { searches, uploads, facts, channel, times }: PollParts) {
  const { client, emit } = context
  const takeSearches = createListTaker(context, 'searches', searches)
  const takeUploads = createListTaker(context, 'uploads', uploads)
  const isClosed = (signal: AbortSignal) => channel.until(false, signal)
  const known = () => [...searches.known().slice(0, maxKnown), ...uploads.known().slice(0, maxKnown)]
  const workLoop = createPollLoop(context, {
    ...times.work,
    attempt: 'Asking for work',
    works: [searches, uploads],
    saysKnown: true,
    spreadFirst: false,
    active: (signal) => channel.until(true, signal),
    async ask(pending, signal) {
      const list = await client.takeWork!(
        { ...pending, metadata: await facts(signal), working: known() },
        signal,
      )
      emit('heartbeat:end', { pending: undefined, nextInMs: Infinity })
      const found = takeSearches(list.searches, list, signal)
      const wanted = takeUploads(list.uploads, list, signal)
      return { ...found, listed: found.listed + wanted.listed, taken: found.taken + wanted.taken }
    },
    onError(error, retryInMs) {
      if (!channel.closeFor(error) && error.code !== 'UNAUTHORIZED')
        emit('heartbeat:error', { error, retryInMs })
    },
  })
  const searchPoll = createPollLoop(context, {
    ...times.polls,
    attempt: 'Listing pending searches',
    works: [searches],
    active: isClosed,
    async ask(pending, signal) {
      const list = await client.listPendingSearches(pending, signal)
      return takeSearches(list, list, signal)
    },
    onError: (error, retryInMs) => emit('poll:error', { kind: 'searches', error, retryInMs }),
  })
  const uploadPoll = createPollLoop(context, {
    ...times.polls,
    attempt: 'Listing pending uploads',
    works: [uploads],
    active: isClosed,
    async ask(pending, signal) {
      const list = await client.listPendingUploads(pending, signal)
      return takeUploads(list, list, signal)
    },
    onError: (error, retryInMs) => emit('poll:error', { kind: 'uploads', error, retryInMs }),
  })
  return [workLoop, searchPoll, uploadPoll] as const
}

/** Ids of a kind that a request for work names. */
const maxKnown = 1000
/** Below the 300 s after which `fetch` of Node gives up an answer that has not begun. */
const longestWorkSeconds = 290
const lowestPeriodMs = 305_000

/** The answer has to come before the client's own deadline. */
function pollTimes(options: DeviceAgentOptions) {
  const { waitSeconds: wanted, activity = 'normal', spreadFirstHeartbeat: spreadFirst = false } = options
  const givenMs = 'timeoutMs' in options ? options.timeoutMs : undefined
  const deadlineMs = (longestMs: number) => Math.min(givenMs ?? longestMs, longestMs)
  const waitsOf = (mostSeconds: number, longestMs: number, given: readonly number[]) => {
    const maxWaitSeconds = Math.max(0, Math.floor(Math.min(mostSeconds, deadlineMs(longestMs) / 1000 - 5)))
    const waits = given.map((seconds) => Math.max(0, Math.floor(Math.min(seconds, maxWaitSeconds))))
    return { maxWaitSeconds, waits: waits.filter((seconds) => seconds > 0) }
  }
  const lowest = activity === 'lowest'
  const workWaits = wanted === undefined ? [lowest ? longestWorkSeconds : 270, 50] : [wanted]
  return {
    polls: { ...waitsOf(60, maxTimeoutMs, [wanted ?? 50]), spreadFirst },
    work: {
      ...waitsOf(longestWorkSeconds, 1000 * (longestWorkSeconds + 5), workWaits),
      ...(lowest && { minPeriodMs: lowestPeriodMs }),
    },
  }
}

/** What is wrong with one would be heard of with the first search only, and at the dashboard. */
function checkProviders(providers: SearchProviders | null | undefined): void {
  if (!providers) throw invalidOption('"providers" must be an object')
  for (const [scope, provider = Object] of Object.entries(providers)) {
    if (typeof provider !== 'function') throw invalidOption(`"providers.${scope}" must be a function`)
  }
}

function positive(name: string, value: number): number {
  if (Number.isFinite(value) && value > 0) return value
  throw invalidOption(`"${name}" must be a number greater than 0`)
}

function invalidOption(problem: string): DeviceCloudError {
  return new DeviceCloudError('INVALID_OPTION', `${attempt} failed: ${problem}.`)
}

function createGuard(emit: AgentContext['emit']): AgentContext['guard'] {
  return async (part, attempt, job, queryId) => {
    try {
      await job()
      return true
    } catch (cause) {
      emit('state:error', {
        part,
        error: toOwnError(cause, attempt),
        ...(queryId === undefined ? {} : { queryId }),
      })
      return false
    }
  }
}
