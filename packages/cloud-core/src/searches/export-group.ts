import type { ExportFormat } from '@homeward/contract/device-cloud'
import { readBoundedPage } from '@homeward/contract/handler'
import { toTimestamp } from '../context/time.ts'
import type { PagePosition } from '../ports/page.ts'
import type { SearchStore, StoredSearch } from '../ports/search-store.ts'
import type { ResultFiles } from './result-files.ts'
import { type AnswerRow, toAnswerRows } from './answer-rows.ts'

/** What a spreadsheet takes for the start of a formula, also in the wide forms of East Asian texts. */
const startsFormula = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/

/**
 * One line of comma-separated values (RFC 4180). A text that a spreadsheet would run as a formula gets an apostrophe in
 * front: devices choose the names of their files, and people open exports by a double click.
 */
export function toCsvLine(cells: readonly unknown[]): string {
  return `${cells.map(toCell).join(',')}\r\n`
}

function toCell(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = startsFormula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Searches that are read at once at the most. */
const maxRows = 200
/** Results that are in memory at once, in bytes; one search can have more. */
const maxBytes = 1024 * 1024

/** Columns of known scopes; what else an answer has stands in `other`, as JSON. */
const columns = ['path', 'name', 'size', 'modified', 'running', 'cpu', 'memory', 'disk'] as const

/** What to export. */
interface GroupExport {
  readonly store: Pick<SearchStore, 'listSearches'>
  readonly resultFiles: Pick<ResultFiles, 'read'>
  readonly now: () => number
  readonly userId: string
  readonly groupId: string
  readonly format: ExportFormat
}

/** Results of a group as a file that is written as fast as it is read: a few searches are in memory at a time. */
export function exportGroup(exported: GroupExport): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const texts = exportedTexts(exported)
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await texts.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
      cancel: async () => void (await texts.return(undefined)),
    },
    { highWaterMark: 0 },
  )
}

async function* exportedTexts({ store, resultFiles, now, userId, groupId, format }: GroupExport) {
  const [head, toLine, toGapLine] = format === 'csv' ? [csvHead, toCsv, toCsvGap] : ['', toJson, toJsonGap]
  if (head !== '') yield head
  let after: PagePosition | undefined
  do {
    const page = await readBoundedPage({
      limit: maxRows,
      after,
      maxBytes,
      async read(limit, from: PagePosition | undefined) {
        const part = { limit, ...(from && { after: from }) }
        const found = await store.listSearches(userId, { groupId }, part, toTimestamp(now()))
        return { ...found, rows: await resultFiles.read(found.rows) }
      },
    })
    for (const search of page.rows) {
      const rows = toAnswerRows(search.results ?? {}).map((row) => toLine(search, row))
      const gap = gapOf(search)
      if (gap !== undefined) rows.push(toGapLine(search, gap))
      if (rows.length > 0) yield rows.join('')
    }
    after = page.next
  } while (after !== undefined)
}

/** Kinds of the rows of known scopes. */
const kinds: Readonly<Record<string, string>> = { files: 'file', apps: 'app' }
const kindOf = ({ scope, fields }: AnswerRow) => {
  if (scope === 'files' && fields['kind'] === 'folder') return 'folder'
  return Object.hasOwn(kinds, scope) ? kinds[scope] : scope
}

// Excel takes a file without the mark for one of the system's code page.
const csvHead = `\uFEFF${toCsvLine(['deviceId', 'deviceName', 'searchId', 'kind', ...columns, 'other', 'error'])}`

/** Why the rows of a device are not all there is; undefined if they are. */
function gapOf({ status, error, results, resultsGone }: StoredSearch): string | undefined {
  if (status === 'pending') return 'pending'
  const { truncated = {}, unread = [] } = results ?? {}
  const cut = Object.keys(truncated).filter((scope) => truncated[scope] === true)
  const gaps = [
    ...(status === 'failed' ? [error ?? 'failed'] : []),
    ...(resultsGone ? ['the results were deleted because of their age'] : []),
    ...(cut.length > 0 ? [`truncated: ${cut.join(', ')}`] : []),
    ...unread.map(({ scope, reason, path, count }) =>
      ['unread:', scope, reason, ...(path === undefined ? [] : [path]), `(${count})`].join(' '),
    ),
  ]
  return gaps.length === 0 ? undefined : gaps.join('; ')
}

function toCsvGap({ id, deviceId, deviceName }: StoredSearch, gap: string): string {
  return toCsvLine([deviceId, deviceName, id, '', ...columns.map(() => ''), '', gap])
}

function toJsonGap({ id, deviceId, deviceName }: StoredSearch, gap: string): string {
  return `${JSON.stringify({ device: { id: deviceId, name: deviceName }, searchId: id, error: gap })}\n`
}

function toCsv({ id, deviceId, deviceName }: StoredSearch, row: AnswerRow): string {
  const { scope, fields } = row
  const known = new Set<string>(scope === 'files' ? [...columns, 'kind'] : columns)
  const others = Object.entries(fields).filter(([name]) => !known.has(name))
  const other = others.length > 0 ? Object.fromEntries(others) : undefined
  return toCsvLine([deviceId, deviceName, id, kindOf(row), ...columns.map((name) => fields[name]), other, ''])
}

function toJson({ id, deviceId, deviceName }: StoredSearch, row: AnswerRow): string {
  const { scope, fields } = row
  const kind = kindOf(row)
  // what a file is follows from its name
  const own = scope === 'files' ? { ...fields, kind } : fields
  return `${JSON.stringify({ device: { id: deviceId, name: deviceName }, searchId: id, kind, ...own })}\n`
}
