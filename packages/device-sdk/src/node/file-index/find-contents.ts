import { createFileTest, type FoundFile, type SearchWhere } from '@homeward/contract/device-cloud'
import path from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type { SearchProviderResult, SearchTask } from '../../ports/search-provider.ts'
import {
  type ContentScan,
  type ContentSettings,
  createContentScan,
} from '../content-search/create-content-search.ts'
import { walkRoots } from '../file-search/walk-roots.ts'
import { type ContentOutcome, fileOfSegment, isUnread } from './contents-database.ts'
import {
  conditionsOf,
  createRootFinder,
  type FindOptions,
  noteProblems,
  toAllOf,
  toTrigrams,
} from './find-in-index.ts'

/** How the contents of an index are searched. */
export interface FindContentsOptions extends Pick<FindOptions, 'file' | 'roots' | 'covers'> {
  readonly settings: ContentSettings
}

/** A file whose content may hold the search text. */
interface ContentRow {
  /** Row of the word index, or the file's id: they grow from one statement to the next. */
  readonly at: number
  readonly id: number
  readonly folder: string
  readonly name: string
  readonly isOdd: number
  readonly outcome: ContentOutcome | null
}

const rowsAtOnce = 500

/**
 * Answers a content search from the words in an index. It opens the files whose words may hold the search text, to check
 * them and to show their lines, and those whose content was not read since they changed.
 *
 * @returns undefined if a root is there that the index does not know yet, or the index cannot answer such a search.
 * @throws {DeviceCloudError} `FILE_UNAVAILABLE` if none of the roots is there; an error of SQLite for a damaged file.
 */
export async function findContents(
  task: SearchTask,
  { file, roots, covers, settings }: FindContentsOptions,
): Promise<SearchProviderResult<readonly FoundFile[]> | undefined> {
  const { where = {}, signal } = task
  const scan = createContentScan(task, settings)
  if (scan === undefined) return { found: [] }
  const trigrams = toTrigrams(scan.folded.replaceAll('\0', '\uFFFD'))
  const hasOddEnding = where.extension?.some((each) => !/^[\w.+-]+$/.test(each)) ?? false
  if (trigrams.length === 0 || !scan.folded.isWellFormed() || hasOddEnding) return undefined
  using database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  const search = { database, where, scan, maxEntries: settings.maxEntries, words: toAllOf(trigrams) }
  let knowsAll = true
  const walk = async (folders: readonly string[]) => {
    knowsAll &&= folders.every(covers)
    if (knowsAll) await searchFolders(folders, search)
  }
  await walkRoots(roots, walk, scan.findings.unread, signal)
  return knowsAll ? scan.answer() : undefined
}

interface ContentsSearch {
  readonly database: DatabaseSync
  readonly where: SearchWhere
  readonly scan: ContentScan
  readonly maxEntries: number
  /** Query of the word index. */
  readonly words: string
}

async function searchFolders(roots: readonly string[], search: ContentsSearch): Promise<void> {
  const { database, where, scan, maxEntries, words } = search
  const { findings } = scan
  const rootOf = createRootFinder(roots)
  noteProblems(database, rootOf, findings.unread)
  const { conditions, values } = conditionsOf(where)
  let entries = 0
  /** Texts of which only the start was read, and that are opened. */
  let cut = 0

  async function scanRows(
    source: string,
    at: string,
    some: readonly string[],
    first: readonly SQLInputValue[],
  ) {
    const statement = database.prepare(
      `select ${at} as at, files.id, folders.path as folder, files.name, files.raw is not null as isOdd, files.outcome
       from ${source} join folders on folders.id = files.folder
       where ${[...some, ...conditions].join(' and ')} and ${at} > ? order by ${at} limit ${rowsAtOnce}`,
    )
    let last = -1
    let lastId = -1
    for (let rows = read(-1); rows.length > 0; rows = read(last)) {
      for (const row of rows) {
        last = row.at
        if (scan.isOver() || findings.endIf(entries > maxEntries)) return
        const root = row.id === lastId ? undefined : rootOf(row.folder)
        lastId = row.id
        if (root === undefined) continue
        entries += 1
        if (row.outcome === 'cut') cut += 1
        const filePath = path.join(row.folder, row.name)
        if (row.isOdd) findings.unread.note('other', { path: filePath, root })
        else await scan.scan(filePath, root)
      }
    }
    // few at a time: a statement that is open while files are read would keep the log of changes from being emptied
    function read(after: number): readonly ContentRow[] {
      return statement.all(...first, ...values, after) as unknown as ContentRow[]
    }
  }

  const matched = `texts cross join files on files.id = ${fileOfSegment} cross`
  await scanRows(matched, 'texts.rowid', ['texts match ?', `not ${isUnread}`], [words])
  await scanRows('files indexed by files_unread', 'files.id', [isUnread], [])
  if (!scan.isOver()) noteOutcomes(search, rootOf, cut)
}

/** Counts what reading contents gave no text for, as a search that opens the files does. */
function noteOutcomes(
  { database, where, scan }: ContentsSearch,
  rootOf: (folder: string) => string | undefined,
  cutAndScanned: number,
): void {
  const { findings } = scan
  const { conditions, values } = conditionsOf(where)
  const isInFolder = createFileTest(where.folder === undefined ? {} : { folder: where.folder }, {
    isWindows: process.platform === 'win32',
  })
  const rows = database
    .prepare(
      `select folders.path as folder, files.outcome, count(*) as count
       from files indexed by files_outcome join folders on folders.id = files.folder
       where ${['files.outcome is not null', `not ${isUnread}`, ...conditions].join(' and ')}
       group by files.folder, files.outcome`,
    )
    .iterate(...values)
  let cut = -cutAndScanned
  for (const row of rows) {
    const { folder, outcome, count } = row as unknown as { folder: string; outcome: string; count: number }
    if (rootOf(folder) === undefined || !isInFolder({ path: path.join(folder, '-') })) continue
    if (outcome === 'cut') cut += count
    else if (outcome === 'not_text') findings.unread.note('not_text', undefined, count)
    else findings.skip(outcome, count)
  }
  if (cut > 0) findings.leaveOut()
}
