// Named import, so that tests that fake the global timers do not hold up writes.
import { setTimeout } from 'node:timers'
import { backoffMs } from '../backoff.ts'
import { classify, isInDoubt } from './to-postgres-failure.ts'

/** How often a transaction is made again that got into the way of another one, and one whose connection broke. */
const mostTimes = { again: 8, connection: 2 }

/** Whether a transaction that failed for the `tries`th time is to be made again. */
export function mayTryAgain(error: unknown, tries: number): boolean {
  if (isInDoubt(error)) return false
  const failure = classify(error)
  return (failure === 'again' || failure === 'connection') && tries <= mostTimes[failure]
}

/** Waits before a transaction is made again that failed so often. */
export function pauseAfter(tries: number, random: () => number): Promise<void> {
  return new Promise((resolve) =>
    setTimeout(resolve, backoffMs({ failures: tries, baseMs: 8, capMs: 5000, random })),
  )
}
