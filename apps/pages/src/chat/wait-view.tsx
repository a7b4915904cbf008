import type { Json, Wait, WaitAnswer } from '@homeward/contract/agent-platform'
import { CircleHelp, Hourglass, LogIn, type LucideIcon, Plug, Wallet } from 'lucide-react'
import { type ReactNode, use, useId, useState } from 'react'
import { usePlatformMutation, usePlatformQuery } from '../api/platform.ts'
import { Button } from '../components/buttons/button.tsx'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import { Disclosure } from '../components/layout/disclosure.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { lazyPart } from '../components/states/lazy-part.ts'
import { formatTime, RelativeTime } from '../components/text/relative-time.tsx'
import { toShownText } from '../components/text/to-shown-text.ts'
import { LongText } from './answer-text.tsx'
import { ApprovalView, ComposerFocus } from './approval-view.tsx'
import './chat.css'

const SchemaAnswer = lazyPart(async () => (await import('./schema-answer.tsx')).SchemaAnswer)

/** The waits of a run that are open, beside approvals: those stand where their calls are. */
export function OpenWaits({ runId }: { readonly runId: string }) {
  const { data } = usePlatformQuery('getRun', { params: { id: runId } })
  return data?.run.waits
    ?.filter(({ kind, status }) => kind !== 'approval' && status === 'open')
    .map((wait) => <WaitView key={wait.id} wait={wait} />)
}

/** Something that a run waits for, answered in place. */
export function WaitView({ wait }: { readonly wait: Wait }) {
  const { id, run_id: runId, kind, tool = '', args = {} } = wait
  if (kind === 'approval') return <ApprovalView part={{ kind, id, runId, tool, args }} />
  return <OtherWait wait={wait} />
}

const icons: Readonly<Record<Exclude<Wait['kind'], 'approval'>, LucideIcon>> = {
  question: CircleHelp,
  client_tool: Plug,
  event: Hourglass,
  login: LogIn,
  budget: Wallet,
}

function OtherWait({ wait }: { readonly wait: Wait }) {
  const { id, run_id: runId, kind } = wait
  const titleId = useId()
  const focusComposer = use(ComposerFocus)
  const answer = usePlatformMutation('answerWait', {
    invalidates: ['getRun', 'listRuns', 'listWaits'],
    onSuccess: focusComposer,
  })
  const settled = answer.data?.wait ?? (wait.status === 'open' ? undefined : wait)
  const Icon = icons[kind as keyof typeof icons] // approvals have a view of their own
  if (settled !== undefined) {
    return (
      <p className="chat-decided muted small">
        <Icon aria-hidden />
        <span className="foreign">{settledText(settled)}</span>
      </p>
    )
  }
  const send = (body: WaitAnswer) => answer.mutate({ params: { id: runId, wait_id: id }, body })
  return (
    <div role="group" className="chat-approval" aria-labelledby={titleId}>
      <h3 id={titleId}>
        <Icon aria-hidden />
        <span className="foreign">{titleOf(wait)}</span>
      </h3>
      <AnswerOf wait={wait} onAnswer={send} isDisabled={answer.isPending} />
      {wait.expires_at !== undefined && kind !== 'event' && (
        <p className="muted small">
          Open until <RelativeTime value={wait.expires_at} />.
        </p>
      )}
      {answer.error && <ErrorState error={answer.error} isInline />}
    </div>
  )
}

/** The title of a wait. */
function titleOf({ kind, message, tool = 'a tool', event, expires_at: until }: Wait): string {
  if (kind === 'approval') return `May it run ${tool}?`
  if (message !== undefined && message !== '') return message
  if (kind === 'question') return 'The agent asks a question'
  if (kind === 'client_tool') return `Waits for the result of ${tool} from the program that started the run`
  if (kind === 'login') return `Sign in so that ${tool} can be used`
  if (kind === 'budget') return 'The budget is nearly used. Continue?'
  return event === undefined ? `Waits until ${formatTime(until ?? '')}` : `Waits for the event ${event}`
}

const settledTexts: Readonly<Record<Exclude<Wait['status'], 'open'>, string>> = {
  answered: 'answered',
  declined: 'declined',
  expired: 'not answered in time',
  cancelled: 'cancelled with the run',
}

