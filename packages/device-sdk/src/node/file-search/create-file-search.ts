import type { FoundFile } from '@homeward/contract/device-cloud'
import path from 'node:path'
import { checkNumbers } from '../../check-numbers.ts'
import type { SearchProvider } from '../../ports/search-provider.ts'
import { assertRoots, resolveRoots } from '../roots/resolve-roots.ts'
import { describeFile } from './describe-file.ts'
import { createNameMatcher } from './name-matcher.ts'
import { walkFolders } from './walk-folders.ts'

/** What {@link createFileSearch} needs to know. */
export interface FileSearchOptions {
  /** Absolute paths of the folders that may be searched. A root may be a link; links inside are not followed. */
  readonly roots: readonly string[]
  /** Most rows in one answer; the search's own limit counts too. @default 1000 */
  readonly maxRows?: number
  /** Most files and folders looked at in one search. @default 5000000 */
  readonly maxEntries?: number
  /** Longest time for one search, in milliseconds. @default 60000 */
  readonly maxDurationMs?: number
  /** Folders read at the same time. @default 16 */
  readonly concurrency?: number
  /** Milliseconds, for measuring. @default Date.now */
  readonly now?: () => number
}

/**
 * Finds files by name under allowed folders: the provider for the scope `files`.
 *
 * The search text is a part of the file's name in any case, or a glob (`*.pdf`, `reports/**\/2026-?.csv`); a glob with
 * a slash is held against the path relative to the root. What cannot be read is skipped. At a limit, or when
 * the signal aborts, the answer is what was found so far, with `truncated: true`. Rows are sorted by path; which
 * rows a truncated answer holds is up to the file system. Names that are not valid UTF-8 are shown with U+FFFD;
 * folders with such a name are not entered.
 *
 * @throws {DeviceCloudError} `INVALID_OPTION` when a root is not an absolute path, or a limit no number.
 * @example
 * createDeviceAgent({ providers: { files: createFileSearch({ roots: ['/home/ada/Documents'] }) } })
 */
export function createFileSearch(options: FileSearchOptions): SearchProvider<readonly FoundFile[]> {
  assertRoots(options?.roots)
  const { roots, maxRows = 1000, maxEntries = 5_000_000, maxDurationMs = 60_000, concurrency = 16 } = options
  const { now = Date.now } = options
  checkNumbers('Opening folders for searches', { maxRows, maxEntries, maxDurationMs })
  checkNumbers('Opening folders for searches', { concurrency }, 1)

  return async (task) => {
    const matches = createNameMatcher(task.query)
    const found = createFindings(Math.min(maxRows, task.maxRows))
    const endsAt = now() + maxDurationMs
    let entries = 0
    let cut = false
    const isOver = (): boolean => {
      entries += 1
      // The clock is asked rarely: asking it costs as much as matching a name.
      const late = entries % 64 === 1 && now() >= endsAt
      cut ||= task.signal.aborted || found.overflowed() || entries > maxEntries || late
      return cut
    }
    await walkFolders({
      roots: await resolveRoots(roots),
      concurrency,
      isOver,
      onFile: (name, { folder, root }) => {
        const relativePath = (): string => toSlashes(path.relative(root, path.join(folder, name)))
        if (matches(name, relativePath)) found.add(folder, name)
      },
    })
    return { found: await found.rows(), truncated: cut || found.overflowed() }
  }
}

const toSlashes = (value: string): string => (path.sep === '/' ? value : value.replaceAll(path.sep, '/'))

interface Findings {
  add(folder: string, name: string): void
  /** Whether more was added than fits. */
  overflowed(): boolean
  rows(): Promise<FoundFile[]>
}

// Sizes are looked up only for what matched, and at most `maxRows` times.
function createFindings(maxRows: number): Findings {
  const pending: Promise<FoundFile | undefined>[] = []
  let overflowed = false
  return {
    add(folder, name) {
      if (pending.length < maxRows) pending.push(describeFile(folder, name))
      else overflowed = true
    },
    overflowed: () => overflowed,
    async rows() {
      const rows = (await Promise.all(pending)).filter((row) => row !== undefined)
      return rows.toSorted((one, other) => (one.path < other.path ? -1 : 1))
    },
  }
}
