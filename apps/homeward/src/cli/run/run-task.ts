import { sleep } from '@homeward/kit'
import type { Run } from '@homeward/contract/agent-platform'
import {
  foldRun,
  type FollowedRunEvent,
  followRun,
  newTurn,
  waitingApprovals,
  type Turn,
} from '@homeward/contract/runs'
import type { AgentsClient, RunInput } from '../agents-client.ts'

/** How a run is followed. */
interface RunTaskOptions {
  readonly client: AgentsClient
  readonly request: RunInput
  /** Aborting it cancels the run on the server. */
  readonly interrupt: AbortSignal
  /** Cancels the run after so many milliseconds. @default never */
  readonly timeoutMs?: number | undefined
  /** Called with each event, and the turn with it. */
  readonly onEvent: (item: FollowedRunEvent, turn: Turn) => void
}

/** How following a run ended. */
export interface RunEnd {
  readonly reason: 'ended' | 'waiting' | 'interrupted' | 'timeout'
  readonly turn: Turn
  /** As the server has it. Absent if no run began. */
  readonly run: Run | undefined
}

/** How long a cancelled run may take to end. */
const cancelWithinMs = 10_000
/** How often a run with a call that asks for approval is asked whether it waits. */
const pollMs = 250

/**
 * Starts a run and follows it until it has ended, waits for a person, is interrupted, or takes too long. In the last two
 * cases it is cancelled on the server.
 *
 * @throws {ClientError} if the run cannot be started or read.
 */
export async function runTask(options: RunTaskOptions): Promise<RunEnd> {
  const { client, request, interrupt, timeoutMs, onEvent } = options
  const reading = new AbortController()
  let reason: RunEnd['reason'] = 'ended'
  let turn: Turn = newTurn()
  let isWatching = false

  async function cancel(): Promise<void> {
    if (turn.runId !== undefined)
      await client.cancelRun({ params: { id: turn.runId } }).catch(() => undefined)
  }
  function stop(because: RunEnd['reason']): void {
    if (reason !== 'ended') return
    reason = because
    void cancel()
    void sleep(cancelWithinMs, reading.signal).then(() => reading.abort())
  }
  async function watch(): Promise<void> {
    while (!reading.signal.aborted) {
      const call = waitingApprovals(turn)[0]
      if (call === undefined) break
      if (await isWaiting(client, call.runId)) {
        reason = 'waiting'
        reading.abort()
      }
      await sleep(pollMs, reading.signal)
    }
    isWatching = false
  }
  const interrupted = () => stop('interrupted')
  interrupt.addEventListener('abort', interrupted)
  if (timeoutMs !== undefined) void sleep(timeoutMs, reading.signal).then(() => stopInTime())
  function stopInTime(): void {
    if (!reading.signal.aborted) stop('timeout')
  }
  try {
    for await (const item of followRun(client, request, { signal: reading.signal })) {
      turn = foldRun(turn, item)
      onEvent(item, turn)
      if (item.event === 'start' && reason !== 'ended') void cancel()
      if (item.event === 'approval' && !isWatching) {
        isWatching = true
        void watch()
      }
    }
  } finally {
    reading.abort()
    interrupt.removeEventListener('abort', interrupted)
  }
  return { reason, turn, run: await findRun(client, turn.runId) }
}

async function isWaiting(client: AgentsClient, id: string): Promise<boolean> {
  return (await findRun(client, id).catch(() => undefined))?.status === 'waiting'
}

async function findRun(client: AgentsClient, id: string | undefined): Promise<Run | undefined> {
  return id === undefined ? undefined : (await client.getRun({ params: { id } })).run
}
