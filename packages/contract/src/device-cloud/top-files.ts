import type { FoundFile } from './search.ts'
import type { SearchSort } from './search-selection.ts'
import { createFileOrder } from './select-files.ts'

/** A matching file with the rank of its name. */
export interface RankedFile extends FoundFile {
  readonly rank: number
}

/** The best files of any number, with memory for only a few. */
export interface TopFiles<File extends RankedFile> {
  /** Adds a file, and drops the worst one if there are too many. */
  add(file: File): void
  /** Whether a file with this rank can still be among the best. If not, the file is only counted. */
  hasRoom(rank: number): boolean
  /** Whether more files were added than fit. */
  overflowed(): boolean
  /** Returns the files, best first. */
  list(): readonly File[]
}

/** What the best are chosen by. */
interface TopFilesOptions {
  readonly sort?: SearchSort | undefined
  readonly query: string
  readonly maxRows: number
}

/**
 * Collects the best `maxRows` files in the order of a search.
 *
 * @example createTopFiles({ query: 'invoice', sort: '-modified', maxRows: 100 })
 */
export function createTopFiles<File extends RankedFile = RankedFile>({
  sort = 'relevance',
  query,
  maxRows,
}: TopFilesOptions): TopFiles<File> {
  const compare = createFileOrder(sort, query)
  let files: File[] = []
  let overflowed = false
  /** The last of a full list: only better ones can still come in. */
  let worst: File | undefined
  const cut = (): void => {
    files = files.toSorted(compare).slice(0, maxRows)
    if (files.length === maxRows) worst = files.at(-1)
  }
  return {
    add(file) {
      if (worst !== undefined && compare(worst, file) <= 0) {
        overflowed = true
        return
      }
      files.push(file)
      overflowed ||= files.length > maxRows
      // sorted rarely: half of the list is new each time
      if (files.length > 2 * maxRows + 64) cut()
    },
    hasRoom(rank) {
      const isOut = sort === 'relevance' && worst !== undefined && rank > worst.rank
      overflowed ||= isOut
      return !isOut
    },
    overflowed: () => overflowed,
    list() {
      cut()
      return files
    },
  }
}

/** Returns the result row of a file, without internal fields. */
export function toFoundFile({ path, name, size, modified, kind, matches }: RankedFile): FoundFile {
  return {
    path,
    name,
    size,
    modified,
    ...(kind !== undefined && { kind }),
    ...(matches && { matches }),
  }
}
