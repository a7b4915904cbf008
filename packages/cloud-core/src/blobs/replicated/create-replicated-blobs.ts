import { safeHook } from '@homeward/contract/handler'
import type {
  BlobContent,
  BlobLinks,
  BlobRange,
  BlobStore,
  NewBlob,
  StoredBlob,
} from '../../ports/blob-store.ts'
import { toStoreError } from '../remote/to-store-error.ts'
import { shareContent } from './share-content.ts'

/** Settings of {@link createReplicatedBlobs}. */
export interface ReplicatedBlobsOptions {
  /**
   * Stores that each receive every file. A file is read from the first one that has it completely. `close` closes all
   * of them.
   */
  readonly stores: readonly BlobStore[]
  /**
   * Receives errors of a cleanup after a failure. The daily check for leftover files retries the cleanup.
   *
   * @default ignored
   */
  readonly onError?: (error: unknown) => void
}

/**
 * Creates a file store that writes each file to several stores at once.
 *
 * All stores read one stream, as fast as the slowest of them. A file exists once all stores have it. If one store
 * fails, the upload fails with its reason, and the others remove the file. The links of all stores are combined.
 *
 * @throws {TypeError} if no store is given, or a value is not a file store.
 * @example
 * const blobs = createReplicatedBlobs({ stores: [createFsBlobs({ folder }), createS3Blobs(bucket)] })
 */
export function createReplicatedBlobs({ stores, ...options }: ReplicatedBlobsOptions): BlobStore {
  checkStores(stores)
  const onError = safeHook(options.onError)

  const undo = async (taken: readonly BlobStore[], id: string): Promise<void> => {
    const removals = await Promise.allSettled(taken.map((store) => store.delete(id)))
    for (const removal of removals) if (removal.status === 'rejected') onError(removal.reason)
  }

  const listing = stores.filter((store) => store.list !== undefined)

  return {
    async put(blob, signal) {
      signal?.throwIfAborted()
      const { taken, stored, failure } = await putEverywhere(stores, blob, signal)
      if (failure === undefined) return joinStored(stored)
      await undo(taken, blob.id)
      throw failure.reason
    },

    open: (id, signal) => firstOf(stores, (store) => store.open(id, signal), signal),

    ...(stores.every((store) => store.openPart !== undefined) && {
      openPart: (id: string, range: BlobRange, signal?: AbortSignal) =>
        firstOf(stores, (store) => openWhole(store, { id, range, signal }), signal),
    }),

    async delete(id, signal) {
      const removals = await Promise.allSettled(stores.map((store) => store.delete(id, signal)))
      const failed = removals.find((removal) => removal.status === 'rejected')
      if (failed !== undefined) throw failed.reason
    },

    ...(listing.length > 0 && {
      async *list(storedBefore: string, signal?: AbortSignal) {
        for (const store of listing) yield* store.list?.(storedBefore, signal) ?? []
      },
    }),

    ...(stores.some((store) => store.linksOf !== undefined) && {
      async linksOf(id: string) {
        const links = await Promise.all(stores.map(async (store) => store.linksOf?.(id)))
        return Object.assign({}, ...links) as BlobLinks // undefined ones add nothing
      },
    }),

    async close() {
      const closings = await Promise.allSettled(stores.map(async (store) => store.close?.()))
      const failed = closings.find((closing) => closing.status === 'rejected')
      if (failed !== undefined) throw failed.reason
    },
  }
}

async function firstOf(
  stores: readonly BlobStore[],
  read: (store: BlobStore) => Promise<BlobContent | undefined>,
  signal: AbortSignal | undefined,
): Promise<BlobContent | undefined> {
  let failure: { readonly reason: unknown } | undefined
  for (const store of stores) {
    try {
      const found = await read(store)
      if (found !== undefined) return found
    } catch (reason) {
      signal?.throwIfAborted()
      failure ??= { reason }
    }
  }
  // A store that is down may be the one that has it.
  if (failure !== undefined) throw failure.reason
  return undefined
}

/** Opens a part in one of the stores; a copy that was cut may lack it. */
async function openWhole(
  store: BlobStore,
  { id, range, signal }: { id: string; range: BlobRange; signal: AbortSignal | undefined },
): Promise<BlobContent | undefined> {
  const found = await store.openPart?.(id, range, signal)
  const wantedBytes = range.end - range.start
  if (found === undefined || found.size === wantedBytes) return found
  await found.content.cancel().catch(() => {})
  throw new Error(
    `Opening a file failed: the copy in this store has only ${found.size} of ${wantedBytes} bytes. Restore it from another store.`,
  )
}

interface PutOutcome {
  readonly taken: readonly BlobStore[]
  readonly stored: readonly StoredBlob[]
  /** What failed first. */
  readonly failure: { readonly reason: unknown } | undefined
}

async function putEverywhere(
  stores: readonly BlobStore[],
  { id, fileName, content }: NewBlob,
  signal: AbortSignal | undefined,
): Promise<PutOutcome> {
  const others = new AbortController()
  const ends = signal === undefined ? others.signal : AbortSignal.any([signal, others.signal])
  const copies = shareContent(content, stores.length)
  const taken: BlobStore[] = []
  let failure: PutOutcome['failure']
  const puts = stores.map(async (store, place) => {
    try {
      const stored = await store.put({ id, fileName, content: copies[place]! }, ends)
      taken.push(store)
      return [stored]
    } catch (error) {
      const reason = toStoreError(error, 'Storing a file')
      failure ??= { reason }
      others.abort(reason)
      return []
    } finally {
      await copies[place]!.leave().catch(() => {}) // what failed is told by those who read
    }
  })
  const stored = (await Promise.all(puts)).flat()
  return { taken, stored, failure }
}

function joinStored(stored: readonly StoredBlob[]): StoredBlob {
  const links = Object.assign({}, ...stored.map((each) => each.links)) as BlobLinks // what each of them gave
  return { size: stored[0]?.size ?? 0, links }
}

function checkStores(stores: readonly (Partial<BlobStore> | undefined)[] = []): void {
  const isList: boolean = Array.isArray(stores)
  if (isList && stores.length > 0 && stores.every((store) => typeof store?.put === 'function')) return
  throw new TypeError(
    'Creating the replicated store failed: "stores" must be a list of at least 1 file store, such as createFsBlobs() returns.',
  )
}
