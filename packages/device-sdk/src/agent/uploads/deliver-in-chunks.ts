import type { ChunkPlan, UploadResult } from '@homeward/contract/device-cloud'
import type { ChunkedUploads } from '../../client/chunked-uploads.ts'
import { DeviceCloudError } from '../../device-cloud-error.ts'
import type { OpenedFile } from '../../ports/index.ts'
import type { AgentContext } from '../agent-context.ts'
import { backoffMs, sleep } from '@homeward/kit'
import type { Pace } from '../pace/pace.ts'

/** How often one chunk is tried before the file is put off. */
const triesInPlace = 3
/** Chunks that the cloud's storage lost are sent again, but not for ever. */
const maxRounds = 2

/** What a delivery in chunks works with. */
interface ChunkedDelivery {
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

const maxChunks = 1000
const minChunkBytes = 65_536
const maxChunkBytes = 67_108_864

/** Reads bytes of a file from `start` up to `end`. */
type ReadRange = (start: number, end: number) => Promise<Uint8Array<ArrayBuffer>>

/** How a file can be read in pieces; undefined where it can only be read once, from its start. */
function rangeReaderOf({ content, read }: OpenedFile): ReadRange | undefined {
  if (read) return async (start, end) => new Uint8Array(await read(start, end))
  if (!(content instanceof Blob)) return undefined
  return async (start, end) => new Uint8Array(await content.slice(start, end).arrayBuffer())
}

/**
 * The size of chunks for a file: what the cloud offered, doubled until there are few enough of them. Undefined where the
 * file is better sent as one form.
 */
function chunkBytesFor(size: number, offered: number | undefined): number | undefined {
  if (offered === undefined || offered < minChunkBytes || offered > maxChunkBytes || size <= offered)
    return undefined
  let chunkBytes = offered
  while (size > chunkBytes * maxChunks) chunkBytes *= 2
  return chunkBytes <= maxChunkBytes ? chunkBytes : undefined
}

/** Start and end of a chunk. */
function rangeOf(plan: Pick<ChunkPlan, 'size' | 'chunkBytes'>, index: number): [number, number] {
  const start = index * plan.chunkBytes
  return [start, Math.min(plan.size, start + plan.chunkBytes)]
}

/** Reads a file once, chunk by chunk, for the digests of all of them. */
async function planChunks(
  file: Pick<OpenedFile, 'fileName' | 'size'>,
  chunkBytes: number,
  read: ReadRange,
  signal: AbortSignal,
): Promise<ChunkPlan> {
  const { fileName, size } = file
  const digests: string[] = []
  for (let index = 0; index * chunkBytes < size; index += 1) {
    signal.throwIfAborted()
    digests.push(await digestOf(await read(...rangeOf({ size, chunkBytes }, index))))
  }
  return { fileName, size, chunkBytes, digests }
}

/** SHA-256 in base64, as `Content-Digest` (RFC 9530) writes it. */
async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes)
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
}
