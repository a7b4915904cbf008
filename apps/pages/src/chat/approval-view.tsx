import type { Approval, ApprovalDecision, Json, JsonObject } from '@homeward/contract/agent-platform'
import { ShieldAlert, ShieldCheck, ShieldX } from 'lucide-react'
import { createContext, use, useState } from 'react'
import { usePlatformMutation, usePlatformQuery } from '../api/platform.ts'
import { ErrorState } from '../components/states/error-state.tsx'
import { Disclosure } from '../components/layout/disclosure.tsx'
import { LongText } from './answer-text.tsx'
import { Facts } from '../components/layout/facts.tsx'
import { CallQuestion, isToldByQuestion, longArgumentOf, toShortArguments } from './call-question.tsx'
import { toShownText } from '../components/text/to-shown-text.ts'
import type { ApprovalPart } from '@homeward/contract/runs'
import { Button } from '../components/buttons/button.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import { TextField } from '../components/fields/text-field.tsx'

/**
 * Puts the focus where the next message is written: what had it may be gone once it has done its work. Pages where nothing
 * is written take it as a whole.
 */
export const ComposerFocus = createContext<() => void>(() => document.getElementById('content')?.focus())

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
  const text = longArgumentOf(part)
  return (
    // No landmark: several may wait for the same tool.
    <div role="group" className="chat-approval" aria-label={`Approval of ${part.tool}`}>
      <h3>
        <ShieldAlert aria-hidden />
        <span className="foreign">
          <CallQuestion tool={part.tool} args={part.args} />
        </span>
      </h3>
      {text !== undefined && <LongText text={text} label={`Text for ${part.tool}`} />}
      <CallArguments {...part} />
      <ApprovalAnswer args={part.args} onAnswer={answer} isDisabled={decide.isPending} />
      {decide.error && <ErrorState error={decide.error} isInline />}
    </div>
  )
}

