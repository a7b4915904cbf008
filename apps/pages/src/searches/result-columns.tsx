import { StatusBadge } from '../components/states/status-badge.tsx'
import type { DataColumn } from '../components/table/data-table.tsx'
import { ByteSize } from '../components/text/byte-size.tsx'
import { MiddleCut } from '../components/text/middle-cut.tsx'
import { FileDate, RelativeTime } from '../components/text/relative-time.tsx'
import { toMatchText } from '../uploads/file-panel.tsx'
import { FileName } from './file-icon.tsx'
import type { ResultRow } from './result-rows.ts'

type Column = DataColumn<ResultRow>

const none = <span className="muted">–</span>

const name: Column = {
  id: 'name',
  isSortable: true,
  header: 'Name',
  cell: ({ name: text, scope, kind: fileKind }) =>
    scope === 'files' ? <FileName name={text} kind={fileKind} /> : <span title={text}>{text}</span>,
  width: '3fr',
  minWidth: 240,
}
const device: Column = {
  id: 'device',
  isSortable: true,
  header: 'Device',
  cell: ({ device: { name: text }, listedAt }) => (
    <span title={text}>
      {text}
      {listedAt !== undefined && (
        <small className="muted">
          {' '}
          from <RelativeTime value={listedAt} />, device is off
        </small>
      )}
    </span>
  ),
  width: '1fr',
  minWidth: 132,
}
const kind: Column = { id: 'kind', header: 'Kind', cell: ({ scope }) => scope, width: 80 }
const match: Column = {
  id: 'match',
  header: 'Line',
  cell: ({ matches = [] }) => {
    const [first] = matches
    if (!first) return none
    const all = matches.map(toMatchText).join('\n')
    const rest = matches.length > 1 ? ` (+${matches.length - 1})` : ''
    return (
      <span className="mono" title={all}>
        {`${toMatchText(first)}${rest}`}
      </span>
    )
  },
  cardCell: () => undefined,
  width: '3fr',
  minWidth: 150,
}
const size: Column = {
  id: 'size',
  isSortable: true,
  header: 'Size',
  cell: ({ size: bytes }) => (bytes === undefined ? none : <ByteSize value={bytes} />),
  cardCell: ({ size: bytes }) => (bytes === undefined ? undefined : <ByteSize value={bytes} />),
  width: 98,
  align: 'end',
}
const modified: Column = {
  id: 'modified',
  isSortable: true,
  header: 'Changed',
  cell: ({ modified: time }) => (time === undefined ? none : <FileDate value={time} />),
  width: 120,
  cardCell: ({ modified: time }) => (time === undefined ? undefined : <FileDate value={time} />),
}
const running: Column = {
  id: 'running',
  header: 'Running',
  cell: ({ running: isRunning }) =>
    isRunning === undefined ? (
      none
    ) : (
      <StatusBadge status={isRunning ? 'running' : 'stopped'} tone={isRunning ? 'good' : 'neutral'} />
    ),
  cardCell: () => undefined,
  width: 110,
}

/** The folder of a path, without the name that stands beside it. */
const folderOf = (path: string) => path.replace(/[/\\][^/\\]*$/, '') || path

const detailColumn = (isPath: boolean): Column => ({
  id: 'detail',
  isSortable: true,
  header: isPath ? 'Folder' : 'Details',
  cell: ({ detail, scope }) => (
    <span className="muted" title={detail}>
      {scope === 'files' ? <MiddleCut text={folderOf(detail)} keep={20} isPath /> : detail}
    </span>
  ),
  // of the folder its own name: the line is short
  cardCell: ({ detail, scope }) => (scope === 'files' ? folderOf(detail).split(/[/\\]/).at(-1) : undefined),
  width: '2fr',
  minWidth: 150,
})

/** Facts that decide which columns of results are shown. */
interface ColumnOptions {
  /** A scope; `all` for any. */
  readonly chosenKind: string
  /** Whether all rows are of one device, which the page names. */
  readonly isOneDevice: boolean
  /** Whether a panel stands beside the table, and says the rest. */
  readonly isBeside: boolean
}

/** Columns for what was found: those that no shown row has anything for are left out. */
export function resultColumns(rows: readonly ResultRow[], options: ColumnOptions): readonly Column[] {
  const { chosenKind, isOneDevice, isBeside } = options
  const shown = chosenKind === 'all' ? rows : rows.filter(({ scope }) => scope === chosenKind)
  const scopes = new Set(shown.map(({ scope }) => scope))
  const isPath = [...scopes].every((scope) => scope === 'files' || scope === 'apps')
  const isFiles = scopes.has('files')
  const hasMatches = shown.some(({ matches = [] }) => matches.length > 0)
  if (isBeside) return [name, ...(isOneDevice ? [] : [device]), ...(isFiles ? [modified] : [])]
  return [
    name,
    ...(hasMatches ? [match] : []),
    detailColumn(isPath),
    ...(isOneDevice ? [] : [device]),
    ...(scopes.size > 1 ? [kind] : []),
    ...(isFiles ? [size, modified] : []),
    ...(scopes.has('apps') ? [running] : []),
  ]
}
