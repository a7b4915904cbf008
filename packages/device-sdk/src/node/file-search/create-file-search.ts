import type { FoundFile } from '@homeward/contract/device-cloud'
import { untilAborted, withTimeout } from '@homeward/kit'
import path from 'node:path'
import { checkNumbers } from '../../check-numbers.ts'
import type { SearchProvider } from '../../ports/search-provider.ts'
import { assertRoots } from '../roots/resolve-roots.ts'
import { describeFile } from './describe-file.ts'
import type { FolderEntry } from './list-folder.ts'
import { createNameMatcher } from './name-matcher.ts'
import { createUnreadParts, type UnreadParts } from './unread-parts.ts'
import { walkFolders, type WalkedFolder, type WalkOptions } from './walk-folders.ts'
import { walkRoots } from './walk-roots.ts'

/** Options of {@link createFileSearch}. */
export interface FileSearchOptions {
  /** Absolute paths of the folders that may be searched. A root may be a link; links inside are not followed. */
  readonly roots: readonly string[]
  /** Most rows in one answer; the search's own limit counts too. @default 1000 */
  readonly maxRows?: number
  /** Maximum number of files and folders that one search reads. @default 5000000 */
  readonly maxEntries?: number
  /** Longest time for one search, in milliseconds. @default 60000 */
  readonly maxDurationMs?: number
  /** Folders listed at the same time. Disk calls are fewer, 2 at a time in the whole process. @default 16 */
  readonly concurrency?: number
  /** Milliseconds, for measuring. @default Date.now */
  readonly now?: () => number
}

/**
 * Finds files by name under allowed folders: the provider for the scope `files`.
 *
 * The search text is a part of the file's name in any case, or a glob (`*.pdf`, `reports/**\/2026-?.csv`); a glob with
 * a slash is held against the path relative to the root, and any other text with a slash against the whole path. What
 * cannot be read is skipped and listed in `unread`, and so is what a disk does not give within 10 seconds, which counts as
 * a limit. Below a root like `/`, the folders `/proc`, `/sys` and `/dev` of Linux are left out. At a limit, or when the signal aborts, the answer is what was found so far, with `truncated: true`. Rows are sorted by path; which
 * rows a truncated answer holds is up to the file system. Names that are not valid UTF-8 are shown with U+FFFD;
 * folders with such a name are not entered.
 *
 * A search rejects with `FILE_UNAVAILABLE` if all of its roots are missing, or no disk of them responds.
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
    const { signal } = task
    const matches = createNameMatcher(task.query)
    const unread = createUnreadParts()
    const found = createFindings(Math.min(maxRows, task.maxRows), unread)
    const endsAt = now() + maxDurationMs
    let entries = 0
    let cut = false
    const isOver = (): boolean => {
      entries += 1
      // The clock is asked rarely: asking it costs as much as matching a name.
      const late = entries % 64 === 1 && now() >= endsAt
      cut ||= signal.aborted || found.overflowed() || entries > maxEntries || late
      return cut
    }
    const onFile: WalkOptions['onFile'] = (entry, { folder, root }) => {
      const { name } = entry
      const relativePath = (): string => toSlashes(path.relative(root, path.join(folder, name)))
      const fullPath = (): string => toSlashes(path.join(folder, name))
      if (matches({ name, relativePath, fullPath })) found.add({ folder, root }, entry)
    }
    const walk = (folders: readonly string[]) =>
      walkFolders({ roots: folders, concurrency, signal, isOver, onFile, unread })
    await walkRoots(roots, walk, unread, signal)
    const rows = await found.rows(signal)
    const truncated = cut || signal.aborted || unread.hasSilentDisk() || found.overflowed()
    return { found: rows, truncated, unread: unread.list() }
  }
}

const toSlashes = (value: string): string => (path.sep === '/' ? value : value.replaceAll(path.sep, '/'))

interface Findings {
  add(where: WalkedFolder, entry: FolderEntry): void
  /** Whether more was added than fits. */
  overflowed(): boolean
  /** Everything, or what is known soon after `signal` has aborted. */
  rows(signal: AbortSignal): Promise<FoundFile[]>
}

/** How long rows are waited for after the signal has aborted. The agent waits one second. */
const rowsGraceMs = 500

// Sizes are looked up only for what matched, and at most `maxRows` times.
function createFindings(maxRows: number, unread: UnreadParts): Findings {
  const pending: Promise<void>[] = []
  const known: FoundFile[] = []
  let overflowed = false
  const describe = async (where: WalkedFolder, entry: FolderEntry): Promise<void> => {
    const row = await describeFile(where, entry, unread)
    if (row) known.push(row)
  }
  return {
    add(where, entry) {
      if (pending.length < maxRows) pending.push(describe(where, entry))
      else overflowed = true
    },
    overflowed: () => overflowed,
    async rows(signal) {
      const all = Promise.all(pending)
      await untilAborted(all, signal).catch(() => withTimeout(all, rowsGraceMs))
      return known.toSorted((one, other) => (one.path < other.path ? -1 : 1))
    },
  }
}
