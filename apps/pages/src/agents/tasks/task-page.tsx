import type { Task } from '@homeward/contract/agent-platform'
import { RotateCw, Square } from 'lucide-react'
import { useParams } from 'wouter'
import { usePlatformMutation, usePlatformQuery } from '../../api/platform.ts'
import { Button } from '../../components/buttons/button.tsx'
import { Card } from '../../components/layout/card.tsx'
import { CodeBlock } from '../../components/text/code-block.tsx'
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx'
import { ErrorState } from '../../components/states/error-state.tsx'
import { MissingState } from '../../components/states/missing-state.tsx'
import { PageHeader } from '../../components/layout/page-header.tsx'
import { QueryView } from '../../components/states/query-view.tsx'
import { StatusBadge } from '../../components/states/status-badge.tsx'
import { AnswerText } from '../chat/answer-text.tsx'
import { LongText } from '../chat/long-text.tsx'
import { TaskFacts } from './task-facts.tsx'
import { TaskFailureNote } from './task-failure-note.tsx'
import './tasks.css'

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
      <PageHeader
        title="Task"
        description={<span className="mono small">{task.id}</span>}
        back={back}
        actions={<TaskActions task={task} />}
      />
      <div className="task-columns">
        <div className="stack">
          {failure && <TaskFailureNote failure={failure} />}
          <Card title="Task">
            <LongText label="the task" text={input} />
          </Card>
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
