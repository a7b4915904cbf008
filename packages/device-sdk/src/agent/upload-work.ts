import type { UploadRequest } from '@homeward/contract/device-cloud'
import type { UploadFile } from '../client/create-device-client.ts'
import { DeviceCloudError } from '../device-cloud-error.ts'
import type { FileSource, OpenedFile } from '../ports/index.ts'
import type { AgentContext } from './agent-context.ts'
import { isFinal, toOwnError } from './is-final.ts'
import { createLimiter } from './limiter.ts'
import { openRequested } from './open-requested.ts'
import { createPace, type Pace } from './pace.ts'
import type { PendingWork } from './poll-loop.ts'
import { createRecentIds } from './recent-ids.ts'
import { createRetrySchedule } from './retry-schedule.ts'

/** What uploads need from their agent. */
export interface UploadSetup {
  readonly files: FileSource | undefined
  readonly concurrency: number
  /** Hears that an upload is done with. */
  readonly onSettled: () => void
}

const progressEveryMs = 100

/** Uploads listed files, a few at a time. A file that fails is tried again after its own back-off. */
export function createUploadWork(context: AgentContext, setup: UploadSetup): PendingWork<UploadRequest> {
  const { emit, now } = context
  const limiter = createLimiter(setup.concurrency)
  const running = new Set<string>()
  const settled = createRecentIds(1000)
  const retries = createRetrySchedule(now, context.random)
  let heldUntilMs = 0
  const pace = createPace(200, now) // 5 uploads a second (C12)

  async function run(request: UploadRequest, signal: AbortSignal): Promise<void> {
    const { id: requestId } = request
    // Left at the cloud for a later poll.
    if (signal.aborted || now() < heldUntilMs) return
    try {
      await deliver(context, setup.files, pace, request, signal)
      settled.add(requestId)
      retries.forget(requestId)
    } catch (cause) {
      if (signal.aborted) return
      const error = toOwnError(cause, 'Uploading a file')
      context.noteError(error)
      if (isFinal(error)) {
        settled.add(requestId)
        emit('upload:error', { requestId, error })
      } else {
        const retryInMs = retries.fail(requestId, error.retryAfterMs)
        // The cloud has too much to do: that is about every file. Anything else may be about this one.
        if (error.code === 'RATE_LIMITED' || error.retryAfterMs !== undefined) heldUntilMs = now() + retryInMs
        emit('upload:error', { requestId, error, retryInMs })
      }
    }
  }

  return {
    take(requests, signal) {
      let taken = 0
      if (now() < heldUntilMs) return taken
      for (const request of requests) {
        const { id } = request
        if (running.has(id) || settled.has(id) || retries.waitMs(id) > 0) continue
        running.add(id)
        taken += 1
        void limiter
          .run(() => run(request, signal))
          .finally(() => {
            running.delete(id)
            if (settled.has(id)) setup.onSettled()
          })
      }
      return taken
    },
    isBusy: limiter.isBusy,
    whenIdle: limiter.whenIdle,
  }
}

/** Sends the file, or the reason why there is none (C6). */
async function deliver(
  context: AgentContext,
  files: FileSource | undefined,
  pace: Pace,
  request: UploadRequest,
  signal: AbortSignal,
): Promise<void> {
  const { client, emit, policy } = context
  const { id: requestId, filePath } = request
  await context.admitted(signal)
  signal.throwIfAborted()
  emit('upload:start', { requestId, filePath })
  const opened = await openRequested(request, files, policy, signal)
  await auditUpload(context, request, opened)
  const paced = async <T>(call: () => Promise<T>) => {
    await pace(signal)
    signal.throwIfAborted()
    return call()
  }
  if (typeof opened === 'string') {
    await paced(() => client.uploadFile({ requestId, error: opened }, signal))
    return emit('upload:end', { requestId, filePath, error: opened })
  }
  try {
    const file: UploadFile = opened
    const onProgress = createProgress(context, requestId)
    const result = await paced(() => client.uploadFile({ requestId, file, onProgress }, signal))
    emit('upload:progress', { requestId, sentBytes: file.size, totalBytes: file.size })
    emit('upload:end', {
      requestId,
      filePath,
      ...(result.success ? { fileUrl: result.fileUrl } : { error: result.error }),
    })
  } catch (error) {
    if (!DeviceCloudError.is(error) || error.code !== 'PAYLOAD_TOO_LARGE') throw error
    // Said once more in words: else the request would stay pending and be asked for until it expires.
    const reason = 'the file is larger than the cloud takes'
    await paced(() => client.uploadFile({ requestId, error: reason }, signal))
    emit('upload:end', { requestId, filePath, error: reason })
  } finally {
    await opened.close().catch(() => {})
  }
}

async function auditUpload(
  context: AgentContext,
  request: UploadRequest,
  opened: OpenedFile | string,
): Promise<void> {
  const { id, filePath: subject } = request
  const denied = typeof opened === 'string' ? opened : undefined
  await context.audit({
    action: 'upload',
    outcome: denied === undefined ? 'allowed' : 'denied',
    id,
    subject,
    ...(denied === undefined ? {} : { reason: denied }),
  })
}

/** At most ten progress events a second: a fast disk gives thousands of chunks. */
function createProgress({ emit, now }: AgentContext, requestId: string) {
  let lastMs = -Infinity
  return (sentBytes: number, totalBytes: number) => {
    if (now() - lastMs < progressEveryMs || sentBytes === totalBytes) return
    lastMs = now()
    emit('upload:progress', { requestId, sentBytes, totalBytes })
  }
}
