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
import type { SearchProviders } from '../ports/index.ts'
import { toOwnError } from './is-final.ts'
import { createPollLoop, type PendingWork, type PollSetup } from './poll-loop.ts'
import { createReportSender } from './searches/report-sender.ts'
import { createSearchWork } from './searches/search-work.ts'
import { createUploadWork } from './uploads/upload-work.ts'

const attempt = 'Creating the device agent'

/** Wires the parts of one agent together. @throws {DeviceCloudError} `INVALID_OPTION`. */
export function assembleAgent(
  options: DeviceAgentOptions,
  emit: AgentContext['emit'],
  onRefused: (error: DeviceCloudError) => void,
) {
  const { metadata = {}, outbox = createMemoryOutbox(), auditLog, providers } = options
  checkProviders(providers)
  const base = createBase(options, emit)
  const heartbeat = createHeartbeatLoop({
    ...base,
    providers,
    enrollment: createFirstEnrollment(base, options.enroll),
    metadata: typeof metadata === 'function' ? metadata : () => metadata,
    spreadFirstHeartbeat: options.spreadFirstHeartbeat ?? false,
    onRefused,
    onPending(pending) {
      searchPoll.hint(pending?.searches)
      uploadPoll.hint(pending?.uploads)
    },
    onSilence() {
      searchPoll.noteSilence()
      uploadPoll.noteSilence()
    },
  })
  const { admitted, noteError } = heartbeat
  const context: AgentContext = { ...base, admitted, noteError }
  const sender = createReportSender(context, outbox, () => searchPoll.noteDone())
  const searches = createSearchWork(context, {
    providers,
    policy: base.policy,
    timers: base.timers,
    deadlineMs: positive('searchDeadlineMs', options.searchDeadlineMs ?? 60_000),
    outbox,
    sender,
    concurrency: positive('searchConcurrency', options.searchConcurrency ?? 2),
  })
  const offered: ChunkOffer = { chunkBytes: undefined }
  const uploads = createUploadWork(context, {
    files: options.files,
    concurrency: positive('uploadConcurrency', options.uploadConcurrency ?? 2),
    offeredBytes: () => offered.chunkBytes,
    onSettled: () => uploadPoll.noteDone(),
  })
  const { searchPoll, uploadPoll } = createPolls(context, searches, uploads, offered, pollSettings(options))
  const { guard } = base
  const load = () => guard('outbox', 'Reading the outbox', sender.load)
  const close = async () => {
    await guard('outbox', 'Closing the outbox', () => outbox.close?.())
    await guard('audit', 'Closing the audit log', () => auditLog?.close?.())
  }
  const polls = [searchPoll, uploadPoll]
  return {
    random: base.random,
    timers: base.timers,
    load,
    close,
    heartbeat,
    sender,
    polls,
    works: [searches, uploads],
  }
}

/** What every part needs and none of them gives. */
function createBase(
  options: DeviceAgentOptions,
  emit: AgentContext['emit'],
): Omit<AgentContext, 'admitted' | 'noteError'> {
  const { now = Date.now, random = Math.random, timers = platformTimers, policy = {}, auditLog } = options
  const guard = createGuard(emit)
  const { waitSeconds } = options
  checkNumbers(attempt, { waitSeconds, 'policy.maxUploadBytes': policy.maxUploadBytes })
  return {
    client: options.client ?? createDeviceClient(options),
    policy,
    intervalMs: positive('intervalMs', options.intervalMs ?? 30_000),
    emit,
    now,
    random,
    timers,
    guard,
    audit: (entry) =>
      guard('audit', 'Writing to the audit log', () =>
        auditLog?.append({ at: new Date(now()).toISOString(), ...entry }),
      ),
  }
}

/** What the cloud said with its last list about uploads in chunks (C25). */
interface ChunkOffer {
  chunkBytes: number | undefined
}

function createPolls(
  context: AgentContext,
  searches: PendingWork<SearchRequest>,
  uploads: PendingWork<UploadRequest>,
  offered: ChunkOffer,
  settings: PollSettings,
) {
  const { client } = context
  return {
    searchPoll: createPollLoop(context, {
      kind: 'searches',
      list: (pending, signal) => client.listPendingSearches(pending, signal),
      work: searches,
      ...settings,
    }),
    uploadPoll: createPollLoop(context, {
      kind: 'uploads',
      async list(pending, signal) {
        const answer = await client.listPendingUploads(pending, signal)
        offered.chunkBytes = answer.uploadChunkBytes
        return answer
      },
      work: uploads,
      ...settings,
    }),
  }
}

type PollSettings = Pick<PollSetup<never>, 'waitSeconds' | 'maxWaitSeconds' | 'spreadFirst'>

/** The answer has to come before the client's own deadline. */
function pollSettings(options: DeviceAgentOptions): PollSettings {
  const { waitSeconds: wanted = 50, spreadFirstHeartbeat: spreadFirst = false } = options
  const timeoutMs = ('timeoutMs' in options ? options.timeoutMs : undefined) ?? maxTimeoutMs
  const deadlineSeconds = Math.min(timeoutMs, maxTimeoutMs) / 1000
  const maxWaitSeconds = Math.max(0, Math.floor(Math.min(60, deadlineSeconds - 5)))
  const waitSeconds = Math.max(0, Math.floor(Math.min(wanted, maxWaitSeconds)))
  return { waitSeconds, maxWaitSeconds, spreadFirst }
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
