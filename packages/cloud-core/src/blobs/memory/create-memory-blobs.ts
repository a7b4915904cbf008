import type { BlobStore, NewBlob, StoredBlob } from '../../ports/blob-store.ts'
import { CloudStoreError } from '../../ports/cloud-store-error.ts'

/** Settings of {@link createMemoryBlobs}. */
export interface MemoryBlobsOptions {
  /** How much all files together may take, in bytes. @default 268435456 (256 MiB) */
  readonly maxBytes?: number
}

/**
 * Keeps files in this process's memory: for tests and trials. Uses no Node built-in.
 *
 * @example
 * const blobs = createMemoryBlobs({ maxBytes: 64 * 1024 * 1024 })
 */
export function createMemoryBlobs(options: MemoryBlobsOptions = {}): BlobStore {
  const { maxBytes = 256 * 1024 * 1024 } = options
  const files = new Map<string, readonly Uint8Array[]>()
  const arriving = new Set<string>()
  let usedBytes = 0
  const closing = new AbortController()

  const assertOpen = (signal: AbortSignal | undefined) => {
    signal?.throwIfAborted()
    closing.signal.throwIfAborted()
  }

  const receive = async (blob: NewBlob, signal: AbortSignal | undefined): Promise<StoredBlob> => {
    const chunks: Uint8Array[] = []
    let size = 0
    try {
      for await (const chunk of blob.content) {
        assertOpen(signal)
        if (usedBytes + chunk.length > maxBytes) throw full(maxBytes)
        usedBytes += chunk.length
        size += chunk.length
        chunks.push(chunk.slice())
      }
      assertOpen(signal)
    } catch (error) {
      usedBytes -= size
      throw error
    }
    files.set(blob.id, chunks)
    return { size, links: {} }
  }

  return {
    async put(blob, signal) {
      assertOpen(signal)
      if (files.has(blob.id) || arriving.has(blob.id)) throw taken()
      arriving.add(blob.id)
      try {
        return await receive(blob, signal)
      } finally {
        arriving.delete(blob.id)
      }
    },

    async open(id, signal) {
      assertOpen(signal)
      const chunks = files.get(id)
      return chunks === undefined ? undefined : { size: sizeOf(chunks), content: streamOf(chunks) }
    },

    async delete(id, signal) {
      assertOpen(signal)
      usedBytes -= sizeOf(files.get(id) ?? [])
      files.delete(id)
    },

    async close() {
      closing.abort(
        new CloudStoreError('CLOSED', 'Using the memory files failed: they were closed. Create others.'),
      )
      files.clear()
    },
  }
}

function full(maxBytes: number): CloudStoreError {
  return new CloudStoreError(
    'BLOB_LIMIT',
    `Storing a file in memory failed: all files together may take ${maxBytes} bytes. ` +
      'Delete some, raise maxBytes, or keep files in a folder.',
  )
}

function taken(): CloudStoreError {
  return new CloudStoreError('CONFLICT', 'Storing a file failed: its id is in use already. Make a new one.')
}

function sizeOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((size, chunk) => size + chunk.length, 0)
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
