import type { SearchQuery } from '@homeward/contract/device-cloud'
import { ProgressBar } from 'react-aria-components'
import { Card } from '../../components/layout/card.tsx'
import { type DataColumn, DataTable } from '../../components/table/data-table.tsx'
import { StatusBadge } from '../../components/states/status-badge.tsx'
import { describeOutcome } from './describe-outcome.ts'
import { useSearchGroup } from './use-search-group.ts'
import '../../components/states/progress.css'

const columns: readonly DataColumn<SearchQuery>[] = [
  { id: 'device', header: 'Device', cell: ({ device }) => device.name, width: '1fr', minWidth: 100 },
  {
    id: 'outcome',
    header: 'Outcome',
    width: '1fr',
    minWidth: 120,
    cell: (search) =>
      search.status === 'completed' ? describeOutcome(search) : <StatusBadge status={search.status} />,
  },
]
const idOf = ({ id }: SearchQuery) => id
const hrefOf = ({ id }: SearchQuery) => `/searches/${encodeURIComponent(id)}?group`

/** The devices that were asked the same at the same time, and how many of them have answered. */
export function SearchGroup({ search }: { readonly search: SearchQuery }) {
  const { group, isComplete } = useSearchGroup(search)
  const settled = group.filter(({ status }) => status !== 'pending').length
  const text = `${settled.toLocaleString()} of ${group.length.toLocaleString()} devices answered`
  return (
    <Card title="Devices">
      <ProgressBar
        className="progress"
        aria-label="Devices that answered"
        value={settled}
        maxValue={Math.max(group.length, 1)}
        valueLabel={text}
        isIndeterminate={!isComplete}
      >
        {({ percentage = 0 }) => (
          <>
            <span className="small muted numeric">{text}</span>
            <div className="progress-track">
              <div className="progress-fill" style={{ width: `${percentage}%` }} />
            </div>
          </>
        )}
      </ProgressBar>
      {/* Each step of a large fleet would be too much to hear. */}
      <p role="status" className="visually-hidden">
        {isComplete && settled === group.length && text}
      </p>
      <DataTable
        label="Devices of this search"
        columns={columns}
        rows={group}
        rowId={idOf}
        rowHref={hrefOf}
        rowHeight={40}
      />
    </Card>
  )
}
