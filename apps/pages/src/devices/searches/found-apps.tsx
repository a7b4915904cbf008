import type { FoundApp } from '@homeward/contract/device-cloud'
import { useMemo } from 'react'
import { Card } from '../../components/layout/card.tsx'
import { type DataColumn, DataTable } from '../../components/table/data-table.tsx'
import { EmptyState } from '../../components/states/empty-state.tsx'
import { StatusBadge } from '../../components/states/status-badge.tsx'

/** A row of its own for each app, also where a device names one twice. */
interface AppRow extends FoundApp {
  readonly row: string
}

const columns: readonly DataColumn<AppRow>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ name }) => <span title={name}>{name}</span>,
    width: '2fr',
    minWidth: 140,
  },
  {
    id: 'path',
    header: 'Path',
    cell: ({ path }) => (
      <span className="mono" title={path}>
        {path}
      </span>
    ),
    width: '3fr',
    minWidth: 160,
  },
  {
    id: 'running',
    header: 'Running',
    cell: ({ running }) => (
      <StatusBadge status={running ? 'running' : 'stopped'} tone={running ? 'good' : 'neutral'} />
    ),
    width: 120,
  },
]
const idOf = ({ row }: AppRow) => row
const nameOf = ({ name }: AppRow) => name

/** The apps that matched. */
export function FoundApps({ apps }: { readonly apps: readonly FoundApp[] }) {
  const rows = useMemo(() => apps.map((app, index): AppRow => ({ ...app, row: String(index) })), [apps])
  return (
    <Card title={apps.length === 1 ? '1 app' : `${apps.length.toLocaleString()} apps`} isFlush>
      <DataTable
        label="Apps"
        columns={columns}
        rows={rows}
        rowId={idOf}
        rowText={nameOf}
        empty={<EmptyState title="No app matched" />}
      />
    </Card>
  )
}
