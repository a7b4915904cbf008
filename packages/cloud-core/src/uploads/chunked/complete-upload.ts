import { toBase64Url } from '@homeward/kit'
import type { UploadResult } from '@homeward/contract/device-cloud'
import { HttpError } from '@homeward/contract/handler'
import type { UploadContext } from '../upload-context.ts'
import type { StoredDevice } from '../../ports/device-store.ts'
import { noteRefusal, settleAttempt, toRefused, toUploadResult } from '../settle-attempt.ts'
import {
  AlreadyOver,
  createAttempt,
  guardUpload,
  leaseUpload,
  type UploadAttempt,
} from '../upload-attempt.ts'
import type { ChunkLeases } from './chunk-leases.ts'
import type { ChunkSession, ChunkSessions } from './chunk-sessions.ts'
import { checkChunk } from './read-chunk.ts'

type Complete = (
  sessions: ChunkSessions,
  device: StoredDevice,
  id: string,
  origin: string,
) => Promise<UploadResult>

/** Builds what puts the chunks of a request together. A repeat while it works waits for the same end. */
export function createCompletion(context: UploadContext, leases: ChunkLeases): Complete {
  const { blobs, onError } = context
  const running = new Map<string, Promise<UploadResult>>()

  async function store(attempt: UploadAttempt, session: ChunkSession): Promise<void> {
    const there = new Set(await session.received())
    const missing = [...session.plan.digests.keys()].filter((index) => !there.has(index))
    if (missing.length > 0) throw chunksMissing(missing)
    const { fileName } = session.plan
    const content = guardUpload(context, attempt, joinChunks(session))
    const { size, links } = await blobs.put({ id: attempt.blobId, fileName, content })
    attempt.file = { blobId: attempt.blobId, fileName, size, links }
  }

  const run: Complete = async (sessions, device, id, origin) => {
    context.leftovers.noteUpload()
    const attempt = createAttempt(device, origin, toBase64Url(context.randomBytes(32)))
    // The lease is renewed while the chunks are put together, as that of a form is.
    attempt.fields.set('requestId', id)
    const work = leases.begin(device, id, 'whole')
    try {
      await leaseUpload(context, attempt, id)
      const session = await sessions.find(device.id, id)
      if (!session) throw new HttpError(404, { error: 'Chunked upload not found' })
      await store(attempt, session).catch((error: unknown) => noteRefusal(attempt, error))
      const { refusal, file } = attempt
      const outcome = refusal ? toRefused(context, refusal) : ({ status: 'completed', file: file! } as const)
      const reply = await settleAttempt(context, attempt, id, outcome)
      await sessions.drop(device.id, id).catch(onError)
      return reply
    } catch (error) {
      if (error instanceof AlreadyOver) {
        await sessions.drop(device.id, id).catch(onError)
        return toUploadResult(context, error.outcome, origin)
      }
      await work.breakOff(attempt)
      throw error
    } finally {
      work.end()
      if (attempt.file) await blobs.delete(attempt.blobId).catch(onError)
    }
  }

  return (sessions, device, id, origin) => {
    const key = JSON.stringify([device.id, id])
    const underWay = running.get(key)
    if (underWay) return underWay
    const work = run(sessions, device, id, origin).finally(() => running.delete(key))
    running.set(key, work)
    return work
  }
}

/**
 * The bytes of all chunks, one after the other. Each is checked once more: one that the storage damaged is removed, so
 * that the device sends it again.
 *
 * @throws {HttpError} 409 that names the chunk that is missing or damaged.
 */
async function* joinChunks(session: ChunkSession): AsyncGenerator<Uint8Array, void> {
  for (const [index, digest] of session.plan.digests.entries()) {
    const content = await session.open(index)
    if (content === undefined) throw chunksMissing([index])
    try {
      yield* checkChunk(content, { size: session.sizeOf(index), digest })
    } catch (error) {
      if (!(error instanceof HttpError)) throw error
      await session.remove(index)
      throw chunksMissing([index])
    }
  }
}

/** 409 for chunks that are not there. */
function chunksMissing(indices: readonly number[]): HttpError {
  const shown = indices.slice(0, 20).join(', ')
  const more = indices.length > 20 ? ` and ${indices.length - 20} more` : ''
  return new HttpError(409, {
    error: 'Conflict',
    message: `Chunks are missing: ${shown}${more}. Send them first.`,
  })
}
