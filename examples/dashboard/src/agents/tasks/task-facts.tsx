import type { Task } from '@homeward/contract/agent-platform'
import type { ReactNode } from 'react'
import { Link } from 'react-aria-components'
import { formatTime, RelativeTime } from '../../components/relative-time.tsx'

/** What a task is, when things happened to it, and where its run and its conversation are. */
export function TaskFacts({ task }: { readonly task: Task }) {
  const { agent_id: agent, graph_id: graph, run_id: run, conversation_id: conversation } = task
  return (
    <dl className="task-facts">
      <Fact name="For">
        {agent !== undefined && <Link href={`/agents/${encodeURIComponent(agent)}`}>{agent}</Link>}
        {graph !== undefined && <Link href={`/graphs/${encodeURIComponent(graph)}`}>{graph}</Link>}
      </Fact>
      <Fact name="Attempts">
        {task.attempt} of {task.max_attempts}
      </Fact>
      <Fact name="Run">{run && <Link href={`/runs/${encodeURIComponent(run)}`}>{run}</Link>}</Fact>
      <Fact name="Graph's nodes">
        {run && graph && (
          <Link href={`/graphs/${encodeURIComponent(graph)}?run=${encodeURIComponent(run)}`}>
            Show in the drawing
          </Link>
        )}
      </Fact>
      <Fact name="Conversation">
        {conversation && (
          <Link href={`/conversations/${encodeURIComponent(conversation)}`}>{conversation}</Link>
        )}
      </Fact>
      <Fact name="Created">{formatTime(task.created_at)}</Fact>
      <Fact name="Tried again">{task.run_at && <RelativeTime value={task.run_at} />}</Fact>
      <Fact name="Started">{task.started_at && formatTime(task.started_at)}</Fact>
      <Fact name="Ended">{task.finished_at && formatTime(task.finished_at)}</Fact>
      <Fact name="Priority">{task.priority}</Fact>
      <Fact name="Schedule">{task.schedule && <code>{task.schedule}</code>}</Fact>
      <Fact name="Meant for">{task.scheduled_for && formatTime(task.scheduled_for)}</Fact>
      <Fact name="User">{task.user_id}</Fact>
      <Fact name="Idempotency key">{task.idempotency_key}</Fact>
    </dl>
  )
}

/** What is not known is left out. */
function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  if (children === undefined || children === '' || children === false) return null
  return (
    <div>
      <dt>{name}</dt>
      <dd className="foreign">{children}</dd>
    </div>
  )
}
