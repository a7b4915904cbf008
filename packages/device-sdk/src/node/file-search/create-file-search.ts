import {
  createFileTest,
  createNameMatcher,
  createTopFiles,
  type FoundFile,
  type NameMatcher,
  type RankedFile,
  type SearchWhere,
  toFoundFile,
  type TopFiles,
} from '@homeward/contract/device-cloud'
import path from 'node:path'
import { checkNumbers } from '../../check-numbers.ts'
import type { SearchProvider } from '../../ports/search-provider.ts'
import { assertRoots } from '../roots/resolve-roots.ts'
import { describeFile } from './describe-file.ts'
import type { FolderEntry } from './list-folder.ts'
import { createUnreadParts, type UnreadParts } from './unread-parts.ts'
import { walkFolders, type WalkedFolder } from './walk-folders.ts'
import { walkRoots } from './walk-roots.ts'

const isWindows = process.platform === 'win32'

/** Options of {@link createFileSearch}. */
export interface FileSearchOptions {
  /**
   * Absolute paths of the folders that may be searched. A root may be a symbolic link; links inside are not followed.
   */
  readonly roots: readonly string[]
  /** Maximum number of rows per search. A lower limit of the search itself applies. @default 10000 */
  readonly maxRows?: number
  /** Maximum number of files and folders that one search reads. @default 5000000 */
  readonly maxEntries?: number
  /** Time limit of one search, in milliseconds. @default 60000 */
  readonly maxDurationMs?: number
  /** Number of folders to list in parallel. The whole process makes at most 2 disk calls at a time. @default 16 */
  readonly concurrency?: number
  /** Returns the time in milliseconds, to measure durations. @default Date.now */
  readonly now?: () => number
}

/**
 * Creates the provider for the scope `files`: finds files by name under allowed folders.
 *
 * The search text is a list of words in any order. Each word must be a part of the file's name or of its path below
 * the root, and one of them a part of the name. Case, accents, spaces and dashes are ignored, and `"two words"`
 * counts as one word. Words with a slash are matched against the whole path.
 *
 * A text with `*`, `?`, `[…]` or `{…}` is a glob (`*.pdf`, `reports/**\/2026-?.csv`). A glob with a slash is matched
 * against the path relative to the root. Folders are found if `where.kind` includes them.
 *
 * Rows are in the order of the search, best first. Unreadable places are skipped and listed in `unread`, as are disks
 * that do not respond within 10 seconds, which count as a limit. Below a root such as `/`, the Linux folders `/proc`,
 * `/sys` and `/dev` are left out. At a limit, or when the signal aborts, the best results so far are returned with
 * `truncated: true`. Names that are not valid UTF-8 are shown with U+FFFD; folders with such names are not searched.
 *
 * A search rejects with `FILE_UNAVAILABLE` if all roots are missing or their disks do not respond.
 *
 * @throws {DeviceCloudError} `INVALID_OPTION` if a root is not an absolute path, or a limit is not a number.
 * @example
 * createDeviceAgent({ providers: { files: createFileSearch({ roots: ['/home/ada/Documents'] }) } })
 */
export function createFileSearch(options: FileSearchOptions): SearchProvider<readonly FoundFile[]> {
  assertRoots(options?.roots)
  const {
    roots,
    maxRows = 10_000,
    maxEntries = 5_000_000,
    maxDurationMs = 60_000,
    concurrency = 16,
  } = options
  const { now = Date.now } = options
  checkNumbers('Opening folders for searches', { maxRows, maxEntries, maxDurationMs })
  checkNumbers('Opening folders for searches', { concurrency }, 1)

  return async (task) => {
    const { query, where = {}, sort, signal } = task
    const matcher = createNameMatcher(query, { matchesAll: task.where !== undefined, isWindows })
    const unread = createUnreadParts()
    const top = createTopFiles({ query, sort, maxRows: Math.min(maxRows, task.maxRows) })
    const collect = createCollector({ matcher, where, top, unread, signal })
    const endsAt = now() + maxDurationMs
    let entries = 0
    let cut = false
    const isOver = (): boolean => {
      entries += 1
      // The clock is asked rarely: asking it costs as much as matching a name.
      const late = entries % 64 === 1 && now() >= endsAt
      cut ||= signal.aborted || entries > maxEntries || late
      return cut
    }
    const walk = (folders: readonly string[]) =>
      walkFolders({ roots: folders, concurrency, signal, isOver, ...collect, unread })
    await walkRoots(roots, walk, unread, signal)
    const truncated = cut || signal.aborted || unread.hasSilentDisk() || top.overflowed()
    return { found: top.list().map(toFoundFile), truncated, unread: unread.list() }
  }
}

const toSlashes = (value: string): string => (path.sep === '/' ? value : value.replaceAll(path.sep, '/'))

interface CollectorOptions {
  readonly matcher: NameMatcher
  readonly where: SearchWhere
  readonly top: TopFiles<RankedFile>
  readonly unread: UnreadParts
  readonly signal: AbortSignal
}

/** An entry that matches, with how well its name does. */
interface RankedEntry {
  readonly entry: FolderEntry
  readonly rank: number
}

/** Files that are looked up at the same time. */
const lookedUpAtOnce = 64

/** Collects what matches: sizes are looked up only for what its name and its folder do not leave out. */
function createCollector({ matcher, where, top, unread, signal }: CollectorOptions) {
  const isWanted = createFileTest(where, { isWindows })
  const waiting = new Map<string, RankedEntry[]>()
  const note = (entry: FolderEntry, { folder, root }: WalkedFolder, kind?: 'folder'): void => {
    const { name } = entry
    const fullPath = path.join(folder, name)
    if (!isWanted({ name, path: fullPath, kind })) return
    const relativePath = () => toSlashes(path.relative(root, fullPath))
    if (!matcher.matches({ name, path: relativePath, fullPath: () => toSlashes(fullPath) })) return
    const rank = matcher.rank(name)
    if (!top.hasRoom(rank)) return
    const known = waiting.get(folder)
    if (known) known.push({ entry, rank })
    else waiting.set(folder, [{ entry, rank }])
  }
  const describe = async ({ entry, rank }: RankedEntry, folder: WalkedFolder) => {
    const file = await describeFile(folder, entry, unread, signal)
    if (file && isWanted(file)) top.add({ ...file, rank })
  }
  const hasFolders = where.kind?.includes('folder') ?? false
  return {
    onFile: (entry: FolderEntry, folder: WalkedFolder) => note(entry, folder),
    onInnerFolder: (entry: FolderEntry, folder: WalkedFolder) => {
      if (hasFolders) note(entry, folder, 'folder')
    },
    async onFolder(folder: WalkedFolder): Promise<void> {
      const entries = waiting.get(folder.folder) ?? []
      waiting.delete(folder.folder)
      for (let at = 0; at < entries.length && !signal.aborted; at += lookedUpAtOnce)
        await Promise.all(entries.slice(at, at + lookedUpAtOnce).map((entry) => describe(entry, folder)))
    },
  }
}
