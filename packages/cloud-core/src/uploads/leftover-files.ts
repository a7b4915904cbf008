import type { BlobStore } from '../ports/blob-store.ts'
import type { UploadStore } from '../ports/upload-store.ts'

const everyMs = 6 * 60 * 60 * 1000
/** Far longer than any upload lasts between its file and its end. */
const minAgeMs = 24 * 60 * 60 * 1000
const atOnce = 256
/** What one look deletes at most; the rest is for the next. */
const maxDeleted = 10_000
/** So few leftovers are deleted even where there is nothing else. */
const fewFiles = 16

/** Removes files that a crash left without an upload request. */
export interface LeftoverFiles {
  /** Notes that there was an upload: where a look is due, one begins. */
  noteUpload(): void
  /** Ends a look that is under way. */
  close(): Promise<void>
}

/** What {@link createLeftoverFiles} works with. */
export interface LeftoverFilesSetup {
  readonly store: Pick<UploadStore, 'filterUnusedBlobs'>
  readonly blobs: Pick<BlobStore, 'list' | 'delete'>
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

/**
 * Looks through the stored files after the first upload, then every 6 h while there are uploads, and deletes those that
 * are older than a day and belong to no upload request. A crash leaves them between the file's last byte and the end of
 * its request, or between the end of a device and the end of its files.
 *
 * Where the store knows less than half of the files, nothing is deleted and the host is told: no crash leaves that much,
 * but a database that is new, restored or another one's does. Every file counts for that, also past what one look
 * deletes: whose files come first in a list says nothing of the others.
 */
export function createLeftoverFiles({ store, blobs, now, onError }: LeftoverFilesSetup): LeftoverFiles {
  const closing = new AbortController()
  let lookedAtMs = Number.NEGATIVE_INFINITY
  let look: Promise<void> | undefined
  const wasLately = () => Math.abs(now() - lookedAtMs) < everyMs // also by a clock that was put back

  async function run(list: NonNullable<BlobStore['list']>): Promise<void> {
    const { signal } = closing
    const leftovers: string[] = []
    let ids: string[] = []
    let seen = 0
    let unknown = 0
    const ask = async () => {
      const unused = await store.filterUnusedBlobs(ids, signal)
      seen += ids.length
      unknown += unused.length
      leftovers.push(...unused.slice(0, maxDeleted - leftovers.length))
      ids = []
    }
    for await (const id of list(new Date(now() - minAgeMs).toISOString(), signal)) {
      if (ids.push(id) === atOnce) await ask()
    }
    if (ids.length > 0) await ask()
    if (unknown > fewFiles && unknown * 2 > seen) throw foreignFiles(unknown, seen)
    for (const id of leftovers) await blobs.delete(id, signal)
  }

  return {
    noteUpload() {
      if (blobs.list === undefined || look !== undefined || closing.signal.aborted || wasLately()) return
      lookedAtMs = now()
      look = run((...input) => blobs.list!(...input))
        .catch((error: unknown) => {
          if (!closing.signal.aborted) onError(error)
        })
        .finally(() => (look = undefined))
    },
    async close() {
      closing.abort(new Error('The cloud closes'))
      await look
    },
  }
}

function foreignFiles(unknown: number, seen: number): Error {
  return new Error(
    `Removing leftover files failed: the database does not list ${unknown} of ${seen} stored files, so nothing was deleted. ` +
      'Check that the files and the database belong together.',
  )
}
