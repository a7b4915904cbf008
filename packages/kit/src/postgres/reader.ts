import type { Plan } from '../sql/plan.ts'
import type { Connections } from './connect.ts'
import type { RunStep } from './session.ts'
import { runPlan } from './session.ts'
import { classify, toPostgresFailure } from './to-postgres-failure.ts'
import { useConnection } from './use-connection.ts'

/** Runs a plan that only reads. `plan` may be started more than once. */
export type Read = <Result>(plan: () => Plan<Result, unknown>) => Promise<Result>

/**
 * Makes a {@link Read}: on any free connection, once more when that one had broken while nobody used it. Most reads are
 * one statement; those of several may see what changed in between. A read rejects with a {@link SqlFailure}.
 *
 * @example
 * const read = createReader({ pool, runStep: createRunStep() })
 * const device = await read(() => plans.findDevice(id))
 */
export function createReader({ pool, runStep }: { pool: Connections['pool']; runStep: RunStep }): Read {
  const readOnce = <Result>(plan: () => Plan<Result, unknown>) =>
    useConnection(pool, (client) =>
      runPlan(
        plan(),
        (step) => runStep(client, step),
        () => {},
      ),
    )
  return async (plan) => {
    try {
      return await readOnce(plan)
    } catch (error) {
      const failure = classify(error)
      if (failure !== 'again' && failure !== 'connection') throw toPostgresFailure(error, 'Reading Postgres')
    }
    try {
      return await readOnce(plan)
    } catch (error) {
      throw toPostgresFailure(error, 'Reading Postgres')
    }
  }
}
