import { backoffMs } from '@homeward/kit'
import type { StoredTask, TaskOutcome } from '../store/ports/task-store.ts'
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
  if (attempt.kind !== 'failed') return attempt
  const { keepsRun, ...failed } = attempt
  if (!failed.failure.retryable) return failed
  const { attempt: begun, maxAttempts } = task
  if (begun < maxAttempts) {
    const pauseMs = backoffMs({
      failures: begun,
      baseMs: basePauseMs,
      capMs: maxPauseMs,
      spread: [1, 1.5],
      random,
    })
    const runAt = new Date(nowMs + Math.round(pauseMs)).toISOString()
    return { kind: 'retry', runAt, ...(keepsRun && { keepsRun }) }
  }
  const stops = keepsRun && { stopsRun: true as const }
  if (maxAttempts === 1) return { ...failed, ...stops }
  const message = `All ${maxAttempts} attempts failed. The last error: ${failed.failure.message}`
  return { ...failed, ...stops, failure: { code: 'max_attempts', message, retryable: true } }
}
