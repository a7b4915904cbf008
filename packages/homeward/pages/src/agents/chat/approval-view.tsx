import type { ApprovalDecision } from '@homeward/contract/agent-platform'
import { ShieldAlert, ShieldCheck, ShieldX } from 'lucide-react'
import { use, useState } from 'react'
import { usePlatformMutation, usePlatformQuery } from '../../api/platform.ts'
import { Button } from '../../components/buttons/button.tsx'
import { ErrorState } from '../../components/states/error-state.tsx'
import { TextField } from '../../components/fields/text-field.tsx'
import { ComposerFocus } from './composer-focus.ts'
import { LongText } from './long-text.tsx'
import { toShownText } from './to-shown-text.ts'
import type { ApprovalPart } from './turn.ts'

/** A tool call that waits for a yes: what it would do, and the two answers. Once it is decided it says how. */
export function ApprovalView({ part }: { readonly part: ApprovalPart }) {
  const run = usePlatformQuery('getRun', { params: { id: part.runId } })
  const focusComposer = use(ComposerFocus)
  const decide = usePlatformMutation('decideApproval', {
    invalidates: ['getRun', 'listRuns'],
    onSuccess: focusComposer,
  })
  const known = run.data?.run.approvals.find(({ id }) => id === part.id)
  const decided = decide.data?.approval ?? (known?.status === 'pending' ? undefined : known)
  if (decided !== undefined) return <Decided {...decided} />

  const answer = (decision: ApprovalDecision['decision'], reason: string) => {
    const body = reason.trim() === '' ? { decision } : { decision, reason: reason.trim() }
    decide.mutate({ params: { id: part.runId, approval_id: part.id }, body })
  }
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
      <Answer onAnswer={answer} isDisabled={decide.isPending} />
      {decide.error && <ErrorState error={decide.error} isInline />}
    </div>
  )
}

interface AnswerProps {
  readonly onAnswer: (decision: ApprovalDecision['decision'], reason: string) => void
  /** While an answer is on its way. */
  readonly isDisabled: boolean
}

function Answer({ onAnswer, isDisabled }: AnswerProps) {
  const [reason, setReason] = useState('')
  return (
    <div className="row" data-align="end">
      <div className="grow chat-approval-reason">
        <TextField
          label="Reason (the agent reads it)"
          value={reason}
          onChange={setReason}
          maxLength={2000}
          isDisabled={isDisabled}
        />
      </div>
      {/* Not pending ones: React Aria would go on naming buttons that are gone by then. */}
      <Button variant="primary" isDisabled={isDisabled} onPress={() => onAnswer('approve', reason)}>
        Approve
      </Button>
      <Button isDisabled={isDisabled} onPress={() => onAnswer('deny', reason)}>
        Deny
      </Button>
    </div>
  )
}

interface DecidedProps {
  readonly tool: string
  readonly status: string
  readonly reason?: string | undefined
}

function Decided({ tool, status, reason }: DecidedProps) {
  const Icon = status === 'approved' ? ShieldCheck : ShieldX
  return (
    <p className="chat-decided muted small">
      <Icon aria-hidden />
      <span className="foreign">
        <code>{tool}</code> was {status}
        {reason ? `: ${reason}` : ''}
      </span>
    </p>
  )
}