/** The arguments of a call: as a list if they are short, and as JSON, folded if question or list say all of them. */
function CallArguments({ tool, args }: Pick<ApprovalPart, 'tool' | 'args'>) {
  const [isOpen, setIsOpen] = useState(false)
  const json = <LongText text={toShownText(args)} label={`Arguments of ${tool}`} />
  const listed = toShortArguments(args)
  const isTold = isToldByQuestion({ tool, args })
  if (!isTold && listed === undefined) return json
  return (
    <>
      {!isTold && listed !== undefined && listed.length > 0 && <Facts facts={listed} />}
      <Disclosure title="Arguments" isExpanded={isOpen} onExpandedChange={setIsOpen}>
        {isOpen && json}
      </Disclosure>
    </>
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

const scopes = [
  { value: 'once', label: 'This call only' },
  { value: 'conversation', label: 'The same call in this conversation' },
  { value: 'agent', label: 'The same call of this agent' },
] as const

type Scope = (typeof scopes)[number]['value']

interface ApprovalAnswerProps {
  readonly args: Json
  readonly onAnswer: (decision: ApprovalDecision) => void
  /** While an answer is on its way. */
  readonly isDisabled: boolean
}

/** The ways to decide about a call: as it is, with other arguments, or by a response in place of the tool. */
function ApprovalAnswer({ args, onAnswer, isDisabled }: ApprovalAnswerProps) {
  const [mode, setMode] = useState<'decide' | 'change' | 'respond'>('decide')
  const [scope, setScope] = useState<Scope>('once')
  const [isOpen, setIsOpen] = useState(false)
  const cancel = () => setMode('decide')
  const send = (decision: ApprovalDecision) =>
    onAnswer(scope === 'once' ? decision : { ...decision, remember: scope })
  const shared = { onAnswer: send, onCancel: cancel, isDisabled }
  return (
    <div className="stack" data-gap="small">
      {mode === 'change' && <ChangedArguments {...shared} args={args} />}
      {mode === 'respond' && <Response {...shared} />}
      {mode === 'decide' && (
        <Decision
          {...shared}
          isOpen={isOpen}
          onOpenChange={setIsOpen}
          onChange={() => setMode('change')}
          onRespond={() => setMode('respond')}
        />
      )}
      {isOpen && (
        <SelectField
          label="Applies to"
          options={scopes}
          value={scope}
          onChange={setScope}
          isDisabled={isDisabled}
        />
      )}
    </div>
  )
}

interface FormProps {
  readonly onAnswer: (decision: ApprovalDecision) => void
  readonly onCancel: () => void
  readonly isDisabled: boolean
}

interface DecisionProps extends Pick<FormProps, 'onAnswer' | 'isDisabled'> {
  /** Whether a reason, and other ways to decide, show. */
  readonly isOpen: boolean
  readonly onOpenChange: (isOpen: boolean) => void
  readonly onChange: () => void
  readonly onRespond: () => void
}

function Decision({ onAnswer, isDisabled, isOpen, onOpenChange, onChange, onRespond }: DecisionProps) {
  const [reason, setReason] = useState('')
  const given = reason.trim() === '' ? {} : { reason: reason.trim() }
  return (
    <>
      <div className="row">
        {/* Not pending ones: React Aria would go on naming buttons that are gone by then. */}
        <Button
          variant="primary"
          isDisabled={isDisabled}
          onPress={() => onAnswer({ decision: 'approve', ...given })}
        >
          Approve
        </Button>
        <Button isDisabled={isDisabled} onPress={() => onAnswer({ decision: 'deny', ...given })}>
          Deny
        </Button>
        <Button variant="quiet" aria-expanded={isOpen} onPress={() => onOpenChange(!isOpen)}>
          {isOpen ? 'Less' : 'More'}
        </Button>
      </div>
      {isOpen && (
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
          <Button isDisabled={isDisabled} onPress={onChange}>
            Change arguments
          </Button>
          <Button isDisabled={isDisabled} onPress={onRespond}>
            Respond
          </Button>
        </div>
      )}
    </>
  )
}

function ChangedArguments({ args, onAnswer, onCancel, isDisabled }: FormProps & { readonly args: Json }) {
  const [text, setText] = useState(() => JSON.stringify(args, undefined, 2))
  const [problem, setProblem] = useState<string>()
  const approve = () => {
    const parsed = parseArguments(text)
    if ('problem' in parsed) setProblem(parsed.problem)
    else onAnswer({ decision: 'approve', args: parsed.args })
  }
  return (
    <>
      <TextArea
        label="Arguments (JSON)"
        value={text}
        onChange={setText}
        errorMessage={problem}
        isDisabled={isDisabled}
        isCode
        rows={6}
      />
      <div className="row">
        <Button variant="primary" isDisabled={isDisabled} onPress={approve}>
          Approve changed arguments
        </Button>
        <Button isDisabled={isDisabled} onPress={onCancel}>
          Cancel
        </Button>
      </div>
    </>
  )
}

function Response({ onAnswer, onCancel, isDisabled }: FormProps) {
  const [text, setText] = useState('')
  return (
    <>
      <TextArea
        label="Response"
        description="The agent reads it as the result of the tool, which is not called."
        value={text}
        onChange={setText}
        maxLength={100_000}
        isDisabled={isDisabled}
      />
      <div className="row">
        <Button
          variant="primary"
          isDisabled={isDisabled || text.trim() === ''}
          onPress={() => onAnswer({ decision: 'respond', text })}
        >
          Send response
        </Button>
        <Button isDisabled={isDisabled} onPress={onCancel}>
          Cancel
        </Button>
      </div>
    </>
  )
}

/** Reads the arguments that a person typed. `problem` says what is wrong with them. */
export function parseArguments(text: string): { readonly args: JsonObject } | { readonly problem: string } {
  try {
    const given: unknown = JSON.parse(text)
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      return { problem: 'The arguments must be one JSON object.' }
    }
    return { args: given as JsonObject } // what JSON.parse gives is JSON
  } catch {
    return { problem: 'The arguments are not valid JSON. Check commas, quotes and brackets.' }
  }
}

/** What was decided about a call, as a sentence. */
export function decisionText({
  status,
  reason,
  edited_args,
  decided_by,
}: Pick<Approval, 'status' | 'reason' | 'edited_args' | 'decided_by'>): string {
  if (decided_by === 'timeout') return 'Nobody decided in time, so it was denied.'
  if (status === 'responded') return 'A person answered in place of the tool.'
  const changed = edited_args ? ' with changed arguments' : ''
  return `A person ${status} it${changed}${reason ? `: ${reason}` : '.'}`
}
