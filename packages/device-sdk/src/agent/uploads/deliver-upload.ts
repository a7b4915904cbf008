import type { UploadRequest } from '@homeward/contract/device-cloud'
import type { UploadDelivery } from '../../client/create-device-client.ts'
import { DeviceCloudError } from '../../device-cloud-error.ts'
import type { FileSource, OpenedFile } from '../../ports/index.ts'
import type { AgentContext } from '../agent-context.ts'
import { deliverInChunks } from './deliver-in-chunks.ts'
import type { Pace } from '../pace/pace.ts'
import type { RecentIds } from '../recent-ids.ts'
import { type DevicePolicy, findPathProblem } from '../../policy/device-policy.ts'
import { untilAborted } from '@homeward/kit'

const progressEveryMs = 100

/** What deliveries have in common. */
interface DeliveryOptions {
  readonly files: FileSource | undefined
  readonly pace: Pace
  /** Of chunks. */
  readonly chunkPace: Pace
  /** How large the cloud wants chunks to be; undefined where it does not offer them. */
  readonly offeredBytes: number | undefined
  /**
   * Where requests are noted whose file was opened and could not be read to its end: one for each time that such a file is
   * put off. Apart from other failures, since what the line does says nothing about a file.
   */
  readonly unread: readonly RecentIds[]
  /** Why the owner of the device does not let it go. */
  readonly refusal: string | undefined
}

/**
 * Sends a requested file, or the reason why there is none (C6).
 *
 * @throws {DeviceCloudError} when the cloud took neither; the signal's reason on abort.
 */
export async function deliverUpload(
  context: AgentContext,
  { files, pace, chunkPace, offeredBytes, unread, refusal }: DeliveryOptions,
  request: UploadRequest,
  signal: AbortSignal,
): Promise<void> {
  const { client, emit, policy } = context
  const { id: requestId, filePath } = request
  await context.admitted(signal)
  signal.throwIfAborted()
  emit('upload:start', { requestId, filePath })
  const opened = refusal ?? (await openRequested(request, files, policy, signal))
  await auditUpload(context, request, opened)
  const send = async (delivery: UploadDelivery) => {
    await pace(signal)
    signal.throwIfAborted()
    return client.uploadFile(delivery, signal)
  }
  const refuse = async (error: string) => {
    await send({ requestId, error })
    emit('upload:end', { requestId, filePath, error })
  }
  if (typeof opened === 'string') return refuse(opened)
  try {
    const onProgress = createProgress(context, requestId)
    const chunked = { requestId, file: opened, offeredBytes, pace, chunkPace, onProgress }
    const result =
      (await deliverInChunks(context, chunked, signal)) ??
      (await send({ requestId, file: opened, onProgress }))
    emit('upload:progress', { requestId, sentBytes: opened.size, totalBytes: opened.size })
    const outcome = result.success ? { fileUrl: result.fileUrl } : { error: result.error }
    emit('upload:end', { requestId, filePath, ...outcome })
  } catch (error) {
    const reason = DeviceCloudError.is(error) ? whyNever(error, requestId, unread) : undefined
    if (reason === undefined) throw error
    // Said once more in words: else the request would stay pending and be asked for until it expires.
    await refuse(reason)
  } finally {
    await opened.close().catch(() => {})
  }
}

/** Why a file that was opened is not sent after all; undefined where it is tried again. */
function whyNever(
  error: DeviceCloudError,
  requestId: string,
  unread: readonly RecentIds[],
): string | undefined {
  if (error.code === 'PAYLOAD_TOO_LARGE') return 'the file is larger than the cloud accepts'
  if (error.code !== 'FILE_UNAVAILABLE') return undefined
  // Something may be writing to it: that may be over the next time, but not for ever.
  const free = unread.find((ids) => !ids.has(requestId))
  free?.add(requestId)
  return free ? undefined : error.message.slice(0, 1000)
}

async function auditUpload(
  context: AgentContext,
  request: UploadRequest,
  opened: OpenedFile | string,
): Promise<void> {
  const { id, filePath: subject, actor } = request
  const denied = typeof opened === 'string' ? opened : undefined
  await context.audit({
    action: 'upload',
    outcome: denied === undefined ? 'allowed' : 'denied',
    id,
    subject,
    actor,
    bytes: typeof opened === 'string' ? 0 : opened.size,
    reason: denied,
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

const defaultMaxBytes = 100 * 1024 * 1024

/**
 * Opens a requested file, or gives the reason why the cloud does not get it: the policy comes first.
 * Rejects only when `signal` aborts, with its reason.
 */
async function openRequested(
  request: UploadRequest,
  files: FileSource | undefined,
  policy: DevicePolicy,
  signal: AbortSignal,
): Promise<OpenedFile | string> {
  const problem = findPathProblem(request.filePath)
  if (problem) return `policy_denied: ${problem}`
  if (!files) return 'policy_denied: this device does not send files'
  const maxBytes = policy.maxUploadBytes ?? defaultMaxBytes
  try {
    const opening = files.open(request.filePath, { maxBytes, signal })
    const file = await untilAborted(opening, signal).catch((error: unknown) => {
      // A source that does not heed the signal may still open the file later.
      if (signal.aborted) void opening.then((late) => late.close()).catch(() => {})
      throw error
    })
    if (file.size <= maxBytes) return file
    await file.close().catch(() => {})
    return `policy_denied: the file is larger than ${maxBytes} bytes`
  } catch (error) {
    signal.throwIfAborted()
    if (!DeviceCloudError.is(error)) return 'the file could not be opened'
    const isUnmarked = error.code === 'POLICY_DENIED' && !error.message.startsWith('policy_denied')
    return `${isUnmarked ? 'policy_denied: ' : ''}${error.message}`.slice(0, 1000)
  }
}
