import type { Run } from '@homeward/contract/agent-platform'
import { RotateCcw, Search } from 'lucide-react'
import { Link } from 'react-aria-components'
import { Button } from '../../components/buttons/button.tsx'
import { LinkButton } from '../../components/buttons/link-button.tsx'
import { Facts } from '../../components/layout/facts.tsx'
import { ErrorState } from '../../components/states/error-state.tsx'
import { StatusBadge } from '../../components/states/status-badge.tsx'
import { formatTime } from '../../components/text/relative-time.tsx'
import { canRerun, canRerunFailed, costText } from '../run-texts.ts'
import { toPriceForm } from '../../usage/format-usage.ts'
import { decisionText } from '../../chat/approval-view.tsx'
import { formatCount, formatDuration } from '../../components/text/to-shown-text.ts'
import { hrefOfSearch, searchOf } from '../../chat/tool-call-view.tsx'
import { spanKindNames, type TraceSpan } from './trace-span.ts'
import { useRunAgain } from '../run-again.tsx'
import { StepPrompt } from './step-prompt.tsx'
import { StepValue } from './step-value.tsx'

/** What a {@link TracePanel} takes. */
interface TracePanelProps {
  readonly run: Run
  readonly span: TraceSpan
  readonly nowMs: number
}

/** What is known of a chosen span: what went in, what came out, and what it took. */
export function TracePanel({ run, span, nowMs }: TracePanelProps) {
  const { kind, name, state, step, attempt, approval } = span
  const search = step && searchOf(step)
  const error = step?.error ?? attempt?.error
  return (
    <section className="trace-panel" aria-label="Chosen step">
      <header className="row" data-justify="between">
        <h3 className="foreign">
          {kind === 'turn' || kind === 'attempt' ? name : `${spanKindNames[kind]} ${name}`}
          {step?.reused && <span className="muted small"> taken over</span>}
        </h3>
        <StatusBadge status={state} />
      </header>
      <SpanFacts span={span} nowMs={nowMs} />
      {error !== undefined && <p className="chat-call-error foreign">{error}</p>}
      {approval && approval.status !== 'pending' && <p className="small foreign">{decisionText(approval)}</p>}
      {approval?.status === 'pending' && <p className="small">The call is waiting for a decision above.</p>}
      <div className="row">
        {search !== undefined && (
          <LinkButton href={hrefOfSearch(search)} icon={<Search aria-hidden />}>
            Search and its files
          </LinkButton>
        )}
        {step && isOwn(span) && canRerun(run) && (
          <RunAgain run={run} body={{ from_step: step.id }} label="Run again from here" />
        )}
        {step?.status === 'failed' && isOwn(span) && canRerunFailed(run) && (
          <RunAgain run={run} body={{ from: 'failed' }} label="Run again from the failed node" />
        )}
      </div>
      {step?.type === 'model' && <StepPrompt runId={span.runId ?? run.id} stepId={step.id} />}
      {step && (
        <>
          <StepValue
            title={kind === 'tool' ? 'Arguments' : kind === 'model' ? 'New messages' : 'Input'}
            value={step.input}
            isCut={step.cut?.includes('input')}
          />
          <StepValue
            title={kind === 'tool' ? 'Result' : kind === 'model' ? 'Answer' : 'Output'}
            value={step.output}
            isCut={step.cut?.includes('output')}
          />
        </>
      )}
      {approval && <StepValue title="Arguments" value={approval.edited_args ?? approval.args} />}
    </section>
  )
}

/** Whether the step is one of this run: not of a run that it asked for. */
const isOwn = ({ id, step }: TraceSpan) => id === step?.id

function SpanFacts({ span, nowMs }: { readonly span: TraceSpan; readonly nowMs: number }) {
  const { kind, startMs, endMs, tokens, step, run, state } = span
  const cost = costText(span)
  const isUnpriced =
    kind === 'model' && state === 'completed' && cost === undefined && !span.name.startsWith('test/')
  const isOver = state !== 'running' && state !== 'waiting'
  return (
    <Facts
      facts={[
        ['Started', startMs === undefined ? undefined : formatTime(new Date(startMs).toISOString())],
        [
          'Duration',
          startMs === undefined || (isOver && endMs === undefined)
            ? undefined
            : formatDuration((endMs ?? Math.max(nowMs, startMs)) - startMs),
        ],
        ['Tokens in', tokens && formatCount(tokens.input_tokens)],
        ['From the cache', tokens?.cached_input_tokens ? formatCount(tokens.cached_input_tokens) : undefined],
        ['Tokens out', tokens && formatCount(tokens.output_tokens)],
        ['Reasoning', tokens?.reasoning_tokens ? formatCount(tokens.reasoning_tokens) : undefined],
        ['Cost', cost ?? (isUnpriced ? <Link href={toPriceForm(span.name)}>No price</Link> : undefined)],
        ['Attempts', step && step.attempts.length > 1 ? formatCount(step.attempts.length) : undefined],
        ['Run', run && <Link href={`/runs/${encodeURIComponent(run.id)}`}>Open the run</Link>],
      ]}
    />
  )
}

interface RunAgainProps {
  readonly run: Run
  readonly body: Parameters<ReturnType<typeof useRunAgain>['start']>[0]
  readonly label: string
}

function RunAgain({ run, body, label }: RunAgainProps) {
  const again = useRunAgain(run.id)
  return (
    <>
      <Button icon={<RotateCcw aria-hidden />} isPending={again.isPending} onPress={() => again.start(body)}>
        {label}
      </Button>
      {again.error && <ErrorState error={again.error} isInline />}
    </>
  )
}
