import { cleanLine } from '../../terminal/clean-text.ts'
import type { ChatStatus } from './chat-screen.ts'
import { toDetails, toQuestion } from './part-lines.ts'

/** What the lines above the input tell. */
interface StatusLines {
  /** A call that waits, and the keys that decide about it. */
  readonly question: string | undefined
  readonly status: string
}

/** The status in words. */
export function toStatusLines({
  agentId,
  waiting,
  isDetailed,
  files,
  queued,
  ...status
}: ChatStatus): StatusLines {
  const attached = files.length === 0 ? [] : [`attached: ${files.map(cleanLine).join(', ')}`]
  const later = queued === 0 ? [] : [`${queued} queued`]
  return {
    question:
      waiting && `${isDetailed ? toDetails(waiting) : toQuestion(waiting)}\ny approve · n deny · d details`,
    status: [agentId, toActivity(status, waiting !== undefined), ...later, ...attached].join(' · '),
  }
}

/** What the status tells if the server does not respond to a message. */
export const notReached = 'the server does not respond; trying again…'
/** What the status tells if the connection broke after a run has begun. */
export const connectionLost = 'connection lost, the answer continues on the server; reconnecting…'

function toActivity(
  {
    isBusy,
    isStopping,
    isConnected,
    hasBegun,
  }: Omit<ChatStatus, 'agentId' | 'waiting' | 'isDetailed' | 'files' | 'queued'>,
  isWaiting: boolean,
): string {
  if (!isConnected) return hasBegun ? connectionLost : notReached
  if (isStopping && isBusy) return 'stopping…'
  if (isWaiting) return 'waiting for you'
  return isBusy ? 'working… Ctrl+C stops' : '/help'
}
