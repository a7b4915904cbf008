import {
  createFileTest,
  type FoundFile,
  type SearchSort,
  type SearchWhere,
} from '@homeward/contract/device-cloud'
import path from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type { SearchProviderResult, SearchTask } from '../../ports/search-provider.ts'
import { describeFile, toTimestamp } from '../file-search/describe-file.ts'
import { createTurns } from '../file-search/list-folder.ts'
import { createNameMatcher, type NameMatcher } from '../file-search/name-matcher.ts'
import { createTopFiles, type RankedFile, toFoundFile } from '../file-search/top-files.ts'
import { createUnreadParts, type UnreadParts } from '../file-search/unread-parts.ts'
import { walkRoots } from '../file-search/walk-roots.ts'
import { toEntry } from './look-at-folders.ts'

/** How an index is searched. */
export interface FindOptions {
  /** The index file. */
  readonly file: string
  readonly roots: readonly string[]
  readonly maxRows: number
  readonly maxDurationMs: number
  readonly now: () => number
  /** Called for folders whose files are not as the index has them. */
  readonly onStale: (folder: string) => void
  /** Whether the index knows what is in a folder. */
  readonly covers: (folder: string) => boolean
}

/** A row of the index. */
interface IndexRow {
  readonly folder: string
  readonly name: string
  readonly raw: Uint8Array | null
  readonly kind: string
  readonly size: number | null
  readonly modifiedMs: number | null
}

/** A file that may be reported, and where to look it up. */
interface Candidate extends RankedFile {
  readonly modifiedMs: number | null
  readonly row: IndexRow
  readonly root: string
}

/** Rows that are looked up on the disk beyond those asked for: some may be gone. */
const spareRows = 100
const lookedUpAtOnce = 64

/**
 * Answers a search from an index. Which rows may be reported is decided by the roots as they are now, and each row is looked
 * up on the disk before it is reported.
 *
 * @returns undefined if a root is there that the index does not know yet.
 * @throws {DeviceCloudError} `FILE_UNAVAILABLE` if none of the roots is there; an error of SQLite for a damaged file.
 */
export async function findInIndex(
  task: SearchTask,
  options: FindOptions,
): Promise<SearchProviderResult<readonly FoundFile[]> | undefined> {
  const { query, sort = 'relevance', where = {}, signal } = task
  const maxRows = Math.min(options.maxRows, task.maxRows)
  const known = createNameMatcher(query, { matchesAll: task.where !== undefined })
  // Only this order needs it, and it takes as long as all the rest of a row.
  const matcher = sort === 'relevance' ? known : { ...known, rank: () => 0 }
  const unread = createUnreadParts()
  const most = maxRows + spareRows
  const top = createTopFiles<Candidate>({ query, sort, maxRows: most })
  const verified = createTopFiles({ query, sort, maxRows })
  const endsAtMs = options.now() + options.maxDurationMs
  const isOver = () => signal.aborted || options.now() >= endsAtMs
  const search = { matcher, where, sort, most, unread, top, signal, isOver, onStale: options.onStale }
  using database = new DatabaseSync(options.file, { readOnly: true, timeout: 5000 })
  let wasCut = false
  let knowsAll = true
  const walk = async (folders: readonly string[]) => {
    knowsAll &&= folders.every(options.covers)
    wasCut = !(await collect(database, folders, search)) || wasCut
  }
  await walkRoots(options.roots, walk, unread, signal)
  if (!knowsAll) return undefined
  await lookUp(top.list(), search, (file) => verified.add(file))
  return {
    found: verified.list().map(toFoundFile),
    truncated:
      wasCut || signal.aborted || unread.hasSilentDisk() || top.overflowed() || verified.overflowed(),
    unread: unread.list(),
  }
}

/** What one search works with. */
interface IndexSearch {
  readonly matcher: NameMatcher
  readonly where: SearchWhere
  readonly sort: SearchSort
  /** Number of files in the list of the best. */
  readonly most: number
  readonly unread: UnreadParts
  readonly top: ReturnType<typeof createTopFiles<Candidate>>
  readonly signal: AbortSignal
  readonly isOver: () => boolean
  readonly onStale: (folder: string) => void
}

