import { type Device, readDeviceFolders, readDeviceScopes } from '@homeward/contract/device-cloud'
import { Card } from '../components/layout/card.tsx'
import { CopyButton } from '../components/buttons/copy-button.tsx'
import { Facts } from '../components/layout/facts.tsx'
import { formatTime, RelativeTime } from '../components/text/relative-time.tsx'
import { EditDevice } from './edit-device.tsx'
import { Labels } from '../devices/labels.tsx'
import '../components/layout/bare-list.css'
import { useServerFacts } from '../api/server-facts.ts'
import { pageLocale } from '../components/text/page-locale.ts'
import { StatusBadge } from '../components/states/status-badge.tsx'

/** What is known about a device: what it was registered with, and what it says of itself. */
export function DeviceFacts({ device }: { readonly device: Device }) {
  const {
    os,
    version,
    hardware,
    agentVersion: _,
    scopes: __,
    folders: ___,
    index: ____,
    consent: _____,
    ...more
  } = device.metadata
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
            ['Index', <Index key="index" device={device} />],
            [
              'Consent',
              // A device that has not called yet has said nothing about it.
              device.lastSeenAt === null
                ? '–'
                : asksOwner(device)
                  ? 'The owner is asked before data leaves the device'
                  : 'The owner is not asked',
            ],
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
            ...Object.entries(more).map(
              ([name, value]) => [name, <Told key={name} value={value} />] as const,
            ),
          ]}
        />
      </Card>
    </div>
  )
}

/** A value of the metadata: what has parts as JSON. */
function Told({ value }: { readonly value: unknown }) {
  return typeof value === 'object' && value !== null ? <code>{JSON.stringify(value)}</code> : String(value)
}

/** Whether the owner of a device has to allow each search and file, as it says itself. */
const asksOwner = ({ metadata }: Device) => metadata['consent'] === 'ask'

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

/** How the index of the device's files is doing, as it says itself. */
function Index({ device }: { readonly device: Device }) {
  const { index } = device.metadata
  // Metadata is free: each value is looked at before it is shown.
  const told = (typeof index === 'object' ? index : null) as Partial<Record<string, unknown>> | null
  const { state, files, updatedAt } = told ?? {}
  if (state === 'building') return 'being built'
  if (state !== 'ready' || typeof files !== 'number') return <span className="muted">–</span>
  return (
    <>
      {files.toLocaleString(pageLocale)} files
      {typeof updatedAt === 'string' && (
        <>
          , last look <RelativeTime value={updatedAt} />
        </>
      )}
    </>
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

const clock = new Intl.DateTimeFormat(pageLocale, { timeStyle: 'medium' })
const dayAndClock = new Intl.DateTimeFormat(pageLocale, { dateStyle: 'medium', timeStyle: 'short' })

/** When a device last called. */
export function LastSeen({ device }: { readonly device: Device }) {
  return device.lastSeenAt === null ? (
    <span className="muted">never</span>
  ) : (
    <RelativeTime value={device.lastSeenAt} />
  )
}

/** Why a device has the status that it has (C2): a heartbeat counts for a while. */
function Presence({ device }: { readonly device: Device }) {
  const onlineWindowMs = useServerFacts()?.onlineWindowMs
  const { lastSeenAt, status } = device
  if (lastSeenAt === null) return <span className="muted">no heartbeat yet</span>
  if (onlineWindowMs === undefined) return <span className="muted">–</span>
  const until = Date.parse(lastSeenAt) + onlineWindowMs
  const text =
    status === 'online' ? `online until ${clock.format(until)}` : `offline since ${formatDay(until)}`
  return <span title="A device counts as online for a while after each heartbeat.">{text}</span>
}

/** The day as well, once it is another one. */
function formatDay(time: number): string {
  const isToday = new Date(time).toDateString() === new Date().toDateString()
  return (isToday ? clock : dayAndClock).format(time)
}

/** The version of a device's agent, and whether it is older than the one that this server comes with. */
export function AgentVersion({ device }: { readonly device: Device }) {
  const latest = useServerFacts()?.agentVersion
  const { agentVersion } = device.metadata
  if (typeof agentVersion !== 'string' || agentVersion === '') return <span className="muted">–</span>
  const isOld = latest !== undefined && isOlderVersion(agentVersion, latest)
  return (
    <span className="row">
      {agentVersion}
      {isOld && (
        <span title={`This server comes with version ${latest}.`}>
          <StatusBadge status="old" tone="warn">
            old version
          </StatusBadge>
        </span>
      )}
    </span>
  )
}

/** Whether a version such as `0.9.1` comes before another one. False for what is not a version, and for equal ones. */
export function isOlderVersion(version: string, latest: string): boolean {
  const mine = numbersOf(version)
  const theirs = numbersOf(latest)
  if (!mine || !theirs) return false
  const place = [0, 1, 2].find((index) => mine[index] !== theirs[index])
  return place !== undefined && (mine[place] ?? 0) < (theirs[place] ?? 0)
}

function numbersOf(version: string): readonly number[] | undefined {
  const [, ...parts] = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []
  return parts.length === 3 ? parts.map(Number) : undefined
}
