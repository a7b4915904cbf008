import type { Device, DeviceCatalog } from '@homeward/contract/device-cloud'
import { FileDown, ListX, Trash2, RefreshCw } from 'lucide-react'
import { useParams, useSearchParams, useLocation } from 'wouter'
import { ActionMenu } from '../components/buttons/action-menu.tsx'
import { Button } from '../components/buttons/button.tsx'
import { ByteSize } from '../components/text/byte-size.tsx'
import { Facts } from '../components/layout/facts.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { Card } from '../components/layout/card.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { LoadingState } from '../components/states/loading-state.tsx'
import { MissingState } from '../components/states/missing-state.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { Tabs } from '../components/layout/tabs.tsx'
import { SearchList } from '../searches/search-list.tsx'
import { AskForFileDialog } from '../uploads/ask-for-file-dialog.tsx'
import { UploadList } from '../uploads/upload-list.tsx'
import { DeviceFacts } from './device-facts.tsx'
import { PresenceHistory } from './presence-history.tsx'
import { QuickSearch } from './quick-search.tsx'
import { SearchedBy } from './searched-by.tsx'
import { useDevice } from '../devices/use-devices.ts'
import { useCloudMutation } from '../api/cloud.ts'
import { untilGone } from '../api/until-gone.ts'
import { ConfirmDialog } from '../components/dialogs/confirm-dialog.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { useState } from 'react'
import { Dialog } from '../components/dialogs/dialog.tsx'
import { NewKey } from './new-key.tsx'

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
            <DeviceMenu device={device} />
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
      {device.catalog && <DeviceCatalogCard catalog={device.catalog} />}
      <DeviceKey device={device} />
    </div>
  )
}

/** The list of files that answers while the device is off. */
function DeviceCatalogCard({ catalog }: { readonly catalog: DeviceCatalog }) {
  return (
    <Card title="List of files">
      <Facts
        facts={[
          ['Files', catalog.files.toLocaleString()],
          ['As of', <RelativeTime key="asOf" value={catalog.asOf} />],
          ['Size', <ByteSize key="bytes" value={catalog.bytes} />],
        ]}
      />
    </Card>
  )
}

/** Actions that delete the list of files of a device, or the device, after a confirmation. */
function DeviceMenu({ device: { id, name, catalog } }: { readonly device: Device }) {
  const [, navigate] = useLocation()
  const removeList = useCloudMutation('deleteDeviceCatalog', {
    invalidates: ['getDevice', 'listDevices', 'listSearches', 'listQuotas'],
  })
  const remove = useCloudMutation('deleteDevice', {
    invalidates: ['listDevices', 'listSearches', 'listUploads'],
  })
  return (
    <ActionMenu
      actions={[
        catalog && {
          label: 'Remove list of files',
          icon: <ListX aria-hidden />,
          confirm: {
            title: 'Remove the list of files?',
            confirmLabel: 'Remove list',
            text: (
              <>
                <p>Searches then wait until the device is online.</p>
                <p>
                  The device sends a new list when its files change. To stop that, set{' '}
                  <code>DEVICE_CATALOG=off</code> on the device.
                </p>
              </>
            ),
            onConfirm: async () => {
              await removeList.mutateAsync({ params: { id } })
              showToast({ title: 'List removed', text: name })
            },
          },
        },
        {
          label: 'Delete device',
          icon: <Trash2 aria-hidden />,
          confirm: {
            title: `Delete ${name}?`,
            text: (
              <>
                <p>
                  Its searches with their results and its uploaded files are deleted too. This cannot be
                  undone.
                </p>
                <p>Its key stops working immediately. To use the device again, register it again.</p>
              </>
            ),
            onConfirm: async () => {
              await untilGone(remove.mutateAsync({ params: { id } }))
              showToast({ title: 'Deleted', text: name })
              navigate('/devices')
            },
          },
        },
      ]}
    />
  )
}

/** The key of a device: enough to recognize it, and a new one instead. */
function DeviceKey({ device }: { readonly device: Device }) {
  // A key is kept by no query: it lives in the dialog, and is gone with it.
  const [shown, setShown] = useState<string>()
  const rotate = useCloudMutation('rotateDeviceKey', { invalidates: ['getDevice'] })
  return (
    <Card title="API key">
      <div className="row" data-justify="between">
        <p>
          <span className="muted">The server stores no keys. Last four characters:</span>{' '}
          <code>{device.keyHint ?? '–'}</code>
        </p>
        <ConfirmDialog
          title="Create a new key?"
          confirmLabel="Create a new key"
          isDanger={false}
          trigger={<Button icon={<RefreshCw aria-hidden />}>New key</Button>}
          onConfirm={async () => {
            const { apiKey } = await rotate.mutateAsync({ params: { id: device.id } })
            setShown(apiKey)
          }}
        >
          <p>The old key works until the new key is first used, at most 24 hours.</p>
        </ConfirmDialog>
      </div>
      <Dialog
        title="API key"
        isOpen={shown !== undefined}
        onOpenChange={(isOpen) => !isOpen && setShown(undefined)}
        isDismissable={false}
        isHeld
      >
        {(close) =>
          shown !== undefined && (
            <NewKey apiKey={shown} deviceId={device.id} name={device.name} close={close} />
          )
        }
      </Dialog>
    </Card>
  )
}
