import { foldCase } from '@homeward/kit'
import { fileKindOf } from './file-kind.ts'
import type { SearchSort, SearchWhere } from './search-selection.ts'
import { readSearchWords } from './search-words.ts'

/** Known fields of a found file. A missing field meets every condition. */
export interface SelectableFile {
  readonly path?: string | undefined
  readonly name?: string | undefined
  readonly size?: number | undefined
  readonly modified?: string | undefined
  readonly kind?: string | undefined
  /** Rank of the name for the search text, if known: see `createFileRank`. */
  readonly rank?: number
  /** `modified` in milliseconds, if known, because parsing dates is the slowest part of sorting. */
  readonly modifiedMs?: number | null
}

/** Operating system rules for the paths. */
export interface SelectionPlace {
  /** Whether paths follow Windows rules: case and the direction of slashes are ignored. */
  readonly isWindows: boolean
}

/**
 * Compiles the conditions of a search to a test. The test also accepts a file with only some of its fields.
 *
 * @example
 * const isWanted = createFileTest({ kind: ['image'], minBytes: 1000 }, { isWindows: false })
 * isWanted({ name: 'a.png', size: 2000 }) // true
 */
export function createFileTest(
  where: SearchWhere,
  { isWindows }: SelectionPlace,
): (file: SelectableFile) => boolean {
  const { kind, minBytes = 0, maxBytes = Infinity, modifiedAfter, modifiedBefore } = where
  const endings = where.extension?.map((each) => `.${each.toLowerCase()}`)
  const fromMs = modifiedAfter === undefined ? -Infinity : Date.parse(modifiedAfter)
  const toMs = modifiedBefore === undefined ? Infinity : Date.parse(modifiedBefore)
  const isInFolder = createFolderTest(where.folder, isWindows)
  const isOfKind = ({ name, kind: given }: SelectableFile) => {
    const known = given ?? (name === undefined ? undefined : fileKindOf(name))
    return kind === undefined || known === undefined || kind.includes(known)
  }
  const endsSo = (name: string) => {
    const lower = name.toLowerCase()
    return endings?.some((ending) => lower.endsWith(ending) && lower.length > ending.length) ?? true
  }
  return (file) => {
    const { path, name, size, modified } = file
    if (!isOfKind(file)) return false
    if (endings && name !== undefined && (file.kind === 'folder' || !endsSo(name))) return false
    if (path !== undefined && !isInFolder(path)) return false
    if (size !== undefined && (size < minBytes || size > maxBytes)) return false
    if (modified === undefined) return true
    const ms = Date.parse(modified)
    return ms >= fromMs && ms <= toMs
  }
}

function createFolderTest(folder: string | undefined, isWindows: boolean): (path: string) => boolean {
  if (folder === undefined) return () => true
  const normalize = (path: string) => (isWindows ? foldCase(path.replaceAll('\\', '/')) : path)
  const start = normalize(folder).replace(/\/+$/, '')
  return (path) => {
    const subject = normalize(path)
    return subject === start || subject.startsWith(`${start}/`)
  }
}

/** Compares two files for sorting. */
export type CompareFiles = (one: SelectableFile, other: SelectableFile) => number

/**
 * Compiles the order of a search's files. Equal files are sorted by path.
 *
 * @param query search text for the relevance of names
 * @example
 * files.toSorted(createFileOrder('-modified', 'invoice'))
 */
export function createFileOrder(sort: SearchSort, query: string): CompareFiles {
  const compare = (orders.get(sort) ?? byRelevance)(query)
  return (one, other) => compare(one, other) || byText(one.path ?? '', other.path ?? '')
}

const byText = (one: string, other: string) => (one === other ? 0 : one < other ? -1 : 1)
const bySize: CompareFiles = (one, other) => (one.size ?? 0) - (other.size ?? 0)
// compared as numbers: offsets and fractions differ between agents
const byTime: CompareFiles = (one, other) => timeOf(one) - timeOf(other)
const timeOf = ({ modifiedMs, modified }: SelectableFile): number =>
  modifiedMs ?? (modified === undefined ? 0 : Date.parse(modified))
const reversed =
  (compare: CompareFiles): CompareFiles =>
  (one, other) =>
    compare(other, one)

function byRelevance(query: string): CompareFiles {
  const rank = createFileRank(query)
  const rankOf = (file: SelectableFile) => file.rank ?? rank(file.name ?? '')
  return (one, other) => rankOf(one) - rankOf(other) || byTime(other, one)
}

const orders: ReadonlyMap<SearchSort, (query: string) => CompareFiles> = new Map([
  ['name', () => (one, other) => byText(foldCase(one.name ?? ''), foldCase(other.name ?? ''))],
  ['modified', () => byTime],
  ['-modified', () => reversed(byTime)],
  ['size', () => bySize],
  ['-size', () => reversed(bySize)],
])

/**
 * Creates a function that ranks a name for a search text; lower is better. For a glob, all names have the same rank.
 *
 * @example
 * createFileRank('report')('report.pdf') // 0, the whole name
 */
export function createFileRank(query: string): (name: string) => number {
  const words = readSearchWords(query)
  return words?.rank ?? (() => 0)
}
