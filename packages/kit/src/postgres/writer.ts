import type { Plan } from '../sql/plan.ts'
import { Undo } from '../sql/plan.ts'
import type { Connections } from './connect.ts'
import { begin } from './locks.ts'
import { mayTryAgain, pauseAfter } from './retries.ts'
import type { RunStep } from './session.ts'
import { runPlan } from './session.ts'
import { classify, isInDoubt, toInDoubtFailure, toPostgresFailure } from './to-postgres-failure.ts'
import { useConnection } from './use-connection.ts'

/** Options of {@link createWriter}. */
export interface WriterOptions<Signal> {
  /** The pool that provides connections. */
  readonly pool: Connections['pool']
  /** Runs one step on a connection. */
  readonly runStep: RunStep
  /** Receives the notifications of a plan, after the commit. */
  readonly emit: (signals: readonly Signal[]) => void
  /** Signals that anything may have changed, sent when it is unknown whether a transaction was committed. */
  readonly missed: readonly Signal[]
  /** Returns a random number from 0 up to 1, for the delays between attempts. */
  readonly random: () => number
}

/** Runs a plan in its own transaction. Resolves when the transaction is committed. `plan` may run more than once. */
export type Write<Signal> = <Result>(plan: () => Plan<Result, Signal>) => Promise<Result>

/**
 * Creates a {@link Write}.
 *
 * A transaction that conflicts with another one, or that never started, is retried. A transaction that may have been
 * committed is not. A write rejects with a {@link SqlFailure}.
 *
 * Use it for plans that lock the rows they depend on. Other plans use `createGroupWriter`.
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
