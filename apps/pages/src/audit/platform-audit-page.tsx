import type { ReplyOf } from '@homeward/contract'
import type { AgentPlatformOperations, AuditRecord } from '@homeward/contract/agent-platform'
import { useMemo } from 'react'
import { usePlatformPages } from '../api/platform.ts'
import { toActionWords } from './action-words.ts'
import { anything, auditTimes, daysAgo } from './audit-times.ts'
import { SelectField } from '../components/fields/select-field.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { type DataColumn, DataTable } from '../components/table/data-table.tsx'
import { FilterBar } from '../components/table/filter-bar.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { useAddressFilter } from '../components/use-address-filter.ts'

type Reply = ReplyOf<AgentPlatformOperations['listAudit']>

const columns: readonly DataColumn<AuditRecord>[] = [
  { id: 'when', header: 'When', cell: ({ at }) => <RelativeTime value={at} />, width: 130 },
  {
    id: 'action',
    header: 'Action',
    cell: ({ action }) => toActionWords(action),
    width: '1fr',
    minWidth: 165,
  },
  { id: 'actor', header: 'Actor', cell: ({ actor }) => actor, width: '1fr', minWidth: 110 },
  { id: 'target', header: 'About', cell: ({ target }) => target, width: '3fr', minWidth: 130, cardLines: 2 },
  {
    id: 'outcome',
    header: 'Outcome',
    cell: ({ outcome }) => (outcome === 'done' ? 'Done' : <StatusBadge status="failed">Refused</StatusBadge>),
    width: 110,
  },
  {
    id: 'details',
    header: 'Details',
    cell: ({ details }) => toDetailsText(details),
    width: '2fr',
    minWidth: 130,
    cardLines: 2,
  },
]
const idOf = ({ id }: AuditRecord) => id
const textOf = ({ action }: AuditRecord) => toActionWords(action)
const entriesOf = ({ entries }: Reply) => entries
const noFilter = { action: '', actor: '', target: '', days: anything }

const filters = [
  ['action', 'Action', 'Action, such as agent.updated'],
  ['actor', 'Actor', 'Actor, such as token:nightly'],
  ['target', 'About', 'About, such as the id of an agent'],
] as const

/** Who changed what on the platform, with the filters in the address. */
export function AuditPage() {
  const [filter, change] = useAddressFilter(noFilter)
  const { action, actor, target, days } = filter
  const query = useMemo(
    () => ({
      ...(action && { action }),
      ...(actor && { actor }),
      ...(target && { target }),
      ...(days !== anything && { from: daysAgo(Number(days)) }),
    }),
    [action, actor, target, days],
  )
  const audit = usePlatformPages('listAudit', { query: { ...query, limit: '100' } }, { select: entriesOf })
  return (
    <>
      <PageHeader
        title="Audit"
        back={{ href: '/settings', label: 'Settings' }}
        description="Changes on this server: who made them, and which were denied."
      />
      <FilterBar>
        {filters.map(([id, label, placeholder]) => (
          <TextField
            key={id}
            label={label}
            isLabelHidden
            placeholder={placeholder}
            value={filter[id]}
            onChange={(written) => change({ [id]: written.trim() })}
          />
        ))}
        <SelectField
          label="Time"
          isLabelHidden
          options={auditTimes}
          value={days}
          onChange={(chosen) => change({ days: chosen })}
        />
      </FilterBar>
      <QueryView
        query={audit}
        isEmpty={(rows) => rows.length === 0}
        empty={
          <EmptyState
            title={Object.keys(query).length > 0 ? 'No entries match these filters' : 'No entries yet'}
          >
            Changes to agents, graphs, skills, settings, model providers, tokens, routes and senders appear
            here.
          </EmptyState>
        }
      >
        {(rows) => (
          <DataTable
            label="Audit"
            columns={columns}
            rows={rows}
            rowId={idOf}
            rowText={textOf}
            onLoadMore={audit.loadMore}
            isLoadingMore={audit.isFetchingNextPage}
          />
        )}
      </QueryView>
    </>
  )
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
