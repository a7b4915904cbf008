import type { ReplyOf } from '@homeward/contract'
import type { AgentPlatformOperations, AuditRecord } from '@homeward/contract/agent-platform'
import { AuditAction, type AuditEntry, type DeviceCloudOperations } from '@homeward/contract/device-cloud'
import { type ReactNode, useMemo } from 'react'
import { useCloudPages } from '../api/cloud.ts'
import { useSearchParams } from 'wouter'
import { usePlatformPages } from '../api/platform.ts'
import { useIsLimited, useServerFacts } from '../api/server-facts.ts'
import { LoadingState } from '../components/states/loading-state.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import type { DataColumn } from '../components/table/data-table.tsx'
import { FilterBar } from '../components/table/filter-bar.tsx'
import { ListPage, type ListPageProps } from '../components/table/list-page.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { useAddressFilter } from '../components/use-address-filter.ts'
import { Link } from 'react-aria-components'
import { AgentName } from '../components/agents/agent-filter.tsx'
import { DeviceField } from '../devices/device-filters.tsx'

/** A filter that narrows nothing. */
const anything = 'all'
/** Filters that both audits have. */
const noFilter = { action: '', actor: '', days: anything }
const noPlatformFilter = { ...noFilter, target: '' }
const noDeviceFilter = { ...noFilter, action: anything, device: '' }

/** What the audits of both APIs show of an entry. */
interface EntryTexts {
  readonly at: string
  readonly actor: string
  readonly about: ReactNode
  /** Why it was refused; undefined for what was done. */
  readonly refused: string | undefined
}

/** The columns of an audit, as wide as its words need them, with further ones at the end. */
function columnsOf<Entry extends { readonly action: string }>(
  textsOf: (entry: Entry) => EntryTexts,
  actionWidth: number,
  more: readonly DataColumn<Entry>[],
): readonly DataColumn<Entry>[] {
  return [
    { id: 'when', header: 'When', cell: (entry) => <RelativeTime value={textsOf(entry).at} />, width: 130 },
    { id: 'action', header: 'Action', cell: actionOf, width: '1fr', minWidth: actionWidth },
    { id: 'actor', header: 'Actor', cell: (entry) => textsOf(entry).actor, width: '1fr', minWidth: 110 },
    {
      id: 'about',
      header: 'About',
      cell: (entry) => textsOf(entry).about ?? '–',
      width: '2fr',
      minWidth: 135,
      cardLines: 2,
    },
    {
      id: 'outcome',
      header: 'Outcome',
      cell: (entry) => {
        const { refused } = textsOf(entry)
        return refused === undefined ? 'Done' : <StatusBadge status="failed">{refused}</StatusBadge>
      },
      width: 115,
    },
    ...more,
  ]
}

