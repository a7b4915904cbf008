import type { SearchQuery, SearchResults } from '@homeward/contract/device-cloud'
import { CircleAlert, Hourglass } from 'lucide-react'
import type { ReactNode } from 'react'
import { Card } from '../../components/layout/card.tsx'
import { CodeBlock } from '../../components/text/code-block.tsx'
import { EmptyState } from '../../components/states/empty-state.tsx'
import { Facts } from '../../components/layout/facts.tsx'
import { Notice } from '../../components/states/notice.tsx'
import { useDevice } from '../devices/use-devices.ts'
import { FileMatches } from './file-matches.tsx'
import { FoundApps } from './found-apps.tsx'
import { FoundFiles } from './found-files.tsx'

/** What came of a search: what was found, scope by scope; why it failed; or what it waits for. */
export function SearchOutcome({ search }: { readonly search: SearchQuery }) {
  const { status, error, results } = search
  if (status === 'pending') return <Waiting deviceId={search.device.id} />
  return (
    <>
      {status === 'failed' && (
        <div className="state" role="alert" data-tone="bad" data-inline>
          <CircleAlert aria-hidden />
          <div className="state-text">
            <strong>The search failed</strong>
            <p className="foreign">{error ?? 'The device gave no reason.'}</p>
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
  return (
    <Card>
      <EmptyState
        icon={<Hourglass aria-hidden />}
        title={isOffline ? 'The device is offline' : 'The device is asked'}
      >
        {isOffline
          ? 'The device gets the search when it reconnects. Its results appear here.'
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
  const { files, apps, system, truncated = {}, ...others } = results
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
  return (
    <>
      {cut.length > 0 && (
        <Notice tone="warn">
          The device found more than fits into a result. Incomplete: {cut.join(', ')}.
        </Notice>
      )}
      {parts.length > 0 ? parts : <EmptyState title="Nothing found" />}
    </>
  )
}
