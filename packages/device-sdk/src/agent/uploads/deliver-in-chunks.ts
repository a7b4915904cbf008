import type { ChunkPlan, UploadResult } from '@homeward/contract/device-cloud'
import type { ChunkedUploads } from '../../client/chunked-uploads.ts'
import { DeviceCloudError } from '../../device-cloud-error.ts'
import type { OpenedFile } from '../../ports/index.ts'
import type { AgentContext } from '../agent-context.ts'
import { backoffMs, sleep } from '@homeward/kit'
import type { Pace } from '../pace/pace.ts'
import { chunkBytesFor, digestOf, planChunks, rangeOf, rangeReaderOf, type ReadRange } from './plan-chunks.ts'

/** How often one chunk is tried before the file is put off. */
const triesInPlace = 3
/** Chunks that the cloud's storage lost are sent again, but not for ever. */
const maxRounds = 2

/** What a delivery in chunks works with. */
export interface ChunkedDelivery {
  readonly requestId: string
  readonly file: OpenedFile
  /** What the cloud offered with its last list. */
  readonly offeredBytes: number | undefined
  /** Of the calls that begin and complete. */
  readonly pace: Pace
  readonly chunkPace: Pace
  readonly onProgress: (sentBytes: number, totalBytes: number) => void
}

/**
 * Sends a file in chunks where the cloud offers it (C25), going on where an earlier attempt ended: nothing of it has to be
 * remembered here, since the same file gives the same plan.
 *
 * @returns undefined where the file has to go as one form instead: not offered, not possible, or refused.
 * @throws {DeviceCloudError} when it may succeed later; the signal's reason on abort.
 */
export async function deliverInChunks(
  context: AgentContext,
  delivery: ChunkedDelivery,
  signal: AbortSignal,
): Promise<UploadResult | undefined> {
  const { file } = delivery
  const uploads = context.client.chunkedUploads
  const read = rangeReaderOf(file)
  const chunkBytes = chunkBytesFor(file.size, delivery.offeredBytes)
  if (!uploads || !read || chunkBytes === undefined) return undefined
  try {
    const plan = await planChunks(file, chunkBytes, read, signal)
    for (let round = 1; round <= maxRounds; round += 1) {
      const sending = { ...delivery, uploads, plan, read }
      await sendMissing(context, sending, signal)
      const result = await complete(uploads, delivery, signal)
      if (result) return result
    }
    return undefined
  } catch (error) {
    if (isRefusal(error)) return undefined
    throw error
  }
}

/** The cloud does not want it like this; the documented form it takes, or refuses with the right words. */
function isRefusal(error: unknown): boolean {
  return DeviceCloudError.is(error) && (error.code === 'REJECTED' || error.code === 'NOT_FOUND')
}

/** The outcome; undefined when the cloud misses chunks after all. */
async function complete(
  uploads: ChunkedUploads,
  { requestId, pace }: ChunkedDelivery,
  signal: AbortSignal,
): Promise<UploadResult | undefined> {
  await pace(signal)
  return uploads.complete(requestId, signal).catch((error: unknown) => {
    if (DeviceCloudError.is(error) && error.status === 409) return undefined
    throw error
  })
}

interface Sending extends ChunkedDelivery {
  readonly uploads: ChunkedUploads
  readonly plan: ChunkPlan
  readonly read: ReadRange
}

async function sendMissing(context: AgentContext, sending: Sending, signal: AbortSignal): Promise<void> {
  const { requestId, uploads, plan, pace, chunkPace, onProgress } = sending
  await pace(signal)
  const { received, settled } = await uploads.begin(requestId, plan, signal)
  if (settled) return
  const there = new Set(received)
  let sentBytes = 0
  for (const [index, digest] of plan.digests.entries()) {
    const [start, end] = rangeOf(plan, index)
    if (!there.has(index)) {
      const bytes = await sending.read(start, end)
      if ((await digestOf(bytes)) !== digest) throw changed(plan.fileName)
      const send = async () => {
        await chunkPace(signal)
        await uploads.send(requestId, { index, bytes, digest }, signal)
      }
      await sendPatiently(context, send, signal)
    }
    sentBytes += end - start
    onProgress(sentBytes, plan.size)
  }
}

/** Tries a chunk a few times before the whole file is put off, so that a flaky line does not add up long pauses. */
async function sendPatiently(
  { timers, random }: AgentContext,
  send: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 1; ; failures += 1) {
    try {
      signal.throwIfAborted()
      return await send()
    } catch (error) {
      const isLost = DeviceCloudError.is(error) && error.retryable && error.retryAfterMs === undefined
      if (!isLost || failures >= triesInPlace) throw error
      await sleep(backoffMs({ failures, random, baseMs: 1000 }), signal, timers)
    }
  }
}

function changed(fileName: string): DeviceCloudError {
  return new DeviceCloudError(
    'FILE_UNAVAILABLE',
    `Reading "${fileName}" failed: the file changed while it was read. Request the file again when no program writes to it.`,
  )
}
