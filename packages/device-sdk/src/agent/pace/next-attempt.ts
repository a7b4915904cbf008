import { backoffRange, jitterMs, type BackoffInput } from '@homeward/kit'
import type { ReconnectNote } from '../../client/create-device-client.ts'
import type { AgentContext } from '../agent-context.ts'

/** What the return of a loop depends on. */
export interface NextAttemptInput extends BackoffInput {
  /** Ordinary milliseconds from one request of the loop to the next; 0 for a loop that was never answered. */
  readonly periodMs: number
  /** Milliseconds since the request was sent that failed. */
  readonly elapsedMs: number
  readonly random: () => number
}

/** When a loop comes back. */
interface NextAttempt {
  /** Milliseconds of the back-off: nothing may come earlier. */
  readonly pauseMs: number
  /** Milliseconds until the loop comes by itself. */
  readonly retryInMs: number
}

/**
 * Says when a loop comes back after a failure. It keeps its beat: failures skip requests, and move none.
 *
 * The loops of a calm fleet are spread evenly, and so are those that were left out of it. Pauses of their own would gather
 * them: all polls that an outage breaks off would come in the few seconds by which their pauses differ, and meet there
 * who came back before. A pause that chance spreads over a whole period needs no beat.
 */
export function nextAttempt(input: NextAttemptInput): NextAttempt {
  const { periodMs, random } = input
  const { fromMs, toMs } = backoffRange(input)
  const pauseMs = fromMs + random() * (toMs - fromMs)
  if (toMs - fromMs >= periodMs) return { pauseMs, retryInMs: pauseMs }
  const beatMs = jitterMs(periodMs, random)
  // a clock that was set back says nothing
  const elapsedMs = Math.max(0, input.elapsedMs)
  const beats = Math.ceil((elapsedMs + pauseMs) / beatMs)
  return { pauseMs, retryInMs: beats * beatMs - elapsedMs }
}

/** Notes what a reply says of returns. */
export function noteReconnect(
  reconnect: AgentContext['reconnect'],
  { reconnectWithinSeconds }: ReconnectNote,
): void {
  reconnect.withinMs = reconnectWithinSeconds === undefined ? undefined : reconnectWithinSeconds * 1000
}

/** The beat that a loop keeps, or the pauses of a device that the cloud allowed to return earlier. */
export function paceAfter(
  { withinMs }: AgentContext['reconnect'],
  beatMs: number,
): Pick<NextAttemptInput, 'periodMs' | 'baseMs' | 'capMs'> {
  const hasBeat = beatMs > 0
  if (withinMs === undefined || (hasBeat && withinMs >= beatMs)) return { periodMs: beatMs }
  return { periodMs: 0, baseMs: withinMs, ...(hasBeat && { capMs: beatMs }) }
}
