import { useMemo } from 'react'
import { Card } from '../../components/layout/card.tsx'
import { EmptyState } from '../../components/states/empty-state.tsx'
import { QueryView } from '../../components/states/query-view.tsx'
import { StatusBadge } from '../../components/states/status-badge.tsx'
import { type DataColumn, DataTable } from '../../components/table/data-table.tsx'
import { type ChangeRow, toChangeRows } from './change-rows.ts'
import { useChanges } from './use-saved-searches.ts'

const tones = { added: 'good', removed: 'bad', changed: 'warn' } as const

const columns: readonly DataColumn<ChangeRow>[] = [
  { id: 'name', header: 'Name', cell: ({ name }) => name, width: '2fr', minWidth: 140 },
  {
    id: 'kind',
    header: 'Change',
    cell: ({ kind }) => <StatusBadge status={kind} tone={tones[kind]} />,
    width: 130,
  },
  { id: 'device', header: 'Device', cell: ({ device }) => device.name, width: '1fr', minWidth: 110 },
  {
    id: 'detail',
    header: 'Path or details',
    cell: ({ detail }) => (
      <span className="mono" title={detail}>
        {detail}
      </span>
    ),
    width: '3fr',
    minWidth: 160,
  },
]
const idOf = ({ id }: ChangeRow) => id
const textOf = ({ name, device }: ChangeRow) => `${name} on ${device.name}`

/** What devices answered otherwise in the last run of a saved search than in the run before. */
export function Changes({ savedSearchId }: { readonly savedSearchId: string }) {
  const changes = useChanges(savedSearchId)
  const rows = useMemo(() => toChangeRows(changes.data ?? []), [changes.data])
  return (
    <Card title="Changes since the previous run">
      <QueryView query={changes}>
        {() => (
          <DataTable
            label="Changes"
            columns={columns}
            rows={rows}
            rowId={idOf}
            rowText={textOf}
            onLoadMore={changes.loadMore}
            isLoadingMore={changes.isFetchingNextPage}
            empty={
              <EmptyState title="No changes">
                Differences between the last two runs appear here, once devices have answered both.
              </EmptyState>
            }
          />
        )}
      </QueryView>
    </Card>
  )
}