/** Puts the rows below these roots that match into the list of the best. @returns false if the time was over. */
async function collect(
  database: DatabaseSync,
  roots: readonly string[],
  search: IndexSearch,
): Promise<boolean> {
  const { matcher, where, sort, most, unread, top, isOver } = search
  const isWanted = createFileTest(where, { isWindows: process.platform === 'win32' })
  const rootOf = createRootFinder(roots)
  noteProblems(database, rootOf, unread)
  // Without its time a file stands behind its equals until the time is read: to look up all of them would take minutes.
  const { minBytes, maxBytes, modifiedAfter, modifiedBefore } = where
  const isBounded = [minBytes, maxBytes, modifiedAfter, modifiedBefore].some((each) => each !== undefined)
  const needsFacts = isBounded || !['relevance', 'name'].includes(sort)
  const turns = createTurns()
  let unknown: Candidate[] = []
  const readUnknown = async () => {
    const files = unknown
    unknown = []
    await lookUp(files, search, (file) => top.add(file))
  }
  let seen = 0
  for (const { sql, values, key } of statementsOf(matcher, where, sort)) {
    let kept = 0
    let lastKey: unknown
    for (const each of database.prepare(sql).iterate(...values)) {
      if (++seen % 128 === 0) await turns.rest()
      if (isOver()) return false
      const row = toIndexRow(each as unknown as IndexRow) // the columns of every statement
      const root = rootOf(row.folder)
      const file = root === undefined ? undefined : toCandidate(row, root, matcher)
      if (!file || !isWanted(isKnown(row) ? file : { ...file, size: undefined, modified: undefined }))
        continue
      if (!top.hasRoom(file.rank)) continue
      // The rows are in the order of the search: all that follow are worse.
      if (key !== undefined && kept > most && row[key] !== lastKey) break
      if (isKnown(row) || !needsFacts) top.add(file)
      else unknown.push(file)
      if (isKnown(row)) kept += 1
      lastKey = key && row[key]
      if (unknown.length >= lookedUpAtOnce) await readUnknown()
    }
  }
  await readUnknown()
  return true
}

const isKnown = ({ size, modifiedMs }: IndexRow): boolean => size !== null && modifiedMs !== null

/** The root that a folder lies in. Most rows come from the folder of the row before. */
export function createRootFinder(roots: readonly string[]): (folder: string) => string | undefined {
  let last: { readonly folder: string; readonly root: string | undefined } | undefined
  return (folder) => {
    if (last?.folder === folder) return last.root
    const root = roots.find((each) => {
      const start = each.endsWith(path.sep) ? each : `${each}${path.sep}`
      return folder === each || folder.startsWith(start)
    })
    last = { folder, root }
    return root
  }
}

function toCandidate(row: IndexRow, root: string, { matches, rank }: NameMatcher): Candidate | undefined {
  const { folder, name, size, modifiedMs, kind } = row
  // Asked for each row, so it is not normalized: the index has normal paths.
  const fullPath = () => (folder.endsWith(path.sep) ? folder + name : folder + path.sep + name)
  const relativePath = () => toSlashes(path.relative(root, fullPath()))
  if (!matches({ name, path: relativePath, fullPath: () => toSlashes(fullPath()) })) return undefined
  const facts = { size: size ?? 0, modified: toTimestamp(modifiedMs ?? 0), modifiedMs }
  const folderKind = kind === 'folder' ? { kind } : {}
  return {
    path: fullPath().toWellFormed(),
    name: name.toWellFormed(),
    ...facts,
    ...folderKind,
    rank: rank(name),
    row,
    root,
  }
}

const toSlashes = (value: string): string => (path.sep === '/' ? value : value.replaceAll(path.sep, '/'))

/** Looks files up on the disk, and takes those that are there and meet the conditions. */
async function lookUp(
  files: readonly Candidate[],
  { where, unread, signal, onStale }: IndexSearch,
  take: (file: Candidate) => void,
): Promise<void> {
  const isWanted = createFileTest(where, { isWindows: process.platform === 'win32' })
  const lookUpOne = async (file: Candidate): Promise<void> => {
    const { row, root } = file
    const entry = toEntry(row, row.kind === 'folder')
    const found = await describeFile({ folder: row.folder, root }, entry, unread, signal)
    if (!found || (row.size !== null && found.size !== row.size)) onStale(row.folder)
    if (found && isWanted(found)) take({ ...file, ...found, modifiedMs: Date.parse(found.modified) })
  }
  for (let at = 0; at < files.length && !signal.aborted; at += lookedUpAtOnce)
    await Promise.all(files.slice(at, at + lookedUpAtOnce).map(lookUpOne))
}

/** Notes the folders that the last look could not list. */
export function noteProblems(
  database: DatabaseSync,
  rootOf: (folder: string) => string | undefined,
  unread: UnreadParts,
): void {
  for (const row of database
    .prepare('select path, problem from folders where problem is not null')
    .iterate()) {
    const folder = String(row['path'])
    const root = rootOf(folder)
    if (root !== undefined) unread.note(String(row['problem']), { path: folder, root })
  }
}

interface Statement {
  readonly sql: string
  readonly values: SQLInputValue[]
  /** The column that its rows are ordered by, in the order of the search; undefined if they are not. */
  readonly key?: 'size' | 'modifiedMs' | undefined
}

