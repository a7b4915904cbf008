import { StatusBadge } from '../components/states/status-badge.tsx'
import type { DataColumn } from '../components/table/data-table.tsx'
import { ByteSize } from '../components/text/byte-size.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { FileAction } from '../uploads/file-action.tsx'
import { FileName } from './file-icon.tsx'
import { toMatchText } from './describe-outcome.ts'
import type { ResultRow } from './result-rows.ts'

type Column = DataColumn<ResultRow>

const none = <span className="muted">–</span>

const name: Column = {
  id: 'name',
  isSortable: true,
  header: 'Name',
  cell: ({ name: text, scope, kind: fileKind }) =>
    scope === 'files' ? <FileName name={text} kind={fileKind} /> : <span title={text}>{text}</span>,
  width: '2fr',
  minWidth: 160,
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
  width: '3fr',
  minWidth: 150,
}
const size: Column = {
  id: 'size',
  isSortable: true,
  header: 'Size',
  cell: ({ size: bytes }) => (bytes === undefined ? none : <ByteSize value={bytes} />),
  width: 98,
  align: 'end',
}
const modified: Column = {
  id: 'modified',
  isSortable: true,
  header: 'Changed',
  cell: ({ modified: time }) => (time === undefined ? none : <RelativeTime value={time} />),
  width: 120,
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
  width: 110,
}
const get: Column = {
  id: 'get',
  header: 'File',
  cell: (row) =>
    row.scope === 'files' && row.kind !== 'folder' && row.modified !== undefined ? (
      <FileAction
        key={row.id}
        deviceId={row.device.id}
        filePath={row.detail}
        fileName={row.name}
        modified={row.modified}
      />
    ) : (
      none
    ),
  width: 250,
}

/** Columns for what was found: those that no shown row has anything for are left out. */
export function resultColumns(rows: readonly ResultRow[], chosenKind: string): readonly Column[] {
  const shown = chosenKind === 'all' ? rows : rows.filter(({ scope }) => scope === chosenKind)
  const scopes = new Set(shown.map(({ scope }) => scope))
  const isPath = [...scopes].every((scope) => scope === 'files' || scope === 'apps')
  const detail: Column = {
    id: 'detail',
    isSortable: true,
    header: isPath ? 'Path' : 'Details',
    cell: ({ detail: text }) => (
      <span className="mono" title={text}>
        {text}
      </span>
    ),
    width: '2fr',
    minWidth: 140,
  }
  const isFiles = scopes.has('files')
  return [
    name,
    device,
    ...(scopes.size > 1 ? [kind] : []),
    detail,
    ...(shown.some(({ matches = [] }) => matches.length > 0) ? [match] : []),
    ...(isFiles ? [size, modified] : []),
    ...(scopes.has('apps') ? [running] : []),
    ...(isFiles ? [get] : []),
  ]
}
