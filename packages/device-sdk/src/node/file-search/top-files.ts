import { createFileOrder, type FoundFile, type SearchSort } from '@homeward/contract/device-cloud'

/** A file that matches, with how well its name does. */
type RankedFile = FoundFile & { readonly rank: number }

/** The best of any number of files, in few of which memory is spent. */
export interface TopFiles {
  add(file: RankedFile): void
  /** Whether a file whose name ranks so can still be among the best. If not, it counts as one more. */
  hasRoom(rank: number): boolean
  /** Whether there were more than fit. */
  overflowed(): boolean
  /** Best first. */
  list(): FoundFile[]
}

/** What the best are chosen by. */
interface TopFilesOptions {
  readonly sort?: SearchSort | undefined
  readonly query: string
  readonly maxRows: number
}

/** Collects the best `maxRows` files in the order of a search. */
export function createTopFiles({ sort = 'relevance', query, maxRows }: TopFilesOptions): TopFiles {
  const compare = createFileOrder(sort, query)
  let files: RankedFile[] = []
  let overflowed = false
  let worstRank = Infinity
  const cut = (): void => {
    files = files.toSorted(compare).slice(0, maxRows)
    if (sort === 'relevance' && files.length === maxRows) worstRank = files.at(-1)?.rank ?? -Infinity
  }
  return {
    add(file) {
      files.push(file)
      overflowed ||= files.length > maxRows
      // sorted rarely: half of the list is new each time
      if (files.length > 2 * maxRows + 64) cut()
    },
    hasRoom(rank) {
      const isOut = rank > worstRank
      overflowed ||= isOut
      return !isOut
    },
    overflowed: () => overflowed,
    list() {
      cut()
      return files.map(({ path, name, size, modified, kind, matches }) => ({
        path,
        name,
        size,
        modified,
        ...(kind !== undefined && { kind }),
        ...(matches && { matches }),
      }))
    },
  }
}
