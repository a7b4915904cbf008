import { describe, expect, it } from 'vitest'
import type { Attempt } from './attempt.ts'
import { toOutcome } from './create-attempts.ts'

const nowMs = Date.parse('2026-06-01T09:00:00.000Z')
const failed = (retryable: boolean): Attempt & { kind: 'failed' } => ({
  kind: 'failed',
  failure: { code: 'run_error', message: 'The model is down.', retryable },
})

/** Milliseconds until the next attempt. */
function pauseMs(attempt: number, random: number, maxAttempts = 100): number {
  const outcome = toOutcome({ attempt, maxAttempts }, failed(true), nowMs, () => random)
  if (outcome.kind !== 'retry') return expect.unreachable(`it is not tried again: ${outcome.kind}`)
  return Date.parse(outcome.runAt) - nowMs
}

describe('Back-off: a task that failed', () => {
  it('waits from 1 s on, doubled with each attempt up to five minutes', () => {
    expect([1, 2, 3, 9, 10, 99].map((attempt) => pauseMs(attempt, 0))).toEqual([
      1000, 2000, 4000, 256_000, 300_000, 300_000,
    ])
  })

  it('waits up to half as long again, also at the limit, so that tasks do not come back together', () => {
    expect([pauseMs(1, 1), pauseMs(1, 0.3), pauseMs(50, 1)]).toEqual([1500, 1150, 450_000])
  })

  it('has failed with its last attempt, and says what that one failed with', () => {
    expect(pauseMs(2, 0, 3)).toBe(2000)
    const { kind, ...last } = toOutcome({ attempt: 3, maxAttempts: 3 }, failed(true), nowMs, () => 0)
    expect([kind, last]).toEqual([
      'failed',
      {
        failure: {
          code: 'max_attempts',
          message: 'All 3 attempts failed. The last error: The model is down.',
          retryable: true,
        },
      },
    ])
  })

  it('A7: asks a run to stop that may go on, when no attempt is left to go on with it', () => {
    const left = { ...failed(true), keepsRun: true } as const
    const outcomeOf = (attempt: number, maxAttempts: number) =>
      toOutcome({ attempt, maxAttempts }, left, nowMs, () => 0)
    expect(outcomeOf(1, 2)).toMatchObject({ kind: 'retry', keepsRun: true })
    expect(outcomeOf(2, 2)).toMatchObject({ kind: 'failed', stopsRun: true })
    expect(outcomeOf(1, 1)).toEqual({ ...failed(true), stopsRun: true })
  })

  it('keeps its own failure where there is only one attempt, or another one would not help', () => {
    expect(toOutcome({ attempt: 1, maxAttempts: 1 }, failed(true), nowMs, () => 0)).toEqual(failed(true))
    expect(toOutcome({ attempt: 1, maxAttempts: 3 }, failed(false), nowMs, () => 0)).toEqual(failed(false))
  })
})

it('A7: goes on with the run that was begun where that may not have ended, until the attempts are used up', () => {
  const inDoubt = { ...failed(true), keepsRun: true } as const
  const retry = toOutcome({ attempt: 1, maxAttempts: 2 }, inDoubt, nowMs, () => 0)
  expect(retry).toEqual({ kind: 'retry', runAt: '2026-06-01T09:00:01.000Z', keepsRun: true })
  expect(toOutcome({ attempt: 1, maxAttempts: 2 }, failed(true), nowMs, () => 0)).toEqual({
    kind: 'retry',
    runAt: '2026-06-01T09:00:01.000Z',
  })
  for (const maxAttempts of [1, 2])
    expect(toOutcome({ attempt: 2, maxAttempts }, inDoubt, nowMs, () => 0)).not.toHaveProperty('keepsRun')
})

it.each([{ kind: 'parked' }, { kind: 'released' }] as const)(
  'leaves an attempt alone that is %j',
  (attempt) => {
    expect(toOutcome({ attempt: 1, maxAttempts: 3 }, attempt, nowMs, () => 0)).toBe(attempt)
  },
)
