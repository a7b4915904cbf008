import type { ChunkedUpload, ChunkPlan, UploadResult } from '@homeward/contract/device-cloud'
import {
  checkContentLength,
  HttpError,
  payloadTooLarge,
  validationError,
  type RequestView,
} from '@homeward/contract/handler'
import type { CloudContext } from '../../cloud-context.ts'
import { hashText } from '../../devices/api-key.ts'
import type { StoredDevice } from '../../ports/device-store.ts'
import { toPlainFileName } from '../plain-file-name.ts'
import { AlreadyOver, createAttempt, leaseUpload, releaseUpload } from '../upload-attempt.ts'
import { countBytes, type UploadProgress } from '../upload-progress.ts'
import type { ChunkSession, ChunkSessions } from './chunk-sessions.ts'
import { createCompletion } from './complete-upload.ts'
import { parseContentDigest } from './content-digest.ts'
import { createNewestOnly, ReplacedError } from './newest-only.ts'
import { checkChunk, untilAborted } from './read-chunk.ts'

/** Short: between two chunks nothing is open that would show the end of a device that was killed. */
const leaseMs = 30_000
const renewEveryMs = 10_000
/** Requests that one device may have under way. */
const maxOpenUploads = 16

/** What devices do to send a file in chunks (C25). */
export function createChunkOperations(context: CloudContext) {
  const { now, maxUploadBytes, onError, progress } = context
  const complete = createCompletion(context)
  const newest = createNewestOnly()

  function offered(): ChunkSessions {
    if (context.chunkSessions) return context.chunkSessions
    throw new HttpError(404, { error: 'Not found' })
  }

  /** Takes or renews the lease; tells whether the request is over instead. */
  async function lease(device: StoredDevice, id: string): Promise<'open' | 'over'> {
    const attempt = createAttempt(device, '', attemptName(id))
    try {
      await leaseUpload(context, attempt, id, { forMs: leaseMs, maxLeases: maxOpenUploads })
      return 'open'
    } catch (error) {
      if (!(error instanceof AlreadyOver)) throw error
      await offered().drop(device.id, id).catch(onError)
      return 'over'
    }
  }

  async function take(
    device: StoredDevice,
    id: string,
    { session, index, digest }: { session: ChunkSession; index: number; digest: string },
    request: RequestView,
    signal: AbortSignal,
  ): Promise<void> {
    let renewAtMs = now() + renewEveryMs
    const renew = () => {
      if (now() < renewAtMs) return undefined
      renewAtMs = now() + renewEveryMs
      return lease(device, id).then(() => {})
    }
    const content = untilAborted(request.body(), signal)
    await keepChunk(progress, id, { session, index, digest, content, renew, signal })
  }

  return {
    /** Begins, or goes on where the same plan was begun before. */
    async beginChunkedUpload(device: StoredDevice, id: string, given: ChunkPlan): Promise<ChunkedUpload> {
      const sessions = offered()
      if (given.size > maxUploadBytes) throw payloadTooLarge('The file', maxUploadBytes)
      const plan = { ...given, fileName: toPlainFileName(given.fileName) }
      const needed = Math.ceil(plan.size / plan.chunkBytes)
      if (plan.digests.length !== needed)
        throw validationError(`digests: must hold ${needed}, one for each chunk of the file`)
      if ((await lease(device, id)) === 'over') return { id, received: [], settled: true }
      return tell(progress, id, await sessions.begin(device.id, id, plan))
    },

    /** Tells how far an upload is. */
    async readChunkedUpload(device: StoredDevice, id: string): Promise<ChunkedUpload> {
      const sessions = offered()
      if ((await lease(device, id)) === 'over') return { id, received: [], settled: true }
      return tell(progress, id, await findSession(sessions, device, id))
    },

    /** Takes one chunk. */
    async sendUploadChunk(device: StoredDevice, id: string, index: number, request: RequestView) {
      const sessions = offered()
      const digest = parseContentDigest(request.header('content-digest'))
      if ((await lease(device, id)) === 'over') throw requestOver()
      const session = await findSession(sessions, device, id)
      const planned = session.plan.digests[index]
      if (planned === undefined) throw validationError('index: the plan has no such chunk')
      if (planned !== digest) throw validationError('Content-Digest: is not the one that was planned')
      checkContentLength(request, 'The chunk', session.sizeOf(index))
      try {
        await newest.run(`${session.key} ${index}`, (signal) =>
          take(device, id, { session, index, digest }, request, signal),
        )
      } catch (error) {
        // A device that was cut off may be gone: its request is listed again at once. One that sends again is not.
        if (!(error instanceof ReplacedError)) await release(context, device, id)
        throw error
      }
      return { success: true as const, index }
    },

    /** Puts the file together and settles the request. */
    async completeChunkedUpload(device: StoredDevice, id: string, origin: string): Promise<UploadResult> {
      try {
        return await complete(offered(), device, id, origin)
      } finally {
        progress.end(id)
      }
    },
  }
}

/** How far an upload is, for the device, and for those who look on. */
async function tell(progress: UploadProgress, id: string, session: ChunkSession): Promise<ChunkedUpload> {
  const received = await session.received()
  const receivedBytes = received.reduce((sum, index) => sum + session.sizeOf(index), 0)
  progress.begin(id, { receivedBytes, totalBytes: session.plan.size })
  return { id, received, settled: false }
}

interface NewChunk {
  readonly session: ChunkSession
  readonly index: number
  readonly digest: string
  readonly content: AsyncIterable<Uint8Array>
  readonly renew: () => Promise<void> | undefined
  readonly signal: AbortSignal
}

/** Keeps a chunk that is whole; what came of another one is not counted. */
async function keepChunk(
  progress: UploadProgress,
  id: string,
  { session, index, digest, content, renew, signal }: NewChunk,
): Promise<void> {
  let came = 0
  const counted = countBytes(content, (bytes) => {
    came += bytes
    progress.add(id, bytes)
  })
  try {
    await session.put(index, checkChunk(counted, { size: session.sizeOf(index), digest }, renew), signal)
  } catch (error) {
    progress.add(id, -came)
    throw error
  }
}

/** Stands for the blob that an attempt writes: there is none before the chunks are put together. */
const attemptName = (id: string) => `chunks_${hashText(id)}`

async function findSession(sessions: ChunkSessions, device: StoredDevice, id: string): Promise<ChunkSession> {
  const session = await sessions.find(device.id, id)
  if (session) return session
  throw new HttpError(404, { error: 'Chunked upload not found' })
}

async function release(context: CloudContext, device: StoredDevice, id: string): Promise<void> {
  const attempt = createAttempt(device, '', attemptName(id))
  attempt.leased = id
  await releaseUpload(context, attempt).catch(context.onError)
}

function requestOver(): HttpError {
  return new HttpError(409, { error: 'Conflict', message: 'The upload request is over already.' })
}
