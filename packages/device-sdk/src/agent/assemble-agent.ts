import { createDeviceClient } from '../client/create-device-client.ts'
import { DeviceCloudError } from '../device-cloud-error.ts'
import { createMemoryOutbox } from '../outbox/create-memory-outbox.ts'
import type { AgentContext } from './agent-context.ts'
import type { DeviceAgentOptions } from './agent-options.ts'
import { createHeartbeatLoop } from './heartbeat-loop.ts'
import { toOwnError } from './is-final.ts'
import { createPollLoop } from './poll-loop.ts'
import { createReportSender } from './report-sender.ts'
import { createSearchWork } from './search-work.ts'
import { createUploadWork } from './upload-work.ts'

/** Wires the parts of one agent together. @throws {DeviceCloudError} `INVALID_OPTION`. */
export function assembleAgent(
  options: DeviceAgentOptions,
  emit: AgentContext['emit'],
  onRefused: (error: DeviceCloudError) => void,
) {
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
    onRefused,
    onPending(pending) {
      searchPoll.hint(pending?.searches)
      uploadPoll.hint(pending?.uploads)
    },
  })
  const { admitted, noteError } = heartbeat
  const guard = createGuard(emit)
  const audit: AgentContext['audit'] = (entry) =>
    guard('audit', 'Writing to the audit log', () =>
      auditLog?.append({ at: new Date(now()).toISOString(), ...entry }),
    )
  const context: AgentContext = {
    client,
    policy,
    intervalMs,
    emit,
    now,
    random,
    admitted,
    noteError,
    guard,
    audit,
  }
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
  // The answer has to come before the client's own deadline.
  const deadlineSeconds = ('timeoutMs' in options ? (options.timeoutMs ?? 90_000) : 90_000) / 1000
  const waitSeconds = Math.max(0, Math.floor(Math.min(options.waitSeconds ?? 50, 60, deadlineSeconds - 5)))
  const searchPoll = createPollLoop(context, {
    kind: 'searches',
    list: (pending, signal) => client.listPendingSearches(pending, signal),
    work: searches,
    waitSeconds,
  })
  const uploadPoll = createPollLoop(context, {
    kind: 'uploads',
    list: (pending, signal) => client.listPendingUploads(pending, signal),
    work: uploads,
    waitSeconds,
  })
  const load = () => guard('outbox', 'Reading the outbox', sender.load)
  return { random, load, heartbeat, sender, polls: [searchPoll, uploadPoll], works: [searches, uploads] }
}

function positive(name: string, value: number): number {
  if (Number.isFinite(value) && value > 0) return value
  throw new DeviceCloudError(
    'INVALID_OPTION',
    `Creating the device agent failed: ${name} must be a number above 0.`,
  )
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
