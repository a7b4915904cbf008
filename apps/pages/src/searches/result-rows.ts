import { createFileRank, type FileMatch, type SearchQuery } from '@homeward/contract/device-cloud'
import type { TableSort } from '../components/table/data-table.tsx'

/** One file, app or other answer of one device. */
export interface ResultRow {
  readonly id: string
  /** `files`, `apps`, `system`, or a scope of an integrator's own. */
  readonly scope: string
  readonly device: SearchQuery['device']
  readonly name: string
  /** Path of a file or an app; facts or JSON of any other answer. */
  readonly detail: string
  /** `folder` for a folder; files only. */
  readonly kind?: string | undefined
  /** Bytes; files only. */
  readonly size?: number
  /** ISO 8601; files only. */
  readonly modified?: string
  /** Apps only. */
  readonly running?: boolean
  /** ISO 8601: when the device left the list that the file is from. Absent once the device has answered. */
  readonly listedAt?: string | undefined
  /** Lines of a file that hold the search text. */
  readonly matches?: readonly FileMatch[] | undefined
}

/** Which rows of the results show, and in which order. */
export interface ResultFilter {
  /** Part of a name, a path, a line or a device's name; empty for any. */
  readonly text: string
  /** Id of a device; `all` for any. */
  readonly on: string
  /** A scope; `all` for any. */
  readonly kind: string
  /** A key of {@link resultOrders}; any other is by relevance. */
  readonly sort: string
}

type WithoutDevice = Omit<ResultRow, 'id' | 'device'>

/** Everything that the devices of searches found, one row for each file, app or other answer. */
export function toResultRows(searches: readonly SearchQuery[]): readonly ResultRow[] {
  return searches.flatMap(({ id, device, results }) => {
    if (results === null) return []
    const { files = [], apps = [], system, truncated: _, unread: __, source, asOf, ...others } = results
    const listed = source === 'catalog' && asOf !== undefined ? { listedAt: asOf } : {}
    const rows: WithoutDevice[] = [
      ...files.map(({ path, ...file }) => ({ scope: 'files', detail: path, ...file, ...listed })),
      ...apps.map(({ path, ...app }) => ({ scope: 'apps', detail: path, ...app })),
      ...(system ? [{ scope: 'system', name: 'System', detail: Object.values(system).join(' · ') }] : []),
      ...Object.entries(others).flatMap(([scope, answer]) => otherRows(scope, answer)),
    ]
    return rows.map((row, index): ResultRow => ({ ...row, id: `${id} ${index}`, device }))
  })
}

/** Answers of a scope that is not documented: a list has a row for each entry. */
function otherRows(scope: string, answer: unknown): readonly WithoutDevice[] {
  const answers: readonly unknown[] = Array.isArray(answer) ? answer : [answer]
  return answers
    .filter((each) => each !== undefined && each !== null)
    .map((each) => {
      const named: unknown = typeof each === 'object' && each !== null ? Reflect.get(each, 'name') : undefined
      return {
        scope,
        name: typeof named === 'string' ? named : scope,
        detail: typeof each === 'string' ? each : (JSON.stringify(each) ?? ''),
      }
    })
}

const names = new Intl.Collator(undefined, { numeric: true })
const byName = (a: ResultRow, b: ResultRow) => names.compare(a.name, b.name)

const timeOf = ({ modified = '1970-01-01' }: ResultRow) => Date.parse(modified)
const byTime = (a: ResultRow, b: ResultRow) => timeOf(b) - timeOf(a)
const bySize = (a: ResultRow, b: ResultRow) => (b.size ?? -1) - (a.size ?? -1)

/** Orders of the results, by the name that the address has. */
const resultOrders: Readonly<Record<string, (a: ResultRow, b: ResultRow) => number>> = {
  newest: byTime,
  oldest: (a, b) => byTime(b, a),
  name: byName,
  device: (a, b) => names.compare(a.device.name, b.device.name) || byName(a, b),
  path: (a, b) => names.compare(a.detail, b.detail),
  largest: bySize,
  smallest: (a, b) => bySize(b, a),
}

/** The order of the results that a search asked its devices for. */
const orderOfSort: Readonly<Record<string, string>> = {
  modified: 'oldest',
  '-modified': 'newest',
  size: 'smallest',
  '-size': 'largest',
  name: 'name',
}

/** The order that results begin with. @param sort of the search. */
export const usualOrder = (sort: string | undefined): string => orderOfSort[sort ?? ''] ?? 'best'

/** The columns of the table that sort, and the order that each begins with. */
const sortOfColumn: Readonly<Record<string, string>> = {
  name: 'name',
  device: 'device',
  detail: 'path',
  size: 'largest',
  modified: 'newest',
}

/** The order after a press on a header: a second press ends it. */
export function nextResultSort(sort: string, column: string): string {
  const next = sortOfColumn[column] ?? 'best'
  return next === sort ? 'best' : next
}

/** What the table shows of an order. */
export function toTableSort(sort: string): TableSort | undefined {
  const column = Object.keys(sortOfColumn).find((name) => sortOfColumn[name] === sort)
  if (column === undefined) return undefined
  const isHighestFirst = sort === 'largest' || sort === 'newest'
  return { column, direction: isHighestFirst ? 'descending' : 'ascending' }
}

/** The rows that fit a filter, in its order: else those first whose name fits the search best. */
export function pickResults(
  rows: readonly ResultRow[],
  filter: ResultFilter,
  query: string,
): readonly ResultRow[] {
  const words = filter.text.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  const picked = rows.filter(
    (row) =>
      (filter.on === 'all' || row.device.id === filter.on) &&
      (filter.kind === 'all' || row.scope === filter.kind) &&
      (words.length === 0 || hasAll(row, words)),
  )
  const order = Object.hasOwn(resultOrders, filter.sort) ? resultOrders[filter.sort] : undefined
  if (order) return picked.toSorted(order)
  const rank = createFileRank(query)
  return picked
    .map((row) => ({ row, rank: row.scope === 'files' ? rank(row.name) : Infinity }))
    .toSorted((a, b) => (a.rank === b.rank ? byTime(a.row, b.row) : a.rank - b.rank))
    .map(({ row }) => row)
}

function hasAll({ name, detail, device, matches = [] }: ResultRow, words: readonly string[]): boolean {
  const lines = matches.map(({ text }) => text)
  const text = [name, detail, device.name, ...lines].join('\n').toLocaleLowerCase()
  return words.every((word) => text.includes(word))
}

/** How many rows there are of each value, the most frequent first. */
export function countRows(
  rows: readonly ResultRow[],
  valueOf: (row: ResultRow) => readonly [value: string, label: string],
): readonly { readonly value: string; readonly label: string; readonly count: number }[] {
  const found = new Map<string, { value: string; label: string; count: number }>()
  for (const row of rows) {
    const [value, label] = valueOf(row)
    const known = found.get(value)
    if (known) known.count += 1
    else found.set(value, { value, label, count: 1 })
  }
  return [...found.values()].toSorted((a, b) => b.count - a.count)
}
