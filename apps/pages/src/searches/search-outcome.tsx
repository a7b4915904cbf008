import type { SearchQuery, SearchResults, FoundFile, FoundApp } from '@homeward/contract/device-cloud'
import { CircleAlert, Hourglass } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { Card } from '../components/layout/card.tsx'
import { CodeBlock } from '../components/text/code-block.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { Facts } from '../components/layout/facts.tsx'
import { Notice } from '../components/states/notice.tsx'
import { useDevice } from '../devices/use-devices.ts'
import { describeError } from '../components/text/describe-error.ts'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { describeSkipped, describeUnread, toMatchText } from './describe-outcome.ts'
import { FoundFiles } from './found-files.tsx'
import { type DataColumn, DataTable } from '../components/table/data-table.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'

/** What came of a search: what was found, scope by scope; why it failed; or what it waits for. */
export function SearchOutcome({ search }: { readonly search: SearchQuery }) {
  const { status, error, results } = search
  if (status === 'pending') {
    if (results === null) return <Waiting deviceId={search.device.id} />
    return (
      <>
        <Notice tone="info">
          The device has not answered yet. These files are from the list that it left
          {results.asOf !== undefined && (
            <>
              {' '}
              <RelativeTime value={results.asOf} />
            </>
          )}
          . Its own results replace them.
        </Notice>
        <Found search={search} results={results} />
      </>
    )
  }
  return (
    <>
      {status === 'failed' && (
        <div className="state" role="alert" data-tone="bad" data-inline>
          <CircleAlert aria-hidden />
          <div className="state-text">
            <strong>The search failed</strong>
            <p className="foreign">{describeError(error) ?? 'The device gave no reason.'}</p>
          </div>
        </div>
      )}
      {results !== null && <Found search={search} results={results} />}
    </>
  )
}

function Waiting({ deviceId }: { readonly deviceId: string }) {
  const { device } = useDevice(deviceId)
  const isOffline = device?.status === 'offline'
  const asksOwner = device?.metadata['consent'] === 'ask'
  return (
    <Card>
      <EmptyState
        icon={<Hourglass aria-hidden />}
        title={isOffline ? 'The device is offline' : asksOwner ? 'The owner is asked' : 'The device is asked'}
      >
        {isOffline
          ? 'The device gets the search when it reconnects. Its results appear here.'
          : asksOwner
            ? 'The owner of the device has to allow the search there. Without an answer it fails after some minutes.'
            : 'The device polls the server, usually every 30 seconds. Its results appear here.'}
      </EmptyState>
    </Card>
  )
}

interface FoundProps {
  readonly search: SearchQuery
  readonly results: SearchResults
}

function Found({ search, results }: FoundProps) {
  const { files, apps, system, truncated = {}, unread, skipped, source: _, asOf: __, ...others } = results
  const parts: ReactNode[] = []
  if (files) parts.push(<FoundFiles key="files" files={files} deviceId={search.device.id} />)
  if (files) parts.push(<FileMatches key="matches" files={files} />)
  if (apps) parts.push(<FoundApps key="apps" apps={apps} />)
  if (system) {
    parts.push(
      <Card key="system" title="System">
        <Facts
          facts={[
            ['Processor', system.cpu],
            ['Memory', system.memory],
            ['Disk', system.disk],
          ]}
        />
      </Card>,
    )
  }
  for (const [scope, found] of Object.entries(others)) {
    parts.push(
      <Card key={`other ${scope}`} title={<span className="foreign">{scope}</span>}>
        <CodeBlock code={JSON.stringify(found, null, 2) ?? ''} label="what was found" isWrapped />
      </Card>,
    )
  }
  const cut = Object.keys(truncated).filter((scope) => truncated[scope] === true)
  const unseen = [describeUnread(unread), describeSkipped(skipped)].filter((text) => text !== undefined)
  return (
    <>
      {cut.length > 0 && (
        <Notice tone="warn">
          The device found more than fits into a result. Incomplete: {cut.join(', ')}.
        </Notice>
      )}
      {unseen.length > 0 && (
        <Notice tone="warn">
          <span className="foreign">{unseen.join(' ')}</span>
        </Notice>
      )}
      {parts.length > 0 ? parts : <EmptyState title="Nothing found" />}
    </>
  )
}

/** More files than this make a page that nobody reads. */
const maxFiles = 100

/** Lines of files that hold the search text; nothing if no file has any. */
function FileMatches({ files }: { readonly files: readonly FoundFile[] }) {
  const matched = files.flatMap(({ path, matches = [] }) => (matches.length > 0 ? [{ path, matches }] : []))
  if (matched.length === 0) return null
  const title = matched.length > maxFiles ? `Matching lines of the first ${maxFiles} files` : 'Matching lines'
  return (
    <Card title={title}>
      {matched.slice(0, maxFiles).map(({ path, matches }, index) => (
        // A device may name a file twice.
        <div key={`${index} ${path}`} className="stack">
          <span className="mono foreign">{path}</span>
          <CodeBlock
            code={matches.map(toMatchText).join('\n')}
            label={`matching lines of ${path}`}
            canCopy={false}
            isWrapped
          />
        </div>
      ))}
    </Card>
  )
}

/** A row of its own for each app, also where a device names one twice. */
interface AppRow extends FoundApp {
  readonly row: string
}

const columns: readonly DataColumn<AppRow>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ name }) => <span title={name}>{name}</span>,
    width: '2fr',
    minWidth: 140,
  },
  {
    id: 'path',
    header: 'Path',
    cell: ({ path }) => (
      <span className="mono" title={path}>
        {path}
      </span>
    ),
    width: '3fr',
    minWidth: 160,
  },
  {
    id: 'running',
    header: 'Running',
    cell: ({ running }) => (
      <StatusBadge status={running ? 'running' : 'stopped'} tone={running ? 'good' : 'neutral'} />
    ),
    width: 120,
  },
]
const idOf = ({ row }: AppRow) => row
const nameOf = ({ name }: AppRow) => name

/** The apps that matched. */
function FoundApps({ apps }: { readonly apps: readonly FoundApp[] }) {
  const rows = useMemo(() => apps.map((app, index): AppRow => ({ ...app, row: String(index) })), [apps])
  return (
    <Card title={apps.length === 1 ? '1 app' : `${apps.length.toLocaleString()} apps`} isFlush>
      <DataTable
        label="Apps"
        columns={columns}
        rows={rows}
        rowId={idOf}
        rowText={nameOf}
        empty={<EmptyState title="No app matched" />}
      />
    </Card>
  )
}
