import type { StopReason } from '@homeward/contract/agent-platform'
import { CircleAlert, TriangleAlert } from 'lucide-react'
import { Link } from 'react-aria-components'
import { adviseOn } from './failure-advice.ts'
import { formatCount } from '../components/text/to-shown-text.ts'
import type { Turn } from '@homeward/contract/runs'

/** What an end that is no answer means. */
const endings: Partial<Record<StopReason, string>> = {
  max_turns: 'Stopped: the run has used all its turns.',
  max_tokens: 'Stopped: the run has reached its limit of output tokens.',
  max_runtime: 'Stopped: the run has reached its time limit.',
}

/** What stands below a turn: how it ended, what it used, and where to see all of it. */
export function TurnEnd({ turn, agentId }: { readonly turn: Turn; readonly agentId: string }) {
  const { status, failure, stopReason, usage, runId, warnings } = turn
  const ending = stopReason === undefined ? undefined : endings[stopReason]
  return (
    <>
      {status === 'cancelled' && (
        <p className="chat-note">You stopped the run. Its results so far are kept.</p>
      )}
      {status === 'failed' && failure && <FailureView failure={failure} agentId={agentId} />}
      {ending !== undefined && failure === undefined && <p className="chat-note">{ending}</p>}
      {warnings.map((warning) => (
        <p key={warning} className="chat-note foreign">
          <TriangleAlert aria-hidden /> {warning}
        </p>
      ))}
      {(usage !== undefined || runId !== undefined) && (
        <p className="chat-turn-foot muted small numeric">
          {usage && (
            <span>
              {formatCount(usage.input_tokens)} tokens in, {formatCount(usage.output_tokens)} out
            </span>
          )}
          {turn.model !== undefined && <span className="mono foreign">{turn.model}</span>}
          {runId !== undefined && <Link href={`/runs/${encodeURIComponent(runId)}`}>Timeline</Link>}
        </p>
      )}
    </>
  )
}

function FailureView({
  failure,
  agentId,
}: {
  readonly failure: NonNullable<Turn['failure']>
  readonly agentId: string
}) {
  const { title, advice, link } = adviseOn(failure.code, agentId)
  return (
    <div className="chat-failure" role="group" aria-label={title}>
      <CircleAlert aria-hidden />
      <div className="stack" data-gap="small">
        <strong>{title}</strong>
        <p>
          {advice} {link && <Link href={link.href}>{link.label}</Link>}
        </p>
        <p className="small foreign">
          {failure.message} <code>{failure.code}</code>
        </p>
      </div>
    </div>
  )
}
