import type { ScheduleState } from '@homeward/contract/agent-platform'
import { CalendarClock } from 'lucide-react'
import { Link } from 'react-aria-components'
import { usePlatformQuery } from '../../api/platform.ts'
import { Card } from '../../components/layout/card.tsx'
import { QueryView } from '../../components/states/query-view.tsx'
import { RelativeTime } from '../../components/text/relative-time.tsx'
import { AgentName } from '../agents/agent-name.tsx'

const shownFires = 5

/** What runs by itself next. */
export function NextFiresCard() {
  const schedules = usePlatformQuery('listSchedules')
  return (
    <Card title="Comes next" actions={<Link href="/schedules">All schedules</Link>}>
      <QueryView
        query={schedules}
        isEmpty={(reply) => nextFires(reply.schedules).length === 0}
        empty={
          <p className="muted">Nothing is scheduled. An agent or a graph with a schedule runs by itself.</p>
        }
      >
        {(reply) => (
          <ul className="overview-list">
            {nextFires(reply.schedules).map(
              ({ agent_id: agent, graph_id: graph, next_fire: fire = '', schedule }) => (
                <li key={`${agent} ${graph}`}>
                  <Link
                    className="overview-line"
                    href={agent === undefined ? `/graphs/${graph}` : `/agents/${agent}`}
                  >
                    <CalendarClock aria-hidden />
                    <span className="grow truncate foreign">
                      <strong>{graph ?? <AgentName id={agent} />}</strong>{' '}
                      <code className="muted">{schedule}</code>
                    </span>
                    <span className="muted small">
                      <RelativeTime value={fire} />
                    </span>
                  </Link>
                </li>
              ),
            )}
          </ul>
        )}
      </QueryView>
    </Card>
  )
}

function nextFires(schedules: readonly ScheduleState[]): readonly ScheduleState[] {
  return schedules
    .filter(({ next_fire: fire }) => fire !== undefined)
    .toSorted((one, other) => Date.parse(one.next_fire ?? '') - Date.parse(other.next_fire ?? ''))
    .slice(0, shownFires)
}
