import type { SearchQuery, SearchResults } from '@homeward/contract/device-cloud'
import { CircleAlert, Hourglass } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { Card } from '../components/layout/card.tsx'
import { CodeBlock } from '../components/text/code-block.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { Facts } from '../components/layout/facts.tsx'
import { Notice } from '../components/states/notice.tsx'
import { useDevice } from '../devices/use-devices.ts'
import { describeError } from '../components/text/describe-error.ts'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { describeSkipped, describeUnread } from './describe-outcome.ts'
import { describeTried } from './other-ways.tsx'
import { pickResults, toResultRows } from './result-rows.ts'
import { ResultTable } from './result-table.tsx'

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
          . The results of the device will replace them.
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
  if (files ?? apps) parts.push(<FoundRows key="rows" search={search} />)
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
          The device stopped at a limit of time or size. Not complete: {cut.join(', ')}.
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

/** The files and apps that one device found. */
function FoundRows({ search }: { readonly search: SearchQuery }) {
  const [sort, setSort] = useState('best')
  const rows = useMemo(() => {
    const found = toResultRows([search]).filter(({ scope }) => scope === 'files' || scope === 'apps')
    return pickResults(found, { text: '', on: 'all', kind: 'all', sort }, search.query)
  }, [search, sort])
  return (
    <Card title={rows.length === 1 ? '1 result' : `${rows.length.toLocaleString()} results`} isFlush>
      <ResultTable
        rows={rows}
        isOneDevice
        sort={sort}
        onSort={setSort}
        empty={<EmptyState title="Nothing matched">{describeTried(search)}</EmptyState>}
      />
    </Card>
  )
}
