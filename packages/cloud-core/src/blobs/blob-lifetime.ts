import { CloudStoreError } from '../ports/cloud-store-error.ts'
import { blobIdTaken } from './blob-id.ts'

/** What a file store at another service keeps while it is open: which files arrive, and the signal of its end. */
interface BlobLifetime {
  /** Aborts when `signal` does or the store closes; throws when one of them has. */
  begin(signal: AbortSignal | undefined): AbortSignal
  /** Keeps an id for one file while it arrives. @throws {CloudStoreError} `CONFLICT`. */
  arrive<T>(id: string, work: () => Promise<T>): Promise<T>
  close(): void
}

/** @param what Names the store in the error after its end. */
export function createBlobLifetime(what: string): BlobLifetime {
  const closing = new AbortController()
  const arriving = new Set<string>()
  return {
    begin(signal) {
      signal?.throwIfAborted()
      closing.signal.throwIfAborted()
      return signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal])
    },
    async arrive(id, work) {
      if (arriving.has(id)) throw blobIdTaken()
      arriving.add(id)
      try {
        return await work()
      } finally {
        arriving.delete(id)
      }
    },
    close() {
      closing.abort(new CloudStoreError('CLOSED', `Using ${what} failed: it is closed. Open it again.`))
    },
  }
}
