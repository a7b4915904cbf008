import type { Run } from '@homeward/contract/agent-platform'
import { Download } from 'lucide-react'
import { Button } from '../../components/buttons/button.tsx'
import { saveAs } from '../../components/files/save-as.ts'
import { toCsv } from '../../components/files/to-csv.ts'
import { formatCount } from '../chat/to-shown-text.ts'
import { formatUsd } from '../usage/format-usage.ts'
import { RunAgainMany } from './run-again-many.tsx'
import { exportColumns, toSummary } from './run-texts.ts'

/** What {@link ActivityTools} take. */
export interface ActivityToolsProps {
  /** The rows that were loaded. */
  readonly rows: readonly Run[]
  /** Whether the server has more of them. */
  readonly hasMore: boolean
  readonly selected: ReadonlySet<string>
  readonly onSelected: (selected: ReadonlySet<string>) => void
}

/** What the loaded runs are together, and what can be done with them. */
export function ActivityTools({ rows, hasMore, selected, onSelected }: ActivityToolsProps) {
  const { count, failed, costUsd } = toSummary(rows)
  const chosen = rows.filter(({ id }) => selected.has(id))
  if (count === 0) return null
  return (
    <div className="activity-tools">
      <p className="muted small numeric" role="status">
        {formatCount(count)} {count === 1 ? 'run' : 'runs'}
        {hasMore && ' loaded, scroll for more'} · {formatCount(failed)} failed
        {costUsd !== undefined && ` · ${formatUsd(costUsd)}`}
      </p>
      <div className="row">
        {chosen.length > 0 && <RunAgainMany runs={chosen} onDone={() => onSelected(new Set())} />}
        <Button
          icon={<Download aria-hidden />}
          onPress={() => saveAs(new Blob([toCsv(exportColumns, rows)], { type: 'text/csv' }), 'activity.csv')}
        >
          Export as CSV
        </Button>
      </div>
    </div>
  )
}
