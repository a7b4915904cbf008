import { type Device, readDeviceFolders, readDeviceScopes } from '@homeward/contract/device-cloud'
import { Card } from '../components/layout/card.tsx'
import { CodeBlock } from '../components/text/code-block.tsx'
import { CopyButton } from '../components/buttons/copy-button.tsx'
import { Facts } from '../components/layout/facts.tsx'
import { formatTime } from '../components/text/relative-time.tsx'
import { AgentVersion } from './agent-version.tsx'
import { EditDevice } from './edit-device.tsx'
import { Labels } from '../devices/labels.tsx'
import '../components/layout/bare-list.css'
import { LastSeen, Presence } from './presence.tsx'

/** What is known about a device: what it was registered with, and what it says of itself. */
export function DeviceFacts({ device }: { readonly device: Device }) {
  const { os, version, hardware, agentVersion: _, scopes: __, folders: ___, ...more } = device.metadata
  return (
    <div className="grid">
      <Card title="Device" actions={<EditDevice device={device} />}>
        <Facts
          facts={[
            ['Last heartbeat', <LastSeen key="seen" device={device} />],
            ['Presence', <Presence key="presence" device={device} />],
            ['Type', device.type],
            ['Platform', device.platform],
            ['Agent version', <AgentVersion key="agent" device={device} />],
            ['Scopes', <Scopes key="scopes" device={device} />],
            ['Folders', <Folders key="folders" device={device} />],
            ['Labels', <Labels key="labels" labels={device.labels} />],
            ['Registered', formatTime(device.createdAt)],
            ['Id', <Id key="id" id={device.id} />],
          ]}
        />
      </Card>
      <Card title="Metadata">
        <Facts
          facts={[
            ['Operating system', os ?? '–'],
            ['Version', version ?? '–'],
            ['Hardware', hardware ?? '–'],
          ]}
        />
        {Object.keys(more).length > 0 && (
          <CodeBlock code={JSON.stringify(more, null, 2)} label="more metadata" isWrapped />
        )}
      </Card>
    </div>
  )
}

/** What a device lets be searched, as it says itself. */
function Scopes({ device }: { readonly device: Device }) {
  const scopes = readDeviceScopes(device.metadata)
  if (scopes.length === 0) return <span className="muted">–</span>
  return scopes.map(({ title, name }) => title ?? name).join(', ')
}

/** Folders that can be searched and read, as the device announces them. */
function Folders({ device }: { readonly device: Device }) {
  const folders = readDeviceFolders(device.metadata)
  if (folders.length === 0) return <span className="muted">not announced</span>
  return (
    <ul className="bare-list">
      {folders.map((folder) => (
        <li key={folder}>
          <code>{folder}</code>
        </li>
      ))}
    </ul>
  )
}

function Id({ id }: { readonly id: string }) {
  return (
    <span className="row">
      <code>{id}</code>
      <CopyButton text={id} label="Copy id" isIconOnly />
    </span>
  )
}
