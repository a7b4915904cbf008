import { type CallInput, ClientError } from '@homeward/contract/client'
import type { AgentPlatformOperations } from '@homeward/contract/agent-platform'
import { useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { type FieldErrors, toFieldErrors } from '../api/field-errors.ts'
import { usePlatformMutation, usePlatformQuery } from '../api/platform.ts'
import { useIdempotencyKey } from '../api/use-idempotency-key.ts'
import { Button } from '../components/buttons/button.tsx'
import { Card } from '../components/layout/card.tsx'
import { DialogActions } from '../components/dialogs/dialog-actions.tsx'
import { FieldGroup } from '../components/fields/field-group.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { LeaveGuard } from '../components/dialogs/leave-guard.tsx'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { NumberField } from '../components/fields/number-field.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { readHandedOverWork } from './task-draft.ts'
import { missingIn, newTaskDraft, type TaskDraft, toTaskRequest } from './task-draft.ts'
import { workerOf, workerOptions } from './task-draft.ts'
import './tasks.css'
import { WorkOptionsForm } from './work-options-form.tsx'
import { workFieldNames } from './task-draft.ts'

type Body = CallInput<AgentPlatformOperations['createTask']>['body']

const agentFieldNames = ['conversation_id', 'limits.max_turns', 'limits.max_tokens', 'limits.max_runtime']
const fieldNames = ['task', 'priority', 'max_attempts', ...agentFieldNames, ...workFieldNames]

/** The server's answer by the fields of the form; an agent or a graph that is gone is an error of that choice. */
function toTaskErrors(error: Error | undefined): FieldErrors {
  if (ClientError.is(error) && error.status === 404 && error.detail !== undefined)
    return { fields: { worker: error.detail }, rest: undefined }
  return toFieldErrors(error ?? null, fieldNames)
}

/** Puts a task into the queue. */
export function NewTaskPage() {
  const [search] = useSearchParams()
  const [, navigate] = useLocation()
  const [first] = useState(() =>
    newTaskDraft({ agentId: search.get('agent') ?? undefined, graphId: search.get('graph') ?? undefined }),
  )
  // What was handed over is saved nowhere else: it counts as written here.
  const [draft, setDraft] = useState(() => {
    const work = readHandedOverWork()
    return work ? { ...first, ...work } : first
  })
  const [error, setError] = useState<Error>()
  const [missing, setMissing] = useState<Readonly<Record<string, string>>>({})
  const idempotency = useIdempotencyKey()
  const create = usePlatformMutation('createTask', {
    invalidates: ['listTasks'],
    onSuccess: ({ task }) => navigate(`/tasks/${encodeURIComponent(task.id)}`),
    onError: setError,
  })
  const set = (change: Partial<TaskDraft>) => {
    setDraft({ ...draft, ...change })
    setMissing({})
  }

  function send(): void {
    setError(undefined)
    const found = missingIn(draft)
    setMissing(found)
    if (Object.keys(found).length > 0) return
    try {
      const body = toTaskRequest(draft) satisfies Body
      // Sent again after a lost answer, it is the same task.
      create.mutate({ body, headers: idempotency.headersFor(body) })
    } catch (cause) {
      setError(cause instanceof Error ? cause : new Error(String(cause)))
    }
  }

  const refused = toTaskErrors(error)
  const problems = { ...refused.fields, ...missing }

  return (
    <>
      <PageHeader title="New task" back={{ href: '/tasks', label: 'Tasks' }} />
      <div className="task-form">
        <SubmitForm onSubmit={send} error={Object.keys(missing).length > 0 ? missing : error}>
          <Card>
            <WorkerField draft={draft} problem={problems.worker} onChange={set} />
            <TextArea
              label="Task"
              isRequired
              autoFocus
              rows={5}
              maxLength={1_000_000}
              value={draft.task}
              onChange={(task) => set({ task })}
              description="Task for the agent, or input of the graph."
              errorMessage={problems.task}
            />
            <QueueFields draft={draft} problems={problems} onChange={set} />
            <WorkOptionsForm
              options={draft.options}
              onChange={(options) => set({ options })}
              errors={problems}
            />
            {refused.rest && <ErrorState error={refused.rest} isInline />}
            <DialogActions>
              <LinkButton href="/tasks">Cancel</LinkButton>
              <Button type="submit" variant="primary" isPending={create.isPending}>
                Create task
              </Button>
            </DialogActions>
          </Card>
        </SubmitForm>
        <LeaveGuard isDirty={draft !== first && !create.isPending} />
      </div>
    </>
  )
}

interface FieldsProps {
  readonly draft: TaskDraft
  readonly onChange: (change: Partial<TaskDraft>) => void
}

function WorkerField({ draft, problem, onChange }: FieldsProps & { readonly problem: string | undefined }) {
  const agents = usePlatformQuery('listAgents')
  const graphs = usePlatformQuery('listGraphs')
  const { options, value } = workerOptions(agents.data?.agents ?? [], graphs.data?.graphs ?? [], draft.worker)
  if (agents.data?.agents.length === 0 && value === undefined) {
    return (
      <EmptyState title="No agents yet" action={<LinkButton href="/agents/_new">Create an agent</LinkButton>}>
        Create an agent first: a task is done by an agent or a graph of agents.
      </EmptyState>
    )
  }
  const failed = [agents, graphs].find(({ error }) => error !== null)
  return (
    <>
      <SelectField
        label="For"
        isRequired
        placeholder="Choose an agent or a graph"
        options={options}
        value={value ?? null}
        errorMessage={problem}
        onChange={(chosen) => onChange({ worker: workerOf(chosen) })}
      />
      {failed?.error && <ErrorState error={failed.error} onRetry={() => void failed.refetch()} isInline />}
    </>
  )
}

interface QueueFieldsProps extends FieldsProps {
  readonly problems: Readonly<Record<string, string>>
}

function QueueFields({ draft, problems, onChange }: QueueFieldsProps) {
  const orNone = (value: number) => (Number.isNaN(value) ? undefined : value)
  const { worker, limits } = draft
  return (
    <>
      <div className="field-grid">
        <NumberField
          label="Priority"
          minValue={-1000}
          maxValue={1000}
          value={draft.priority}
          onChange={(priority) => onChange({ priority: Number.isNaN(priority) ? 0 : priority })}
          description="Tasks with a higher priority start first."
          errorMessage={problems.priority}
        />
        <NumberField
          label="Maximum attempts"
          minValue={1}
          maxValue={100}
          value={draft.maxAttempts ?? NaN}
          placeholder="3"
          onChange={(value) => onChange({ maxAttempts: orNone(value) })}
          errorMessage={problems.max_attempts}
        />
      </div>
      {worker.agentId !== undefined && (
        <FieldGroup
          title="Conversation and limits"
          isUsed={false}
          hasProblem={agentFieldNames.some((name) => Object.hasOwn(problems, name))}
        >
          <div className="stack" data-gap="small">
            <TextField
              label="Conversation"
              value={draft.conversationId}
              onChange={(conversationId) => onChange({ conversationId })}
              description="Id of the conversation to continue. Leave empty for a new conversation."
              maxLength={200}
              errorMessage={problems.conversation_id}
            />
            <div className="field-grid">
              <NumberField
                label="Maximum turns"
                minValue={1}
                maxValue={1000}
                value={limits.max_turns ?? NaN}
                onChange={(value) => onChange({ limits: { ...limits, max_turns: orNone(value) } })}
                errorMessage={problems['limits.max_turns']}
              />
              <NumberField
                label="Maximum output tokens"
                minValue={1}
                value={limits.max_tokens ?? NaN}
                onChange={(value) => onChange({ limits: { ...limits, max_tokens: orNone(value) } })}
                errorMessage={problems['limits.max_tokens']}
              />
              <NumberField
                label="Maximum seconds"
                minValue={0.1}
                value={limits.max_runtime ?? NaN}
                onChange={(value) => onChange({ limits: { ...limits, max_runtime: orNone(value) } })}
                errorMessage={problems['limits.max_runtime']}
              />
            </div>
          </div>
        </FieldGroup>
      )}
    </>
  )
}