/** What gives all rows that may match: those of files, and those of folders if they are asked for. */
function statementsOf(matcher: NameMatcher, where: SearchWhere, sort: SearchSort): readonly Statement[] {
  const { kind } = where
  const statements = kind?.every((each) => each === 'folder') ? [] : [fileStatement(matcher, where, sort)]
  if (!kind?.includes('folder')) return statements
  return [...statements, { sql: folderRows, values: [] }]
}

/** Folders are few beside files: all are looked at. Their parts are set apart in {@link toIndexRow}. */
const folderRows = `select path as folder, '' as name, null as raw, 'folder' as kind, 0 as size, seen_ms as modifiedMs
  from folders where parent >= 0`

/** A row as a statement gives it: a folder lies in the one above it. */
function toIndexRow(row: IndexRow): IndexRow {
  if (row.kind !== 'folder') return row
  return { ...row, folder: path.dirname(row.folder), name: path.basename(row.folder) }
}

function fileStatement(matcher: NameMatcher, where: SearchWhere, sort: SearchSort): Statement {
  const words = toWordQuery(matcher.parts)
  const { conditions, values } = conditionsOf(where)
  const all = words === undefined ? conditions : ['names match ?', ...conditions]
  const source = words === undefined ? 'files' : 'names cross join files on files.id = names.rowid'
  const sql = `select folders.path as folder, files.name, files.raw, files.kind, files.size, files.modified_ms as modifiedMs
    from ${source} cross join folders on folders.id = files.folder
    ${all.length > 0 ? `where ${all.join(' and ')}` : ''}`
  // To sort all files of a disk would hold the event loop; those that hold a word are few.
  const { column, key } = (words && columnsBySort.get(sort.replace('-', ''))) || {}
  // Files without facts come first: they are looked up.
  const order = column && ` order by files.size is not null, ${column} ${sort.startsWith('-') ? 'desc' : ''}`
  return { sql: sql + (order ?? ''), values: words === undefined ? values : [words, ...values], key }
}

const columnsBySort: ReadonlyMap<string, { readonly column: string; readonly key: Statement['key'] }> =
  new Map([
    ['size', { column: 'files.size', key: 'size' }],
    ['modified', { column: 'files.modified_ms', key: 'modifiedMs' }],
  ])

/** What the conditions of a search are in SQL. Rows that meet them may still not be wanted. */
export function conditionsOf(where: SearchWhere): { conditions: string[]; values: SQLInputValue[] } {
  const { kind, minBytes = 0, maxBytes, modifiedAfter, modifiedBefore, extension } = where
  const conditions: string[] = []
  const values: SQLInputValue[] = []
  const add = (condition: string, ...some: readonly SQLInputValue[]) => {
    conditions.push(condition)
    values.push(...some)
  }
  if (kind) add(`files.kind in (${kind.map(() => '?').join(', ')})`, ...kind)
  if (minBytes > 0) add('(files.size is null or files.size >= ?)', minBytes)
  if (maxBytes !== undefined) add('(files.size is null or files.size <= ?)', maxBytes)
  const isUnknown = 'files.size is null or files.modified_ms is null'
  if (modifiedAfter !== undefined) add(`(${isUnknown} or files.modified_ms >= ?)`, Date.parse(modifiedAfter))
  if (modifiedBefore !== undefined)
    add(`(${isUnknown} or files.modified_ms <= ?)`, Date.parse(modifiedBefore))
  // SQLite folds ASCII only; the test of each row does the rest.
  if (extension?.every((each) => /^[\w.+-]+$/.test(each))) {
    const ends = extension.map((each) => `_%.${each.replaceAll('_', '\\_')}`)
    add(`(${ends.map(() => "files.name like ? escape '\\'").join(' or ')})`, ...ends)
  }
  return { conditions, values }
}

/** A query of the word index: all trigrams of all parts of one of the lists. Undefined if a part is too short for one. */
function toWordQuery(lists: NameMatcher['parts']): string | undefined {
  const queries = lists?.map((parts) => parts.flatMap(toTrigrams))
  if (queries === undefined || queries.length === 0 || queries.some((trigrams) => trigrams.length === 0))
    return undefined
  return queries.map((trigrams) => `(${toAllOf(trigrams)})`).join(' OR ')
}

/** A query of a word index for what has all of these. */
export const toAllOf = (trigrams: readonly string[]): string =>
  trigrams.map((each) => `"${each.replaceAll('"', '""')}"`).join(' AND ')

/** All pieces of three letters. */
export function toTrigrams(part: string): readonly string[] {
  const letters = Array.from(part)
  return letters.slice(2).map((last, at) => `${letters[at]}${letters[at + 1]}${last}`)
}