/** How a wait ended, as a line. */
function settledText(wait: Wait): string {
  const { status, answered_by: by, data } = wait
  const how = status === 'open' ? 'open' : settledTexts[status]
  const answer = status === 'answered' && data !== undefined && data !== null ? `: ${toShownText(data)}` : ''
  return `${titleOf(wait)} – ${how}${by === undefined ? '' : ` by ${by}`}${answer}`
}

interface AnswerProps {
  readonly wait: Wait
  readonly onAnswer: (answer: WaitAnswer) => void
  readonly isDisabled: boolean
}

function AnswerOf(props: AnswerProps) {
  const { wait, onAnswer, isDisabled } = props
  const decline = (
    <Button isDisabled={isDisabled} onPress={() => onAnswer({ decline: true })}>
      Decline
    </Button>
  )
  if (wait.kind === 'question') {
    if (wait.schema === undefined) return <TextAnswer {...props}>{decline}</TextAnswer>
    return (
      <SchemaAnswer
        schema={wait.schema}
        isDisabled={isDisabled}
        onAnswer={(data: Json) => onAnswer({ data })}
      >
        <Button variant="primary" type="submit" isDisabled={isDisabled}>
          Send answer
        </Button>
        {decline}
      </SchemaAnswer>
    )
  }
  if (wait.kind === 'budget') return <BudgetAnswer {...props} />
  if (wait.kind === 'login') {
    return (
      <div className="row">
        {wait.url !== undefined && (
          <LinkButton variant="primary" href={wait.url}>
            Sign in
          </LinkButton>
        )}
        <Button isDisabled={isDisabled} onPress={() => onAnswer({ data: {} })}>
          Continue
        </Button>
        {decline}
      </div>
    )
  }
  return (
    <>
      {wait.args !== undefined && (
        <LongText text={toShownText(wait.args)} label={`Arguments of ${wait.tool ?? 'the call'}`} />
      )}
      {(wait.kind === 'client_tool' || wait.event !== undefined) && (
        <Disclosure title="Answer instead of the program">
          <JsonAnswer {...props}>{decline}</JsonAnswer>
        </Disclosure>
      )}
    </>
  )
}

function TextAnswer({ onAnswer, isDisabled, children }: AnswerProps & { readonly children: ReactNode }) {
  const [text, setText] = useState('')
  return (
    <>
      <TextArea
        label="Answer"
        value={text}
        onChange={setText}
        maxLength={100_000}
        isDisabled={isDisabled}
        rows={2}
      />
      <div className="row">
        <Button
          variant="primary"
          isDisabled={isDisabled || text.trim() === ''}
          onPress={() => onAnswer({ data: text })}
        >
          Send answer
        </Button>
        {children}
      </div>
    </>
  )
}

function JsonAnswer({ onAnswer, isDisabled, children }: AnswerProps & { readonly children: ReactNode }) {
  const [text, setText] = useState('{}')
  const [problem, setProblem] = useState<string>()
  const send = () => {
    try {
      onAnswer({ data: JSON.parse(text) as Json }) // what JSON.parse gives is JSON
      setProblem(undefined)
    } catch {
      setProblem('The answer is not valid JSON. Check commas, quotes and brackets.')
    }
  }
  return (
    <div className="stack" data-gap="small">
      <TextArea
        label="Answer (JSON)"
        value={text}
        onChange={setText}
        errorMessage={problem}
        isDisabled={isDisabled}
        isCode
        rows={3}
      />
      <div className="row">
        <Button variant="primary" isDisabled={isDisabled} onPress={send}>
          Send answer
        </Button>
        {children}
      </div>
    </div>
  )
}

function BudgetAnswer({ wait, onAnswer, isDisabled }: AnswerProps) {
  return (
    <>
      {wait.args !== undefined && <p className="muted small">{budgetText(wait.args)}</p>}
      <div className="row">
        <Button
          variant="primary"
          isDisabled={isDisabled}
          onPress={() => onAnswer({ data: { continue: true } })}
        >
          Continue
        </Button>
        <Button isDisabled={isDisabled} onPress={() => onAnswer({ decline: true })}>
          Stop the run
        </Button>
      </div>
    </>
  )
}

/** Describes how much of a budget is used. */
function budgetText(args: Json): string {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return toShownText(args)
  const { used, limit, unit } = args
  return unit === 'usd'
    ? `$${toShownText(used)} of $${toShownText(limit)} are used.`
    : `${toShownText(used)} of ${toShownText(limit)} tokens are used.`
}
