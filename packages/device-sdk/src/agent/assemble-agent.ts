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
import { createPollLoop, type PollOptions } from './poll-loop.ts'
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
  const polling = pollTimes(options)
  const searchPoll = createPollLoop(context, {
    ...polling,
    kind: 'searches',
    list: (pending, signal) => client.listPendingSearches(pending, signal),
    work: searches,
  })
  const uploadPoll = createPollLoop(context, {
    ...polling,
    kind: 'uploads',
    list: (pending, signal) => client.listPendingUploads(pending, signal),
    work: uploads,
  })
  const heartbeat = createHeartbeatLoop(context, {
    providers,
    enrollment: createFirstEnrollment(context, options.enroll),
    admission,
    metadata: typeof metadata === 'function' ? metadata : () => metadata,
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
  const polls = [searchPoll, uploadPoll]
  return { random, timers, load, close, heartbeat, sender, polls, works: [searches, uploads] }
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
  checkNumbers(attempt, { waitSeconds, 'policy.maxUploadBytes': policy.maxUploadBytes })
  return {
    client: options.client ?? createDeviceClient(options),
    policy,
    intervalMs: positive('intervalMs', options.intervalMs ?? 30_000),
    emit,
    now,
    random,
    timers,
    admitted,
    noteError,
    guard,
    audit: (entry) =>
      guard('audit', 'Writing to the audit log', () =>
        auditLog?.append({ at: new Date(now()).toISOString(), ...entry }),
      ),
  }
}

/** The answer has to come before the client's own deadline. */
function pollTimes(
  options: DeviceAgentOptions,
): Pick<PollOptions<never>, 'waitSeconds' | 'maxWaitSeconds' | 'spreadFirst'> {
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
