import type { Task, TaskFailure, TaskFailureCode } from '@homeward/contract/agent-platform'
import { RotateCw, Square, CircleAlert } from 'lucide-react'
import { useParams } from 'wouter'
import { usePlatformMutation, usePlatformQuery } from '../api/platform.ts'
import { Button } from '../components/buttons/button.tsx'
import { Card } from '../components/layout/card.tsx'
import { CodeBlock } from '../components/text/code-block.tsx'
import { ConfirmDialog } from '../components/dialogs/confirm-dialog.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { MissingState } from '../components/states/missing-state.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { AnswerText } from '../chat/answer-text.tsx'
import { LongText } from '../chat/answer-text.tsx'
import { titleOf } from '../components/text/to-shown-text.ts'
import './tasks.css'
import { Link } from 'react-aria-components'
import { Facts } from '../components/layout/facts.tsx'
import { formatTime, RelativeTime } from '../components/text/relative-time.tsx'
import { useAgentName } from '../components/agents/agent-filter.tsx'

const back = { href: '/tasks', label: 'Tasks' }

/** One task: where it is, why it failed, what came of it. */
export function TaskPage() {
  const { id = '' } = useParams()
  const query = usePlatformQuery('getTask', { params: { id } })
  return (
    <>
      {query.data === undefined && <PageHeader title="Task" back={back} />}
      <QueryView query={query} missing={<MissingState kind="task" id={id} list={back} />}>
        {({ task }) => <TaskView task={task} />}
      </QueryView>
    </>
  )
}

function TaskView({ task }: { readonly task: Task }) {
  const { input, result, failure } = task
  return (
    <>
      <PageHeader title={titleOf(input)} back={back} actions={<TaskActions task={task} />} />
      <div className="task-columns">
        <div className="stack">
          {failure && <TaskFailureNote failure={failure} />}
          {titleOf(input) !== input.trim() && (
            <Card title="Task">
              <LongText label="the task" text={input} />
            </Card>
          )}
          {result && result.output !== '' && (
            <Card title="Result">
              <AnswerText text={result.output} />
            </Card>
          )}
          {result?.error !== undefined && failure === undefined && (
            <Card title="What went wrong">
              <p className="foreign">{result.error}</p>
            </Card>
          )}
          {task.metadata && (
            <Card title="Metadata">
              <CodeBlock label="the metadata" code={JSON.stringify(task.metadata, undefined, 2)} />
            </Card>
          )}
        </div>
        <Card title="State" actions={<LiveStatus status={task.status} />}>
          <TaskFacts task={task} />
        </Card>
      </div>
    </>
  )
}

function LiveStatus({ status }: Pick<Task, 'status'>) {
  return (
    <span role="status">
      <StatusBadge status={status} />
    </span>
  )
}

function TaskActions({ task: { id, status } }: { readonly task: Task }) {
  const invalidates = ['getTask', 'listTasks', 'listRuns', 'getRun'] as const
  const retry = usePlatformMutation('retryTask', { invalidates })
  const cancel = usePlatformMutation('cancelTask', { invalidates })
  return (
    <>
      {retry.error && <ErrorState error={retry.error} isInline />}
      {status === 'failed' && (
        <Button
          variant="primary"
          icon={<RotateCw aria-hidden />}
          isPending={retry.isPending}
          onPress={() => retry.mutate({ params: { id } })}
        >
          Try again
        </Button>
      )}
      {(status === 'queued' || status === 'running') && (
        <ConfirmDialog
          title="Stop this task?"
          confirmLabel="Stop task"
          trigger={<Button icon={<Square aria-hidden />}>Stop</Button>}
          onConfirm={() => cancel.mutateAsync({ params: { id } })}
        >
          <p>Its run ends now, and the task is marked as failed. You can try the task again.</p>
        </ConfirmDialog>
      )}
    </>
  )
}

const titles: Readonly<Record<TaskFailureCode, string>> = {
  run_error: 'The run failed',
  timeout: 'The run took too long',
  cancelled: 'The task was stopped',
  max_attempts: 'All attempts failed',
  not_found: 'The agent or the graph was deleted',
  effect_uncertain: 'A tool call may not have finished',
  guard_refused: 'A check rejected the task or its answer',
}

/** Why a task failed, and whether trying again may help. */
function TaskFailureNote({ failure: { code, message, retryable } }: { readonly failure: TaskFailure }) {
  return (
    <div className="task-failure">
      <CircleAlert aria-hidden />
      <div>
        <h2>{titles[code]}</h2>
        <p className="foreign">{message}</p>
        <p className="muted small">
          <code>{code}</code> · {retryable ? 'The task may succeed if you try again.' : adviceOf(code)}
        </p>
      </div>
    </div>
  )
}

function adviceOf(code: TaskFailureCode): string {
  if (code !== 'effect_uncertain') return 'The task will probably fail again until you fix the cause.'
  return 'Check whether the call took effect. Trying again may repeat it.'
}

const formatKnown = (time: string | undefined) => time && formatTime(time)

/** What a task is, when things happened to it, and where its run and its conversation are. */
function TaskFacts({ task }: { readonly task: Task }) {
  const { agent_id: agent, graph_id: graph, run_id: run, conversation_id: conversation } = task
  const agentName = useAgentName(agent)
  return (
    <Facts
      facts={[
        ['For', agent === undefined ? linkTo('graphs', graph) : linkTo('agents', agent, agentName)],
        ['Attempts', `${task.attempt} of ${task.max_attempts}`],
        ['Run', linkTo('runs', run, 'Open the run')],
        [
          'Graph nodes',
          run && graph && (
            <Link href={`/graphs/${encodeURIComponent(graph)}?run=${encodeURIComponent(run)}`}>
              Show in the graph
            </Link>
          ),
        ],
        ['Conversation', linkTo('conversations', conversation, 'Open the conversation')],
        ['Created', formatTime(task.created_at)],
        ['Next attempt', task.run_at && <RelativeTime value={task.run_at} />],
        ['Started', formatKnown(task.started_at)],
        ['Ended', formatKnown(task.finished_at)],
        ['Priority', task.priority],
        ['Schedule', task.schedule && <code>{task.schedule}</code>],
        ['Scheduled for', formatKnown(task.scheduled_for)],
        ['User', task.user_id],
        ['Idempotency key', task.idempotency_key],
        ['Id', <span className="mono small">{task.id}</span>],
      ]}
    />
  )
}

function linkTo(pages: 'agents' | 'graphs' | 'runs' | 'conversations', id: string | undefined, name = id) {
  return id && <Link href={`/${pages}/${encodeURIComponent(id)}`}>{name}</Link>
}
