import type { ChunkedUpload, ChunkPlan, UploadResult } from '@homeward/contract/device-cloud'
import {
  checkContentLength,
  HttpError,
  payloadTooLarge,
  validationError,
  type RequestView,
} from '@homeward/contract/handler'
import type { UploadContext } from '../upload-context.ts'
import type { StoredDevice } from '../../ports/device-store.ts'
import { isDue } from '../lease-times.ts'
import { toPlainFileName } from '@homeward/kit'
import { countBytes, type UploadProgress } from '../upload-progress.ts'
import { createChunkLeases } from './chunk-leases.ts'
import type { ChunkSession, ChunkSessions } from './chunk-sessions.ts'
import { createCompletion } from './complete-upload.ts'
import { checkChunk, untilAborted } from './read-chunk.ts'

/** Well within the lease of a chunk. */
const renewEveryMs = 10_000

/** What devices do to send a file in chunks (C25). */
export function createChunkOperations(context: UploadContext) {
  const { now, maxUploadBytes, progress } = context
  const leases = createChunkLeases(context)
  const complete = createCompletion(context, leases)
  const newest = createNewestOnly()

  function offered(): ChunkSessions {
    if (context.chunkSessions) return context.chunkSessions
    throw new HttpError(404, { error: 'Not found' })
  }

  async function take(
    device: StoredDevice,
    id: string,
    { session, index, digest }: { session: ChunkSession; index: number; digest: string },
    request: RequestView,
    signal: AbortSignal,
  ): Promise<void> {
    let takenMs = now()
    const renew = () => {
      if (!isDue(takenMs, now(), renewEveryMs)) return undefined
      takenMs = now()
      return leases.take(device, id).then(() => {})
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
        throw validationError(`digests: must have ${needed} entries, one for each chunk of the file`)
      if ((await leases.take(device, id)) === 'over') return { id, received: [], settled: true }
      return tell(progress, id, await sessions.begin(device.id, id, plan))
    },

    /** Tells how far an upload is. */
    async readChunkedUpload(device: StoredDevice, id: string): Promise<ChunkedUpload> {
      const sessions = offered()
      if ((await leases.take(device, id)) === 'over') return { id, received: [], settled: true }
      return tell(progress, id, await findSession(sessions, device, id))
    },

    /** Takes one chunk. */
    async sendUploadChunk(device: StoredDevice, id: string, index: number, request: RequestView) {
      const sessions = offered()
      const digest = parseContentDigest(request.header('content-digest'))
      const work = leases.begin(device, id, 'chunk')
      try {
        if ((await leases.take(device, id)) === 'over') throw requestOver()
        const session = await findPlanned(sessions, device, id, { index, digest })
        checkContentLength(request, 'The chunk', session.sizeOf(index))
        await newest
          .run(`${session.key} ${index}`, (signal) =>
            take(device, id, { session, index, digest }, request, signal),
          )
          .catch(async (error: unknown) => {
            // A device that was cut off may be gone: its request is listed again at once. One that sends again is not.
            if (!(error instanceof ReplacedError)) await work.breakOff()
            throw error
          })
      } finally {
        work.end()
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

async function findSession(sessions: ChunkSessions, device: StoredDevice, id: string): Promise<ChunkSession> {
  const session = await sessions.find(device.id, id)
  if (session) return session
  throw new HttpError(404, { error: 'Chunked upload not found' })
}

/** The session whose plan has this chunk; a remembered plan refuses nothing, for another process may have begun a new one. */
async function findPlanned(
  sessions: ChunkSessions,
  device: StoredDevice,
  id: string,
  { index, digest }: { readonly index: number; readonly digest: string },
): Promise<ChunkSession> {
  const known = await sessions.recall(device.id, id)
  if (known?.plan.digests[index] === digest) return known
  const session = await findSession(sessions, device, id)
  const planned = session.plan.digests[index]
  if (planned === undefined) throw validationError('index: the plan does not have this chunk')
  if (planned !== digest) throw validationError('Content-Digest: differs from the plan')
  return session
}

function requestOver(): HttpError {
  return new HttpError(409, { error: 'Conflict', message: 'The upload request has already ended.' })
}

/**
 * The SHA-256 that a `Content-Digest` header names (RFC 9530), in base64. Other algorithms beside it are ignored.
 *
 * @throws {HttpError} 400 when it names none.
 */
function parseContentDigest(header: string | undefined): string {
  const found = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):\s*(?:$|[,;])/.exec(header ?? '')?.[1]
  if (found !== undefined) return found
  const problem = header === undefined ? 'is missing' : 'has no SHA-256'
  throw validationError(`Content-Digest: ${problem}. Send sha-256=:<base64>: of the chunk.`)
}

/** Work under names: of two under one name the newer counts. */
interface NewestOnly {
  /** Ends what runs under the name, then runs `work`. Its signal aborts with {@link ReplacedError} when a newer one comes. */
  run(name: string, work: (signal: AbortSignal) => Promise<void>): Promise<void>
}

/** For an attempt that makes room for a newer one. */
class ReplacedError extends HttpError {
  constructor() {
    super(409, { error: 'Conflict', message: 'A newer request sends the same chunk.' })
  }
}

/** For attempts that may hang in a connection that is dead while the next one is here already. */
function createNewestOnly(): NewestOnly {
  const running = new Map<string, { readonly stop: AbortController; readonly done: Promise<unknown> }>()
  return {
    async run(name, work) {
      const before = running.get(name)
      const stop = new AbortController()
      const begin = async () => {
        before?.stop.abort(new ReplacedError())
        await before?.done
        stop.signal.throwIfAborted()
        await work(stop.signal)
      }
      const done = begin()
      const entry = { stop, done: done.catch(() => {}) }
      running.set(name, entry)
      try {
        await done
      } finally {
        if (running.get(name) === entry) running.delete(name)
      }
    },
  }
}
