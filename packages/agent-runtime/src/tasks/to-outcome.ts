import type { StoredTask, TaskOutcome } from '../ports/task-store.ts'
import type { Attempt } from './attempt.ts'

/** Pause before the second attempt, in milliseconds. It doubles with each further one. */
const basePauseMs = 1000
/** Longest pause, in milliseconds, without its spread. */
const maxPauseMs = 300_000

/** What becomes of a task after an attempt. `random` gives a number from 0 to 1. */
export function toOutcome(
  task: Pick<StoredTask, 'attempt' | 'maxAttempts'>,
  attempt: Attempt,
  nowMs: number,
  random: () => number,
): TaskOutcome {
  if (attempt.kind !== 'failed' || !attempt.failure.retryable) return attempt
  const { attempt: begun, maxAttempts } = task
  if (begun < maxAttempts) {
    return { kind: 'retry', runAt: new Date(nowMs + pauseMs(begun, random)).toISOString() }
  }
  if (maxAttempts === 1) return attempt
  const message = `All ${maxAttempts} attempts were made. The last one: ${attempt.failure.message}`
  return { ...attempt, failure: { code: 'max_attempts', message, retryable: true } }
}

/** The spread comes behind the limit: otherwise whatever has reached the limit would come back at once. */
function pauseMs(begun: number, random: () => number): number {
  const pause = Math.min(maxPauseMs, basePauseMs * 2 ** Math.min(begun - 1, 30))
  return Math.round(pause * (1 + random() / 2))
}
