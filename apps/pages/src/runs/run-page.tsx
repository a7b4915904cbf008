import type { Run } from '@homeward/contract/agent-platform'
import { MessageCircle, Square, RotateCcw } from 'lucide-react'
import { useParams } from 'wouter'
import { usePlatformMutation, usePlatformQuery } from '../api/platform.ts'
import { Button } from '../components/buttons/button.tsx'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { MissingState } from '../components/states/missing-state.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { ApprovalView } from '../chat/approval-view.tsx'
import { OpenWaits } from '../chat/wait-view.tsx'
import '../chat/chat.css'
import { canRerun, hasEnded } from './run-texts.ts'
import { titleOf } from '../components/text/to-shown-text.ts'
import { toChat } from '../chat/pending-questions.ts'
import { FeedbackButtons } from '../chat/feedback-buttons.tsx'
import { RunMenu } from './run-menu.tsx'
import { UndoCard } from './undo-card.tsx'
import { RunFacts } from './run-facts.tsx'
import { TraceCard } from './trace/trace-card.tsx'
import { Card } from '../components/layout/card.tsx'
import { AnswerText } from '../chat/answer-text.tsx'
import { adviseOn } from '../chat/failure-advice.ts'
import { MessageFiles } from '../chat/files/message-files.tsx'
import { LongText } from '../chat/answer-text.tsx'
import { useState } from 'react'
import { Dialog } from '../components/dialogs/dialog.tsx'
import { DialogActions } from '../components/dialogs/dialog-actions.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import { useRunAgain } from './run-again.tsx'

const back = { href: '/runs', label: 'Activity' }

/** One run: its trace, its result, and what can be done with it. */
export function RunPage() {
  const { id } = useParams<{ id: string }>()
  const query = usePlatformQuery('getRun', { params: { id } })
  const run = query.data?.run
  return (
    <>
      <PageHeader
        title={run ? titleOf(run.task) || 'Run' : 'Run'}
        back={back}
        description={run && <StatusBadge status={run.status} />}
        actions={run && <RunActions key={id} run={run} />}
      />
      <QueryView query={query} missing={<MissingState kind="run" id={id} list={back} />}>
        {(reply) => <RunView key={id} run={reply.run} />}
      </QueryView>
    </>
  )
}

function RunActions({ run }: { readonly run: Run }) {
  const { agent_id: agentId, conversation_id: conversationId } = run
  return (
    <>
      <CancelRun run={run} />
      {canRerun(run) && <RunAgainDialog run={run} />}
      {agentId !== undefined && conversationId !== undefined && (
        <LinkButton href={toChat(agentId, conversationId)} icon={<MessageCircle aria-hidden />}>
          Open in chat
        </LinkButton>
      )}
      <RunMenu run={run} />
    </>
  )
}

function CancelRun({ run }: { readonly run: Run }) {
  const cancel = usePlatformMutation('cancelRun', { invalidates: ['getRun', 'listRuns', 'listLogs'] })
  if (run.status !== 'running' && run.status !== 'waiting') return null
  return (
    <>
      {cancel.error && <ErrorState error={cancel.error} isInline />}
      <Button
        icon={<Square aria-hidden />}
        isDisabled={cancel.isPending}
        onPress={() => cancel.mutate({ params: { id: run.id } })}
      >
        Stop the run
      </Button>
    </>
  )
}

function RunView({ run }: { readonly run: Run }) {
  const waiting = run.approvals.filter(({ status }) => status === 'pending')
  return (
    <>
      <RunFailure run={run} />
      <RunFacts run={run} />
      {waiting.map(({ id, run_id, tool, args }) => (
        <ApprovalView key={id} part={{ kind: 'approval', id, runId: run_id, tool, args }} />
      ))}
      <OpenWaits runId={run.id} />
      <UndoCard run={run} />
      <RunOutput run={run} />
      <TraceCard run={run} />
    </>
  )
}

const errorOf = ({ result }: Run) => (result && 'error' in result ? result.error : undefined)

/** Why a run failed, and what to do about it. */
function RunFailure({ run }: { readonly run: Run }) {
  const { result, agent_id: agentId = '' } = run
  const error = errorOf(run)
  // A run that somebody stopped has its badge.
  if (error === undefined || run.status === 'cancelled') return null
  const code = result && 'code' in result ? result.code : undefined
  const { title, advice } = adviseOn(code ?? 'run_error', agentId, error)
  return (
    <Card title="What went wrong">
      <p>
        <strong>{title}.</strong> {advice}
      </p>
      <p className="foreign small">
        {error} {code !== undefined && <code>{code}</code>}
      </p>
    </Card>
  )
}

/** The task, if the title does not say all of it, and the answer. */
function RunOutput({ run }: { readonly run: Run }) {
  const { task, result } = run
  const isFailed = errorOf(run) !== undefined
  return (
    <>
      {titleOf(task) !== task.trim() && (
        <Card title="Task">
          <LongText text={task} label="Task" />
        </Card>
      )}
      {result && (result.output !== '' || (hasEnded(run) && !isFailed)) && (
        <Card title="Answer">
          {result.output === '' && <p className="muted">No output.</p>}
          {result.output !== '' && <AnswerText text={result.output} />}
          {'files' in result && <MessageFiles label="Files of the run" files={result.files ?? []} />}
          <RunFeedback run={run} />
        </Card>
      )}
    </>
  )
}

/** Feedback on the answer of a run, with the buttons to give it. */
function RunFeedback({ run: { id, agent_id, status, feedback = [] } }: { readonly run: Run }) {
  if (agent_id === undefined || status === 'running' || status === 'waiting') return null
  const comments = feedback.filter(({ comment }) => comment !== undefined)
  return (
    <>
      <div className="row" role="group" aria-label="Feedback on this answer">
        <FeedbackButtons runId={id} feedback={feedback} />
      </div>
      {comments.map(({ user_id, rating, comment }) => (
        <p key={user_id ?? ''} className="small foreign">
          {rating === 'up' ? 'Good' : 'Bad'}
          {user_id !== undefined && ` (${user_id})`}: {comment}
        </p>
      ))}
    </>
  )
}

/** Starts a run again, as it was or with another task. */
function RunAgainDialog({ run }: { readonly run: Run }) {
  return (
    <Dialog title="Run again" trigger={<Button icon={<RotateCcw aria-hidden />}>Run again</Button>}>
      {(close) => <RunAgainForm run={run} close={close} />}
    </Dialog>
  )
}

function RunAgainForm({ run, close }: { readonly run: Run; readonly close: () => void }) {
  const [task, setTask] = useState(run.task)
  const again = useRunAgain(run.id)
  return (
    <SubmitForm error={again.error} onSubmit={() => again.start(task === run.task ? {} : { task })}>
      <TextArea
        label="Task"
        description="The agent runs with its current settings, in a new conversation. The earlier run stays."
        value={task}
        onChange={setTask}
        maxLength={1_000_000}
        isRequired
      />
      {again.error && <ErrorState error={again.error} isInline />}
      <DialogActions>
        <Button onPress={close}>Cancel</Button>
        <Button type="submit" variant="primary" isPending={again.isPending} isDisabled={task.trim() === ''}>
          Run again
        </Button>
      </DialogActions>
    </SubmitForm>
  )
}
