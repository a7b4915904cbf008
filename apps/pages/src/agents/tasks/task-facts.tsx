import type { Task } from '@homeward/contract/agent-platform'
import { Link } from 'react-aria-components'
import { Facts } from '../../components/layout/facts.tsx'
import { formatTime, RelativeTime } from '../../components/text/relative-time.tsx'
import { useAgentName } from '../agents/agent-name.tsx'

const formatKnown = (time: string | undefined) => time && formatTime(time)

/** What a task is, when things happened to it, and where its run and its conversation are. */
export function TaskFacts({ task }: { readonly task: Task }) {
  const { agent_id: agent, graph_id: graph, run_id: run, conversation_id: conversation } = task
  const agentName = useAgentName(agent)
  return (
    <Facts
      facts={[
        ['For', agent === undefined ? linkTo('graphs', graph) : linkTo('agents', agent, agentName)],
        ['Attempts', `${task.attempt} of ${task.max_attempts}`],
        ['Run', linkTo('runs', run)],
        [
          'Graph nodes',
          run && graph && (
            <Link href={`/graphs/${encodeURIComponent(graph)}?run=${encodeURIComponent(run)}`}>
              Show in the graph
            </Link>
          ),
        ],
        ['Conversation', linkTo('conversations', conversation)],
        ['Created', formatTime(task.created_at)],
        ['Next attempt', task.run_at && <RelativeTime value={task.run_at} />],
        ['Started', formatKnown(task.started_at)],
        ['Ended', formatKnown(task.finished_at)],
        ['Priority', task.priority],
        ['Schedule', task.schedule && <code>{task.schedule}</code>],
        ['Scheduled for', formatKnown(task.scheduled_for)],
        ['User', task.user_id],
        ['Idempotency key', task.idempotency_key],
      ]}
    />
  )
}

function linkTo(pages: 'agents' | 'graphs' | 'runs' | 'conversations', id: string | undefined, name = id) {
  return id && <Link href={`/${pages}/${encodeURIComponent(id)}`}>{name}</Link>
}
