import type { Run } from '@homeward/contract/agent-platform'
import { Link } from 'react-aria-components'
import { usePlatformQuery } from '../../api/platform.ts'
import { Card } from '../../components/layout/card.tsx'
import { QueryView } from '../../components/states/query-view.tsx'
import { RelativeTime } from '../../components/text/relative-time.tsx'
import { StatusBadge } from '../../components/states/status-badge.tsx'
import { AgentName } from '../agents/agent-name.tsx'

const shownRuns = '8'

/** What runs now; when nothing does, what ran last. */
export function RunningCard() {
  const running = usePlatformQuery('listRuns', { query: { status: 'running', limit: shownRuns } })
  const newest = usePlatformQuery('listRuns', { query: { limit: shownRuns } })
  const isBusy = running.data !== undefined && running.data.runs.length > 0
  return (
    <Card title={isBusy ? 'Runs now' : 'Newest runs'} actions={<Link href="/runs">All runs</Link>}>
      <QueryView
        query={isBusy || running.error ? running : newest}
        isEmpty={(reply) => reply.runs.length === 0}
        empty={<p className="muted">Nothing has run yet.</p>}
      >
        {(reply) => (
          <ul className="overview-list">
            {reply.runs.map((run) => (
              <li key={run.id}>
                <RunLine run={run} />
              </li>
            ))}
          </ul>
        )}
      </QueryView>
    </Card>
  )
}

function RunLine({
  run: { id, agent_id: agent, graph_id: graph, status, task, created_at: at },
}: {
  readonly run: Run
}) {
  return (
    <Link className="overview-line" href={`/runs/${encodeURIComponent(id)}`}>
      <StatusBadge status={status} />
      <span className="grow truncate foreign">
        <strong>{graph ?? <AgentName id={agent} />}</strong> {task.slice(0, 200)}
      </span>
      <span className="muted small">
        <RelativeTime value={at} />
      </span>
    </Link>
  )
}
