import { AuditAction, type AuditEntry } from '@homeward/contract/device-cloud'
import type { ReplyOf } from '@homeward/contract'
import type { DeviceCloudOperations } from '@homeward/contract/device-cloud'
import { useMemo } from 'react'
import { useCloudPages } from '../api/cloud.ts'
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
import { DeviceField } from '../devices/device-field.tsx'

type Reply = ReplyOf<DeviceCloudOperations['listAudit']>

const actions = [
  { value: anything, label: 'Any action' },
  ...AuditAction.options.map((value) => ({ value, label: toActionWords(value) })),
]

const columns: readonly DataColumn<AuditEntry>[] = [
  { id: 'when', header: 'When', cell: ({ createdAt }) => <RelativeTime value={createdAt} />, width: 130 },
  {
    id: 'action',
    header: 'Action',
    cell: ({ action }) => toActionWords(action),
    width: '1fr',
    minWidth: 215,
  },
  { id: 'who', header: 'Actor', cell: ({ actor, userId }) => actor ?? userId, width: '1fr', minWidth: 110 },
  {
    id: 'name',
    header: 'About',
    cell: ({ name, deviceId, subjectId }) => name ?? deviceId ?? subjectId ?? '–',
    width: '2fr',
    minWidth: 140,
    cardLines: 2,
  },
  {
    id: 'outcome',
    header: 'Outcome',
    cell: ({ outcome, reason }) =>
      outcome === 'done' ? 'Done' : <StatusBadge status="failed">{reason}</StatusBadge>,
    width: '1fr',
    minWidth: 110,
  },
  { id: 'address', header: 'Address', cell: ({ address }) => address ?? '–', width: 130 },
]
const idOf = ({ id }: AuditEntry) => id
const textOf = ({ action }: AuditEntry) => toActionWords(action)
const entriesOf = ({ entries }: Reply) => entries

/** What was done in the user's name, with the filters in the address. */
export function AuditPage() {
  const [{ action, device, actor, days }, change] = useAddressFilter(noFilter)
  const query = useMemo(
    () => ({
      ...(action !== anything && { action: action as AuditEntry['action'] }), // the server rejects another one
      ...(device && { deviceId: device }),
      ...(actor && { actor }),
      ...(days !== anything && { from: daysAgo(Number(days)) }),
    }),
    [action, device, actor, days],
  )
  const audit = useCloudPages('listAudit', { query: { ...query, limit: '100' } }, { select: entriesOf })
  return (
    <>
      <PageHeader title="Audit" description="Actions in your name, including denied ones." />
      <FilterBar>
        <SelectField
          label="Action"
          isLabelHidden
          options={actions}
          value={action}
          onChange={(chosen) => change({ action: chosen })}
        />
        <DeviceField deviceId={device} onChange={(chosen) => change({ device: chosen })} />
        <TextField
          label="Actor"
          isLabelHidden
          placeholder="Actor, such as token:nightly"
          value={actor}
          onChange={(written) => change({ actor: written.trim() })}
        />
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
            Registrations, searches, requested files and changes to keys and tokens appear here.
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

const noFilter = { action: anything, device: '', actor: '', days: anything }
