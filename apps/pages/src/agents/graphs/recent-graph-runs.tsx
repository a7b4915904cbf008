import { Link } from 'react-aria-components'
import { usePlatformQuery } from '../../api/platform.ts'
import { Card } from '../../components/layout/card.tsx'
import { QueryView } from '../../components/states/query-view.tsx'
import { RelativeTime } from '../../components/text/relative-time.tsx'
import { StatusBadge } from '../../components/states/status-badge.tsx'

/** What {@link RecentGraphRuns} take. */
export interface RecentGraphRunsProps {
  readonly graphId: string
  /** The run that is shown in the drawing. */
  readonly selected: string | undefined
}

/** The newest runs of a graph; choosing one shows it in the drawing. */
export function RecentGraphRuns({ graphId, selected }: RecentGraphRunsProps) {
  const runs = usePlatformQuery('listRuns', { query: { graph_id: graphId, limit: '8' } })
  return (
    <Card title="Newest runs">
      <QueryView
        query={runs}
        isEmpty={(reply) => reply.runs.length === 0}
        empty={<p className="muted">Runs appear here once the graph has run.</p>}
      >
        {(reply) => (
          <ul className="graph-run-nodes">
            {reply.runs.map(({ id, status, created_at: at, task }) => (
              <li key={id}>
                <Link
                  className="graph-run-node"
                  href={`/graphs/${encodeURIComponent(graphId)}?run=${encodeURIComponent(id)}`}
                  {...(id === selected && { 'aria-current': 'true' as const })}
                >
                  <StatusBadge status={status} />
                  <span className="grow truncate foreign">{task}</span>
                  <span className="muted small">
                    <RelativeTime value={at} />
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </QueryView>
    </Card>
  )
}
