import { checkOptions } from '../../context/check-options.ts'
import { limitNumber } from '@homeward/kit'
import type { BlobRange, BlobStore, NewBlob, StoredBlob } from '../../ports/blob-store.ts'
import { CloudStoreError } from '../../ports/cloud-store-error.ts'
import { assertBlobId, blobIdTaken } from '../blob-id.ts'
import { createBlobLifetime } from '../blob-lifetime.ts'
import { gatherParts } from '../remote/gather-parts.ts'

const pieceBytes = 64 * 1024

/** Options of {@link createMemoryBlobs}. */
export interface MemoryBlobsOptions {
  /** Maximum size of all files together, in bytes. @default 268435456 (256 MiB) */
  readonly maxBytes?: number
}

/**
 * Creates a file store in the memory of this process, for tests and trials. Uses no Node API.
 *
 * @throws {TypeError} if `maxBytes` is not a number.
 * @example
 * const blobs = createMemoryBlobs({ maxBytes: 64 * 1024 * 1024 })
 */
export function createMemoryBlobs(options: MemoryBlobsOptions = {}): BlobStore {
  checkOptions<MemoryBlobsOptions>('Creating the memory files', options, { maxBytes: limitNumber })
  const { maxBytes = 256 * 1024 * 1024 } = options
  const files = new Map<string, readonly Uint8Array[]>()
  const lifetime = createBlobLifetime('the memory files')
  let usedBytes = 0

  const receive = async ({ id, content }: NewBlob, ends: AbortSignal): Promise<StoredBlob> => {
    if (files.has(id)) throw blobIdTaken()
    const chunks: Uint8Array[] = []
    let size = 0
    try {
      // in pieces of one size: very small chunks would each take many times the bytes that they hold
      for await (const { bytes, isLast } of gatherParts(content, pieceBytes, ends)) {
        if (usedBytes + bytes.length > maxBytes) throw full(maxBytes)
        usedBytes += bytes.length
        size += bytes.length
        chunks.push(isLast ? bytes.slice() : bytes)
      }
    } catch (error) {
      usedBytes -= size
      throw error
    }
    files.set(id, chunks)
    return { size, links: {} }
  }

  return {
    async put(blob, signal) {
      assertBlobId(blob.id)
      const ends = lifetime.begin(signal)
      return lifetime.arrive(blob.id, () => receive(blob, ends))
    },

    async open(id, signal) {
      assertBlobId(id)
      lifetime.begin(signal)
      const chunks = files.get(id)
      return chunks === undefined ? undefined : { size: sizeOf(chunks), content: streamOf(chunks) }
    },

    async openPart(id, range, signal) {
      assertBlobId(id)
      lifetime.begin(signal)
      const chunks = files.get(id)
      if (chunks === undefined) return undefined
      const part = cut(chunks, range)
      return { size: sizeOf(part), content: streamOf(part) }
    },

    async delete(id, signal) {
      assertBlobId(id)
      lifetime.begin(signal)
      usedBytes -= sizeOf(files.get(id) ?? [])
      files.delete(id)
    },

    async close() {
      lifetime.close()
      files.clear()
    },
  }
}

function full(maxBytes: number): CloudStoreError {
  return new CloudStoreError(
    'BLOB_LIMIT',
    `Storing a file in memory failed: all files together must have at most ${maxBytes} bytes. ` +
      'Delete some, raise maxBytes, or keep files in a folder.',
  )
}

function sizeOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((size, chunk) => size + chunk.length, 0)
}

function cut(chunks: readonly Uint8Array[], { start, end }: BlobRange): readonly Uint8Array[] {
  let place = 0
  return chunks.map((chunk) => {
    const part = chunk.subarray(Math.max(start - place, 0), Math.max(end - place, 0))
    place += chunk.length
    return part
  })
}

function streamOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  let place = 0
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = chunks[place]
        place += 1
        // A copy: who reads may do with it as they like.
        if (chunk === undefined) controller.close()
        else controller.enqueue(chunk.slice())
      },
    },
    { highWaterMark: 0 },
  )
}