/** An action in words: `device:key-rotated` as `Device key rotated`. */
function toActionWords(action: string): string {
  const words = action.replaceAll(/[:._-]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const actionOf = ({ action }: { readonly action: string }) => toActionWords(action)

/** The thing that an entry is about; an agent by its name, with a link. */
function AuditSubject({ action, target }: { readonly action: string; readonly target: string }) {
  const page = action.startsWith('agent.') ? 'agents' : action.startsWith('graph.') ? 'graphs' : undefined
  if (page === undefined) return <>{target}</>
  return (
    <Link href={`/${page}/${encodeURIComponent(target)}`}>
      {page === 'agents' ? <AgentName id={target} /> : target}
    </Link>
  )
}

const platformColumns = columnsOf<AuditRecord>(
  ({ at, actor, action, target, outcome }) => ({
    at,
    actor,
    about: target === undefined ? undefined : <AuditSubject action={action} target={target} />,
    refused: outcome === 'done' ? undefined : 'Refused',
  }),
  165,
  [
    {
      id: 'details',
      header: 'Details',
      cell: ({ details }) => toDetailsText(details),
      width: '2fr',
      minWidth: 130,
      cardLines: 2,
    },
  ],
)
const recordsOf = ({ entries }: ReplyOf<AgentPlatformOperations['listAudit']>) => entries

const noHalf = { of: '' }

/** Audit of this server. The filters are in the address. */
export function AuditPage() {
  const serves = useServerFacts()?.serves
  const isLimited = useIsLimited()
  const [{ of }] = useAddressFilter(noHalf)
  if (!serves) return <LoadingState />
  const hasAgents = serves.agents && !isLimited
  const isOfDevices = serves.devices && (of === 'devices' || !hasAgents)
  return isOfDevices ? <DeviceAudit hasOther={hasAgents} /> : <PlatformAudit hasOther={serves.devices} />
}

/** Which of both audits shows. Another one has filters of its own. */
function HalfField({ value }: { readonly value: 'agents' | 'devices' }) {
  const [, setSearch] = useSearchParams()
  return (
    <SelectField
      label="Part of the server"
      isLabelHidden
      options={[
        { value: 'agents', label: 'Agents and settings' },
        { value: 'devices', label: 'Devices' },
      ]}
      value={value}
      onChange={(chosen) => setSearch(chosen === 'devices' ? { of: 'devices' } : {})}
    />
  )
}

interface HalfProps {
  /** Whether the server has the other audit, too. */
  readonly hasOther: boolean
}

/** Audit of the agent platform. */
function PlatformAudit({ hasOther }: HalfProps) {
  const [filter, change] = useAddressFilter(noPlatformFilter)
  const { action, actor, target, days } = filter
  const query = useMemo(
    () => ({ ...(action && { action }), ...(target && { target }), ...toQuery(actor, days) }),
    [action, actor, target, days],
  )
  const audit = usePlatformPages('listAudit', { query: { ...query, limit: '100' } }, { select: recordsOf })
  return (
    <AuditList
      description="Changes on this server: who made them, and which were denied."
      appears="Changes to agents, graphs, skills, settings, model providers, tokens, routes and senders appear here."
      query={audit}
      columns={platformColumns}
      isNarrowed={Object.keys(query).length > 0}
      filter={filter}
      onChange={change}
      fields={
        <>
          {hasOther && <HalfField value="agents" />}
          <TextField
            label="Action"
            isLabelHidden
            placeholder="Action, such as agent.updated"
            value={action}
            onChange={(written) => change({ action: written.trim() })}
          />
          <TextField
            label="About"
            isLabelHidden
            placeholder="About, such as the id of an agent"
            value={target}
            onChange={(written) => change({ target: written.trim() })}
          />
        </>
      }
    />
  )
}

const actions = [
  { value: anything, label: 'Any action' },
  ...AuditAction.options.map((value) => ({ value, label: toActionWords(value) })),
]
type SubjectProps = Pick<AuditEntry, 'action' | 'name' | 'deviceId' | 'subjectId'>

/** The thing that an entry is about: a device or a search with a link, a file by its name. */
function DeviceSubject({ action, name, deviceId, subjectId }: SubjectProps) {
  if (action === 'search:created' && subjectId)
    return <Link href={`/searches/groups/${encodeURIComponent(subjectId)}`}>{name ?? 'the search'}</Link>
  if (action.startsWith('device:') && deviceId)
    return <Link href={`/devices/${encodeURIComponent(deviceId)}`}>{name ?? deviceId}</Link>
  return <>{name ?? deviceId ?? subjectId ?? '–'}</>
}

const deviceColumns = columnsOf<AuditEntry>(
  ({ createdAt, action, actor, userId, name, deviceId, subjectId, outcome, reason }) => ({
    at: createdAt,
    actor: actor ?? userId,
    about: <DeviceSubject {...{ action, name, deviceId, subjectId }} />,
    refused: outcome === 'done' ? undefined : (reason ?? 'Refused'),
  }),
  215,
  [{ id: 'address', header: 'Address', cell: ({ address }) => address ?? '–', width: 130 }],
)
const entriesOf = ({ entries }: ReplyOf<DeviceCloudOperations['listAudit']>) => entries

/** Audit of the device cloud: actions in the name of the user. */
function DeviceAudit({ hasOther }: HalfProps) {
  const [filter, change] = useAddressFilter(noDeviceFilter)
  const { action, device, actor, days } = filter
  const query = useMemo(
    () => ({
      ...(action !== anything && { action: action as AuditEntry['action'] }), // the server rejects another one
      ...(device && { deviceId: device }),
      ...toQuery(actor, days),
    }),
    [action, device, actor, days],
  )
  const audit = useCloudPages('listAudit', { query: { ...query, limit: '100' } }, { select: entriesOf })
  return (
    <AuditList
      description="Actions in your name, including denied ones."
      appears="Registrations, searches, requested files and changes to keys and tokens appear here."
      query={audit}
      columns={deviceColumns}
      isNarrowed={Object.keys(query).length > 0}
      filter={filter}
      onChange={change}
      fields={
        <>
          {hasOther && <HalfField value="devices" />}
          <SelectField
            label="Action"
            isLabelHidden
            options={actions}
            value={action}
            onChange={(chosen) => change({ action: chosen })}
          />
          <DeviceField deviceId={device} onChange={(chosen) => change({ device: chosen })} />
        </>
      }
    />
  )
}

/** Props of {@link AuditList}. */
interface AuditListProps<Entry extends { readonly id: string; readonly action: string }> extends Pick<
  ListPageProps<Entry>,
  'description' | 'query' | 'columns'
> {
  /** What appears in this audit. */
  readonly appears: string
  readonly isNarrowed: boolean
  readonly filter: Pick<typeof noFilter, 'actor' | 'days'>
  readonly onChange: (changed: { readonly actor?: string; readonly days?: string }) => void
  /** Fields of this audit alone. */
  readonly fields: ReactNode
}

/** An audit, with the fields that narrow it. */
function AuditList<Entry extends { readonly id: string; readonly action: string }>(
  props: AuditListProps<Entry>,
) {
  const { appears, isNarrowed, filter, onChange, fields, ...list } = props
  return (
    <ListPage
      title="Audit"
      {...list}
      rowText={actionOf}
      filters={
        <FilterBar>
          {fields}
          <TextField
            label="Actor"
            isLabelHidden
            placeholder="Actor, such as token:nightly"
            value={filter.actor}
            onChange={(written) => onChange({ actor: written.trim() })}
          />
          <SelectField
            label="Time"
            isLabelHidden
            options={times}
            value={filter.days}
            onChange={(chosen) => onChange({ days: chosen })}
          />
        </FilterBar>
      }
      empty={
        <EmptyState title={isNarrowed ? 'No entries match these filters' : 'No entries yet'}>
          {appears}
        </EmptyState>
      }
    />
  )
}

/** How far back an audit is shown: days, or {@link anything}. */
const times = [
  { value: anything, label: 'Any time' },
  { value: '1', label: 'Last 24 hours' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
]

const hourMs = 60 * 60 * 1000

function toQuery(actor: string, days: string) {
  return { ...(actor && { actor }), ...(days !== anything && { from: daysAgo(Number(days)) }) }
}

/** The start of the hour so many days ago: the same query for a while, not another one at each render. */
function daysAgo(days: number): string {
  return new Date(Math.floor(Date.now() / hourMs) * hourMs - days * 24 * hourMs).toISOString()
}

const maxLength = 300

/** The details of an entry in one line: `fields: name, model`. */
function toDetailsText(details: AuditRecord['details'] = {}): string {
  const texts = Object.entries(details).map(([name, value]) => `${name}: ${toText(value)}`)
  const text = texts.join('; ')
  if (text === '') return '–'
  return text.length <= maxLength ? text : `${text.slice(0, maxLength).toWellFormed()}…`
}

function toText(value: unknown): string {
  if (Array.isArray(value)) return value.map(toText).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
