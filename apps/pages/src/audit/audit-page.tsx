import type { ReplyOf } from '@homeward/contract'
import {
  type AgentPlatformOperations,
  agentPlatformOperations,
  type AuditRecord,
  type SettingKey,
} from '@homeward/contract/agent-platform'
import { AuditAction, type AuditEntry, type DeviceCloudOperations } from '@homeward/contract/device-cloud'
import { type ReactNode, useMemo } from 'react'
import { Link } from 'react-aria-components'
import { useCloudPages, useCloudQuery } from '../api/cloud.ts'
import { usePlatformPages, usePlatformQuery } from '../api/platform.ts'
import { useIsLimited, useServerFacts } from '../api/server-facts.ts'
import { AgentName } from '../components/agents/agent-filter.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { LoadingState } from '../components/states/loading-state.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import type { DataColumn } from '../components/table/data-table.tsx'
import { FilterBar } from '../components/table/filter-bar.tsx'
import { ListPage } from '../components/table/list-page.tsx'
import { MiddleCut } from '../components/text/middle-cut.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { useAddressFilter } from '../components/use-address-filter.ts'
import { settingTexts } from '../settings/setting-texts.ts'
import { mergeEntries } from './merge-entries.ts'

/** A filter that narrows nothing. */
const anything = 'all'
const noFilter = { of: anything, action: anything, about: '', actor: '', days: anything }

/** An entry of one of both APIs, as the list shows it. */
interface EntryRow {
  readonly id: string
  readonly at: string
  readonly half: 'Agents' | 'Devices'
  readonly action: string
  readonly actor: string
  readonly about: ReactNode
  /** Why it was refused; undefined for what was done. */
  readonly refused: string | undefined
  readonly details: string
}

