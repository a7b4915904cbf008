import type { Device } from '@homeward/contract/device-cloud'
import { FileDown, Search } from 'lucide-react'
import { useParams, useSearchParams } from 'wouter'
import { Button } from '../../components/buttons/button.tsx'
import { Card } from '../../components/layout/card.tsx'
import { ErrorState } from '../../components/states/error-state.tsx'
import { LinkButton } from '../../components/buttons/link-button.tsx'
import { LoadingState } from '../../components/states/loading-state.tsx'
import { MissingState } from '../../components/states/missing-state.tsx'
import { PageHeader } from '../../components/layout/page-header.tsx'
import { StatusBadge } from '../../components/states/status-badge.tsx'
import { Tabs } from '../../components/layout/tabs.tsx'
import { SearchList } from '../searches/search-list.tsx'
import { AskForFileDialog } from '../uploads/ask-for-file-dialog.tsx'
import { UploadList } from '../uploads/upload-list.tsx'
import { DeviceFacts } from './device-facts.tsx'
import { DeviceKey } from './device-key.tsx'
import { DeleteDevice } from './delete-device.tsx'
import { PresenceHistory } from './presence-history.tsx'
import { QuickSearch } from './quick-search.tsx'
import { SearchedBy } from './searched-by.tsx'
import { useDevice } from './use-devices.ts'

const back = { href: '/devices', label: 'Devices' }

/** One device: how it is, what it was asked, and its key. */
export function DevicePage() {
  const { id } = useParams<{ id: string }>()
  const { device, isMissing, error, refetch } = useDevice(id)
  if (device) {
    return (
      <>
        {error && <ErrorState error={error} onRetry={() => void refetch()} isInline />}
        <KnownDevice key={device.id} device={device} />
      </>
    )
  }
  return (
    <>
      <PageHeader title="Device" back={back} />
      {isMissing ? (
        <MissingState kind="device" id={id} list={back} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <LoadingState />
      )}
    </>
  )
}

function KnownDevice({ device }: { readonly device: Device }) {
  const [params, setParams] = useSearchParams()
  const filter = { deviceId: device.id }
  return (
    <>
      <PageHeader
        title={device.name}
        back={back}
        description={<StatusBadge status={device.status} />}
        actions={
          <>
            <AskForFileDialog
              deviceIds={[device.id]}
              trigger={<Button icon={<FileDown aria-hidden />}>Request a file</Button>}
            />
            <LinkButton
              href={`/searches/new?device=${encodeURIComponent(device.id)}`}
              variant="primary"
              icon={<Search aria-hidden />}
            >
              New search
            </LinkButton>
          </>
        }
      />
      <QuickSearch
        where={device.name}
        target={{ deviceIds: [device.id] }}
        hrefOfMore={(query) =>
          `/searches/new?${new URLSearchParams({ device: device.id, ...(query && { q: query }) }).toString()}`
        }
      />
      <Tabs
        label="About this device"
        selected={params.get('tab') ?? 'overview'}
        onSelect={(tab) => setParams(tab === 'overview' ? {} : { tab }, { replace: true })}
        tabs={[
          { id: 'overview', label: 'Overview', content: <Overview device={device} /> },
          { id: 'searches', label: 'Searches', content: <SearchList filter={filter} /> },
          { id: 'files', label: 'Files', content: <UploadList filter={filter} /> },
        ]}
      />
    </>
  )
}

function Overview({ device }: { readonly device: Device }) {
  return (
    <div className="stack">
      <PresenceHistory deviceId={device.id} />
      <DeviceFacts device={device} />
      <SearchedBy deviceId={device.id} />
      <DeviceKey device={device} />
      <Card title="Delete">
        <div className="row" data-justify="between">
          <p className="muted">
            Its searches and files are deleted too, and its key stops working immediately.
          </p>
          <DeleteDevice device={device} />
        </div>
      </Card>
    </div>
  )
}
