import {
  createFileRank,
  createFileTest,
  createTopFiles,
  type FoundFile,
  toFoundFile,
} from '@homeward/contract/device-cloud'
import { foldCase } from '@homeward/kit'
import { createDocumentReader, documentFormatOf, type DocumentReader } from '@homeward/kit/documents'
import path from 'node:path'
import { checkNumbers } from '../../check-numbers.ts'
import type { SearchProviderResult, SearchProvider, SearchTask } from '../../ports/search-provider.ts'
import { providerDisk } from '../disk/lanes.ts'
import { createUnreadParts, type UnreadParts } from '../file-search/unread-parts.ts'
import { walkFolders, type WalkOptions } from '../file-search/walk-folders.ts'
import { walkRoots } from '../file-search/walk-roots.ts'
import { assertRoots } from '../roots/resolve-roots.ts'
import { scanDocument } from './scan-document.ts'
import { scanFile, type ScanOptions } from './scan-file.ts'

/** Options of {@link createContentSearch}. */
export interface ContentSearchOptions {
  /**
   * Absolute paths of the folders whose files may be read. A root may be a symbolic link; links inside are not
   * followed.
   */
  readonly roots: readonly string[]
  /** Maximum number of files per search. A lower limit of the search itself applies. @default 10000 */
  readonly maxRows?: number
  /** Maximum number of matching lines per file. @default 5 */
  readonly maxMatches?: number
  /** Number of bytes to read from each text file. Text after them is not searched. @default 10485760 */
  readonly maxFileBytes?: number
  /**
   * Reads PDF, Office and OpenDocument files, mail and HTML. With `false`, HTML is searched as plain text and the
   * other formats are skipped.
   *
   * @default a reader with the default limits
   */
  readonly documents?: DocumentReader | false
  /** Maximum number of files and folders that one search reads. @default 5000000 */
  readonly maxEntries?: number
  /** Time limit of one search, in milliseconds. @default 60000 */
  readonly maxDurationMs?: number
  /** Returns the time in milliseconds, to measure durations. @default Date.now */
  readonly now?: () => number
}

/** Characters of a line that a match shows. */
const maxText = 300

/**
 * Creates the provider for the scope `content`: finds text inside files under allowed folders.
 *
 * It runs only if the agent's policy sets `contentSearch`, because a search can then read file contents.
 *
 * The search text is matched literally in each line, ignoring case and kinds of white space. Text files are UTF-8, or
 * UTF-16 with a byte order mark. NUL bytes, which a power failure can leave in a log, do not end a text. Documents
 * (PDF, DOCX, XLSX, PPTX, ODT, mail, HTML and others) are read in a child process with limits, if the library for
 * their format is installed: `unpdf`, `officeparser`, `postal-mime`. Documents without text are counted in `skipped`,
 * by reason. Other files and unreadable places are listed in `unread`.
 *
 * A row has the first matching lines, each cut to 300 characters. Rows are in the order of the search, best first. At
 * a limit, or when the signal aborts, the results so far are returned with `truncated: true`.
 *
 * A search rejects with `FILE_UNAVAILABLE` if all roots are missing or their disks do not respond.
 *
 * @throws {DeviceCloudError} `INVALID_OPTION` if a root is not an absolute path, or a limit is not a number.
 * @example
 * createDeviceAgent({
 *   providers: { content: createContentSearch({ roots: ['/home/ada/Documents'] }) },
 *   policy: { contentSearch: true },
 * })
 */
export function createContentSearch(options: ContentSearchOptions): SearchProvider<readonly FoundFile[]> {
  assertRoots(options?.roots)
  const { roots } = options
  const settings = readContentOptions(options)
  const { maxEntries } = settings

  return async (task) => {
    const scan = createContentScan(task, settings)
    if (scan === undefined) return { found: [] }
    let entries = 0
    const { findings, isOver } = scan
    const isOverNow = () => {
      entries += 1
      return findings.endIf(entries > maxEntries) || isOver()
    }
    const { unread } = findings
    const listing = listThenScan(scan.scan, unread, isOver)
    const walk = (folders: readonly string[]) =>
      walkFolders({ ...listing, roots: folders, signal: task.signal, isOver: isOverNow, unread })
    await walkRoots(roots, walk, unread, task.signal)
    return scan.answer()
  }
}

/** What searches of contents work with, with and without an index. */
export type ContentSettings = ReturnType<typeof readContentOptions>

/**
 * Checks the options, and adds their defaults.
 *
 * @throws {DeviceCloudError} `INVALID_OPTION` if a limit is not a number.
 */
export function readContentOptions(options: Omit<ContentSearchOptions, 'roots'>) {
  const { maxRows = 10_000, maxMatches = 5, maxFileBytes = 10_485_760, now = Date.now } = options
  const { maxEntries = 5_000_000, maxDurationMs = 60_000, documents = createDocumentReader() } = options
  const attempt = 'Opening folders for content searches'
  checkNumbers(attempt, { maxRows, maxEntries, maxDurationMs })
  checkNumbers(attempt, { maxMatches, maxFileBytes }, 1)
  return { maxRows, maxMatches, maxFileBytes, maxEntries, maxDurationMs, documents, now }
}

