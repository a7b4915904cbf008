import type { Approval, ApprovalDecision } from '@homeward/contract/agent-platform'
import { ShieldAlert, ShieldCheck, ShieldX } from 'lucide-react'
import { use } from 'react'
import { usePlatformMutation, usePlatformQuery } from '../api/platform.ts'
import { ErrorState } from '../components/states/error-state.tsx'
import { ApprovalAnswer } from './approval-answer.tsx'
import { ComposerFocus } from './composer-focus.ts'
import { LongText } from './long-text.tsx'
import { toShownText } from '../components/text/to-shown-text.ts'
import type { ApprovalPart } from '@homeward/contract/runs'

/** A tool call that waits for a yes: what it would do, and the two answers. Once it is decided it says how. */
export function ApprovalView({ part }: { readonly part: Omit<ApprovalPart, 'isOpen'> }) {
  const run = usePlatformQuery('getRun', { params: { id: part.runId } })
  const focusComposer = use(ComposerFocus)
  const decide = usePlatformMutation('decideApproval', {
    invalidates: ['getRun', 'listRuns'],
    onSuccess: focusComposer,
  })
  const known = run.data?.run.approvals.find(({ id }) => id === part.id)
  const decided = decide.data?.approval ?? (known?.status === 'pending' ? undefined : known)
  if (decided !== undefined) return <Decided {...decided} />

  const answer = (body: ApprovalDecision) =>
    decide.mutate({ params: { id: part.runId, approval_id: part.id }, body })
  return (
    // No landmark: several may wait for the same tool.
    <div role="group" className="chat-approval" aria-label={`Approval of ${part.tool}`}>
      <h3>
        <ShieldAlert aria-hidden />
        <span className="foreign">
          May it run <code>{part.tool}</code>?
        </span>
      </h3>
      <LongText text={toShownText(part.args)} label={`Arguments of ${part.tool}`} />
      <ApprovalAnswer args={part.args} onAnswer={answer} isDisabled={decide.isPending} />
      {decide.error && <ErrorState error={decide.error} isInline />}
    </div>
  )
}

type DecidedProps = Pick<Approval, 'tool' | 'status' | 'reason' | 'edited_args' | 'response' | 'decided_by'>

function Decided({ tool, status, reason, edited_args, response, decided_by }: DecidedProps) {
  const Icon = status === 'denied' ? ShieldX : ShieldCheck
  const details = reason ?? response
  return (
    <p className="chat-decided muted small">
      <Icon aria-hidden />
      <span className="foreign">
        <code>{tool}</code> {status === 'responded' ? 'was answered by a person' : `was ${status}`}
        {edited_args && ' with changed arguments'}
        {decided_by && decided_by !== 'timeout' && ` by ${decided_by}`}
        {details ? `: ${details}` : ''}
      </span>
    </p>
  )
}
