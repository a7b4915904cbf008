import type { Plan } from '../sql/plan.ts'
import { Undo } from '../sql/plan.ts'
import type { Connections } from './connect.ts'
import { begin } from './locks.ts'
import { mayTryAgain, pauseAfter } from './retries.ts'
import type { RunStep } from './session.ts'
import { runPlan } from './session.ts'
import { classify, isInDoubt, toInDoubtFailure, toPostgresFailure } from './to-postgres-failure.ts'
import { useConnection } from './use-connection.ts'

/** How to write. */
export interface WriterOptions<Signal> {
  /** Where connections come from. */
  readonly pool: Connections['pool']
  /** Runs one step on a connection. */
  readonly runStep: RunStep
  /** Gets what was told, once it was committed. */
  readonly emit: (signals: readonly Signal[]) => void
  /** Signals that anything may have changed: told when it is not known whether a transaction was committed. */
  readonly missed: readonly Signal[]
  /** Randomness of pauses before another try: from 0 up to 1. */
  readonly random: () => number
}

/** Runs a plan in a transaction of its own; resolves when it is committed. `plan` may be started more than once. */
export type Write<Signal> = <Result>(plan: () => Plan<Result, Signal>) => Promise<Result>

/**
 * Makes a {@link Write}. What is in the way of another one is made again, and so is what never began; never what may have
 * been committed. A write rejects with a {@link SqlFailure}.
 *
 * For plans that lock the rows that they decide by; those that need more to be alone go through `createGroupWriter`.
 *
 * @example
 * const write = createWriter({ pool, runStep, tell, missed: [], random: Math.random })
 * await write(() => plans.insertDevice(device))
 */
export function createWriter<Signal>(options: WriterOptions<Signal>): Write<Signal> {
  return async (plan) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await commitAlone(options, plan)
      } catch (error) {
        if (isInDoubt(error)) options.emit(options.missed)
        if (!mayTryAgain(error, tries)) throw toPostgresFailure(error, 'Writing to Postgres')
        await pauseAfter(tries, options.random)
      }
    }
  }
}

async function commitAlone<Result, Signal>(
  { pool, runStep, emit }: WriterOptions<Signal>,
  plan: () => Plan<Result, Signal>,
): Promise<Result> {
  const signals: Signal[] = []
  const result = await useConnection(pool, async (client) => {
    const began = client.query(begin)
    // Its failure is waited for below; until then nothing else handles it.
    began.catch(() => {})
    try {
      const done = await runPlan(
        plan(),
        (step) => runStep(client, step),
        (signal) => void signals.push(signal),
      )
      await began
      await commit(client)
      return done
    } catch (error) {
      if (!(error instanceof Undo)) throw error
      await client.query('rollback')
      signals.length = 0
      return error.result as Result // what the plan itself threw
    }
  })
  emit(signals)
  return result
}

async function commit(client: { query(text: string): Promise<unknown> }): Promise<void> {
  try {
    await client.query('commit')
  } catch (error) {
    throw classify(error) === 'connection' ? toInDoubtFailure(error) : error
  }
}