/** One search of contents: scans the files that it is given. */
export interface ContentScan {
  /** The search text as it is compared. */
  readonly folded: string
  readonly findings: Findings
  /** Looks through a file below a root, if its name and folder meet the conditions. */
  scan(filePath: string, root: string): Promise<void>
  /** Whether the search is at one of its limits. */
  isOver(): boolean
  answer(): SearchProviderResult<readonly FoundFile[]>
}

/** Builds the scan of one search; undefined for a blank search text. */
export function createContentScan(task: SearchTask, settings: ContentSettings): ContentScan | undefined {
  const { signal, where = {} } = task
  const { maxRows, maxMatches, maxFileBytes, maxDurationMs, documents, now } = settings
  const folded = foldCase(task.query.trim())
  if (folded === '') return undefined
  const isWanted = createFileTest(where, { isWindows: process.platform === 'win32' })
  const findings = createFindings(task, Math.min(maxRows, task.maxRows))
  const endsAt = now() + maxDurationMs
  const isOver = () => findings.endIf(signal.aborted || now() >= endsAt)
  const limits = { maxMatches, maxText, maxFileBytes, folded, isWanted, isOver }
  return {
    folded,
    findings,
    isOver,
    scan: (filePath, root) =>
      isWanted({ path: filePath, name: path.basename(filePath) })
        ? scanOnDisk(filePath, { ...limits, root }, { findings, documents }, signal)
        : Promise.resolve(),
    answer() {
      findings.endIf(signal.aborted)
      return findings.answer()
    },
  }
}

/** What one search found, and what it could not read. */
interface Findings {
  add(file: FoundFile): void
  /** Notes that text of a file was not searched. */
  leaveOut(): void
  readonly unread: UnreadParts
  /** Counts documents that gave no text. @param count 1 by default */
  skip(reason: string, count?: number): void
  /** Ends the search if `isEnd`, or if more was found than fits. Gives whether it has ended. */
  endIf(isEnd: boolean): boolean
  answer(): SearchProviderResult<readonly FoundFile[]>
}

function createFindings({ query, sort }: SearchTask, maxRows: number): Findings {
  const top = createTopFiles({ query, sort, maxRows })
  const rank = createFileRank(query)
  const unread = createUnreadParts()
  const skipped = new Map<string, number>()
  let isOver = false
  let isPartial = false
  return {
    unread,
    add(file) {
      top.add({ ...file, rank: rank(file.name) })
      // To read every file costs more than an order is worth that nobody asked for.
      if (sort === undefined) isOver ||= top.overflowed()
    },
    leaveOut: () => void (isPartial = true),
    skip: (reason, count = 1) => void skipped.set(reason, (skipped.get(reason) ?? 0) + count),
    endIf: (isEnd) => (isOver ||= isEnd),
    answer: () => ({
      found: top.list().map(toFoundFile),
      truncated: isOver || isPartial || top.overflowed() || unread.hasSilentDisk(),
      unread: unread.list(),
      ...(skipped.size > 0 && { skipped: [...skipped].map(([reason, count]) => ({ reason, count })) }),
    }),
  }
}

/** Lists one folder after the other, and scans its files before the next, so that few names wait in memory. */
function listThenScan(
  scan: (filePath: string, root: string) => Promise<void>,
  unread: UnreadParts,
  isOver: () => boolean,
): Pick<WalkOptions, 'concurrency' | 'onFile' | 'onFolder'> {
  let names: string[] = []
  return {
    concurrency: 1,
    onFile({ name, rawName }, { folder, root }) {
      // A name that is not valid UTF-8 cannot be checked against the roots.
      if (rawName) unread.note('other', { path: path.join(folder, name), root })
      else names.push(name)
    },
    async onFolder({ folder, root }) {
      const files = names
      names = []
      for (const name of files) if (!isOver()) await scan(path.join(folder, name), root)
    },
  }
}

/** Scans a file: reads it on one thread of the disk lane. Files that cannot be read are noted. */
async function scanOnDisk(
  filePath: string,
  options: Omit<ScanOptions, 'progress'>,
  { findings, documents }: { readonly findings: Findings; readonly documents: DocumentReader | false },
  signal: AbortSignal,
): Promise<void> {
  const format = documentFormatOf(path.basename(filePath))
  try {
    if (documents && format) {
      const given = await scanDocument(filePath, format, { ...options, documents, signal })
      if (given.file) findings.add(given.file)
      if (given.isPartial) findings.leaveOut()
      if (given.skipped === undefined) return
      // Without its library, HTML is still a text.
      if (given.skipped !== 'unsupported' || format !== 'html') return findings.skip(given.skipped)
    }
    const work = (progress: () => void) => scanFile(filePath, { ...options, progress })
    const { file, isPartial, isText } = await providerDisk.run({ at: filePath, work }, signal)
    if (file) findings.add(file)
    if (isPartial) findings.leaveOut()
    if (!isText) findings.unread.note('not_text')
  } catch (error) {
    if (!signal.aborted) findings.unread.noteError(error, { path: filePath, root: options.root })
  }
}
