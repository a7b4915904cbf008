import type { BlobStore } from '@homeward/cloud-core'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'

/** Keeps the first upload waiting after its first bytes until `release`, which resolves when it is over. */
export function createStallingBlobs() {
  const blobs = createMemoryBlobs()
  const begun = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  let isFirst = true
  const stalling: BlobStore = {
    ...blobs,
    put(blob, signal) {
      async function* content() {
        for await (const chunk of blob.content) {
          yield chunk
          begun.resolve()
          await released.promise
        }
      }
      if (!isFirst) return blobs.put(blob, signal)
      isFirst = false
      return blobs.put({ ...blob, content: content() }, signal).finally(over.resolve)
    },
  }
  const release = () => {
    released.resolve()
    return over.promise
  }
  return { blobs: stalling, begun: begun.promise, release }
}