/** An action in words: `device:key-rotated` as `Device key rotated`. */
function toActionWords(action: string): string {
  if (action === 'upload:created') return 'File requested'
  const words = action.replaceAll(/[:._-]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const actionOf = ({ action }: EntryRow) => toActionWords(action)

const columns: readonly DataColumn<EntryRow>[] = [
  {
    id: 'when',
    header: 'When',
    cell: ({ at }) => <RelativeTime value={at} />,
    width: 120,
    isCardCorner: true,
  },
  { id: 'half', header: 'Part', cell: ({ half }) => half, width: 90, isHiddenInCards: true },
  { id: 'action', header: 'Action', cell: actionOf, width: '2fr', minWidth: 170, isRowHeader: true },
  { id: 'actor', header: 'Actor', cell: ({ actor }) => actor, width: '1fr', minWidth: 110 },
  { id: 'about', header: 'About', cell: ({ about }) => about, width: '4fr', minWidth: 160 },
  {
    id: 'outcome',
    header: 'Outcome',
    cell: ({ refused }) =>
      refused === undefined ? 'Done' : <StatusBadge status="failed">{refused}</StatusBadge>,
    cardCell: ({ refused }) => refused && <StatusBadge status="failed">{refused}</StatusBadge>,
    width: 115,
  },
  {
    id: 'details',
    header: 'Details',
    cell: ({ details }) => <span title={details}>{details}</span>,
    cardCell: ({ details }) => (details === '–' ? undefined : details),
    width: '2fr',
    minWidth: 130,
  },
]

/** The pages of the things that have one, by the first word of an action. */
const subjectPages: Readonly<Record<string, string>> = {
  agent: 'agents',
  graph: 'graphs',
  collection: 'collections',
  trigger: 'triggers',
  schedule: 'schedules',
}

/** The thing that an entry of the agent platform is about; an agent by its name, with a link. */
function PlatformSubject({ action, target }: Pick<AuditRecord, 'action' | 'target'>) {
  const page = subjectPages[action.split('.')[0] ?? '']
  if (page === undefined) return <>{target}</>
  return (
    <Link href={`/${page}/${encodeURIComponent(target)}`}>
      {page === 'agents' ? <AgentName id={target} /> : target}
    </Link>
  )
}

const recordsOf = ({ entries }: ReplyOf<AgentPlatformOperations['listAudit']>): EntryRow[] =>
  entries.map(({ id, at, actor, action, target, outcome, details }) => ({
    id: `agents ${id}`,
    at,
    half: 'Agents',
    action,
    actor,
    about: <PlatformSubject action={action} target={target} />,
    refused: outcome === 'done' ? undefined : 'Refused',
    details: toDetailsText(details),
  }))

/** A search by its words, while the server has it. */
function SearchLink({ id, name }: { readonly id: string; readonly name: string | null | undefined }) {
  const query = useCloudQuery('getSearchGroup', { params: { id } }, { enabled: !name })
  const words = query.data?.group.query
  return <Link href={`/searches/groups/${encodeURIComponent(id)}`}>{name ?? words ?? 'A search'}</Link>
}

type SubjectProps = Pick<AuditEntry, 'action' | 'name' | 'deviceId' | 'subjectId'>

/** The thing that an entry of the device cloud is about: a device or a search with a link, a file by its name. */
function DeviceSubject({ action, name, deviceId, subjectId }: SubjectProps) {
  if (action === 'search:created' && subjectId) return <SearchLink id={subjectId} name={name} />
  if (action.startsWith('device:') && deviceId)
    return <Link href={`/devices/${encodeURIComponent(deviceId)}`}>{name ?? deviceId}</Link>
  return <MiddleCut text={name ?? deviceId ?? subjectId ?? '–'} isPath />
}

const entriesOf = ({ entries }: ReplyOf<DeviceCloudOperations['listAudit']>): EntryRow[] =>
  entries.map(({ id, createdAt, action, actor, userId, outcome, reason, address, ...subject }) => ({
    id: `devices ${id}`,
    at: createdAt,
    half: 'Devices',
    action,
    actor: actor ?? userId,
    about: <DeviceSubject action={action} {...subject} />,
    refused: outcome === 'done' ? undefined : (reason ?? 'Refused'),
    details: address ? `From ${address}` : '–',
  }))

/** Actions that the audit of the agent platform names. */
const platformActions = [
  ...new Set(
    Object.values(agentPlatformOperations).flatMap((row) =>
      'audit' in row && typeof row.audit === 'object' && 'action' in row.audit ? [row.audit.action] : [],
    ),
  ),
].toSorted()
const isDeviceAction = (action: string): action is AuditAction =>
  AuditAction.options.some((each) => each === action)

/** All changes on this server, of devices and agents in one list. The filters are in the address. */
export function AuditPage() {
  const serves = useServerFacts()?.serves
  const isLimited = useIsLimited()
  const [filter, change] = useAddressFilter(noFilter)
  const hasAgents = serves?.agents === true && !isLimited
  const hasDevices = serves?.devices === true
  usePlatformQuery('listAgents', undefined, { enabled: hasAgents }) // the rows show their names
  const { action, of } = filter
  const showsDevices = hasDevices && of !== 'agents' && (action === anything || isDeviceAction(action))
  const showsAgents = hasAgents && of !== 'devices' && (action === anything || !isDeviceAction(action))
  const { query, error, isNarrowed } = useAudit(filter, showsAgents, showsDevices)
  if (!serves) return <LoadingState />
  return (
    <ListPage
      title="Audit"
      description="Changes on this server and actions in your name: who made them, and which were denied."
      query={{ ...query, error }}
      columns={columns}
      cards="compact"
      rowText={actionOf}
      filters={
        <FilterBar>
          {hasAgents && hasDevices && (
            <SelectField
              label="Part of the server"
              isLabelHidden
              options={halves}
              value={of}
              onChange={(chosen) => change({ of: chosen, action: anything })}
            />
          )}
          <SelectField
            label="Action"
            isLabelHidden
            options={[
              { value: anything, label: 'Any action' },
              ...[
                ...(hasAgents && of !== 'devices' ? platformActions : []),
                ...(hasDevices && of !== 'agents' ? AuditAction.options : []),
              ].map((value) => ({ value, label: toActionWords(value) })),
            ]}
            value={action}
            onChange={(chosen) => change({ action: chosen })}
          />
          <TextField
            label="About"
            isLabelHidden
            placeholder="Id of a subject"
            value={filter.about}
            onChange={(written) => change({ about: written.trim() })}
          />
          <TextField
            label="Actor"
            isLabelHidden
            placeholder="Actor"
            value={filter.actor}
            onChange={(written) => change({ actor: written.trim() })}
          />
          <SelectField
            label="Time"
            isLabelHidden
            options={times}
            value={filter.days}
            onChange={(chosen) => change({ days: chosen })}
          />
        </FilterBar>
      }
      empty={
        <EmptyState title={isNarrowed ? 'No entries match these filters' : 'No entries yet'}>
          Changes to devices, agents, settings, tokens and more appear here.
        </EmptyState>
      }
    />
  )
}

const halves = [
  { value: anything, label: 'Agents and devices' },
  { value: 'agents', label: 'Agents and settings' },
  { value: 'devices', label: 'Devices' },
]

/** The entries of both APIs that fit a filter, as one list. */
function useAudit(filter: typeof noFilter, showsAgents: boolean, showsDevices: boolean) {
  const { action, about, actor, days } = filter
  const shared = useMemo(() => toQuery(actor, days), [actor, days])
  const ofAgents = usePlatformPages(
    'listAudit',
    {
      query: {
        ...shared,
        ...(action !== anything && { action }),
        ...(about && { target: about }),
        limit: '100',
      },
    },
    { select: recordsOf, enabled: showsAgents },
  )
  const ofDevices = useCloudPages(
    'listAudit',
    {
      query: {
        ...shared,
        ...(isDeviceAction(action) && { action }),
        ...(about && { deviceId: about }),
        limit: '100',
      },
    },
    { select: entriesOf, enabled: showsDevices },
  )
  const shown = [...(showsAgents ? [ofAgents] : []), ...(showsDevices ? [ofDevices] : [])]
  const { rows, loadMore } = mergeEntries(shown.map(({ data, loadMore }) => ({ rows: data, loadMore })))
  return {
    query: {
      data: rows,
      loadMore,
      isFetchingNextPage: shown.some(({ isFetchingNextPage }) => isFetchingNextPage),
      refetch: () => Promise.all(shown.map((each) => each.refetch())),
    },
    error: shown.find(({ error }) => error !== null)?.error ?? null,
    isNarrowed: action !== anything || about !== '' || Object.keys(shared).length > 0,
  }
}

/** How far back the audit is shown: days, or {@link anything}. */
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

/** The details of an entry in one line: `Changed: Name, Model`. */
function toDetailsText(details: AuditRecord['details'] = {}): string {
  const texts = Object.entries(details).map(([name, value]) =>
    name === 'fields' && Array.isArray(value)
      ? `Changed: ${value.map((field) => toFieldWords(toText(field))).join(', ')}`
      : `${toFieldWords(name)}: ${toText(value)}`,
  )
  const text = texts.join('; ')
  if (text === '') return '–'
  return text.length <= maxLength ? text : `${text.slice(0, maxLength).toWellFormed()}…`
}

/** A field as its form calls it, or in words: `inputPerMillion` as `Input per million`. */
const toFieldWords = (field: string) =>
  Object.hasOwn(settingTexts, field)
    ? settingTexts[field as SettingKey].label // a key of the table, as was asked
    : toActionWords(
        field.replaceAll(
          /([a-z])([A-Z])/g,
          (_, end: string, begin: string) => `${end} ${begin.toLowerCase()}`,
        ),
      )

function toText(value: unknown): string {
  if (Array.isArray(value)) return value.map(toText).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
