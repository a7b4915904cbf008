import { toBase64Url } from '@homeward/kit'
import type { SearchResults } from '@homeward/contract/device-cloud'
import type { BlobStore } from '../ports/blob-store.ts'
import type { SearchOutcome, StoredSearch } from '../ports/search-store.ts'

/** Files that are read at the same time. */
const atOnce = 8
const encoder = new TextEncoder()

/** Large results of searches as files, so that the database holds small rows only. */
export interface ResultFiles {
  /**
   * Writes large results to a file.
   *
   * @returns the outcome to settle the search with: as it was given, or with the id of the file instead of the results.
   */
  write(outcome: SearchOutcome): Promise<SearchOutcome>
  /** Removes the file of an outcome that was not stored. A failure goes to `onError`. */
  discard(outcome: SearchOutcome): Promise<void>
  /**
   * Searches with the results that their files hold. Results are null if the file is gone, because the search was deleted
   * in the meantime.
   */
  read<Row extends StoredSearch>(rows: readonly Row[]): Promise<readonly Row[]>
}

/** What {@link createResultFiles} works with. */
interface ResultFilesSetup {
  readonly blobs: Pick<BlobStore, 'put' | 'open' | 'delete'>
  /** Results with more bytes as JSON are written to a file. */
  readonly maxRowBytes: number
  readonly randomBytes: (size: number) => Uint8Array
  /** Called before a file is written: a crash may leave it without its search. */
  readonly noteFile: () => void
  readonly onError: (error: unknown) => void
}

/**
 * Keeps results above `maxRowBytes` in the file store. The file is written before the search is settled with its id, so a
 * search never lacks its results. A crash in between leaves a file that no search names: the look for leftover files
 * removes it.
 */
export function createResultFiles(setup: ResultFilesSetup): ResultFiles {
  const { blobs, maxRowBytes, randomBytes, noteFile, onError } = setup

  async function readOne<Row extends StoredSearch>(row: Row): Promise<Row> {
    if (row.resultsBlobId === undefined) return row
    const blob = await blobs.open(row.resultsBlobId)
    if (blob === undefined) return row
    // Written by `JSON.stringify` from checked results.
    return { ...row, results: (await new Response(blob.content).json()) as SearchResults }
  }

  return {
    async write(outcome) {
      const bytes = toLargeBytes(outcome.results, maxRowBytes)
      if (bytes === undefined) return outcome
      noteFile()
      const id = toBase64Url(randomBytes(32))
      await blobs.put({ id, fileName: 'results.json', content: toContent(bytes) })
      return { ...outcome, results: null, resultsBlobId: id }
    },
    async discard({ resultsBlobId }) {
      if (resultsBlobId !== undefined) await blobs.delete(resultsBlobId).catch(onError)
    },
    async read(rows) {
      if (rows.every(({ resultsBlobId }) => resultsBlobId === undefined)) return rows
      const whole: (typeof rows)[number][] = []
      for (let start = 0; start < rows.length; start += atOnce)
        whole.push(...(await Promise.all(rows.slice(start, start + atOnce).map(readOne))))
      return whole
    },
  }
}

/** Results as UTF-8 JSON; undefined if they fit in a row. */
function toLargeBytes(results: SearchResults | null, maxRowBytes: number): Uint8Array | undefined {
  if (results === null) return undefined
  const text = JSON.stringify(results)
  // UTF-8 takes at most three bytes for a unit of UTF-16: small results need no exact count.
  if (text.length * 3 <= maxRowBytes) return undefined
  const bytes = encoder.encode(text)
  return bytes.length > maxRowBytes ? bytes : undefined
}

async function* toContent(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}
