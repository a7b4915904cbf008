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
  /** Absolute paths of the folders that may be searched. A root may be a link; links inside are not followed. */
  readonly roots: readonly string[]
  /** Most rows in one answer; the search's own limit counts too. @default 10000 */
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
 * The search text is a list of words, in any order: each must be a part of the file's name or of its path below the root,
 * and one of them a part of the name. Case, accents, spaces and dashes do not count, and `"two words"` is one piece. Words
 * with a slash are held against the whole path. A text with `*`, `?`, `[…]` or `{…}` is a glob (`*.pdf`,
 * `reports/**\/2026-?.csv`); one with a slash is held against the path relative to the root. Folders are found if
 * `where.kind` names them.
 *
 * Rows are in the order of the search, the best first. What
 * cannot be read is skipped and listed in `unread`, and so is what a disk does not give within 10 seconds, which counts as
 * a limit. Below a root like `/`, the folders `/proc`, `/sys` and `/dev` of Linux are left out. At a limit, or when the signal
 * aborts, the answer is the best of what was found so far, with `truncated: true`. Names that are not valid UTF-8 are shown
 * with U+FFFD; folders with such a name are not entered.
 *
 * A search rejects with `FILE_UNAVAILABLE` if all of its roots are missing, or no disk of them responds.
 *
 * @throws {DeviceCloudError} `INVALID_OPTION` when a root is not an absolute path, or a limit no number.
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
