import type { Plan } from '../sql/plan.ts'
import type { Connections } from './connect.ts'
import type { RunStep } from './session.ts'
import { runPlan } from './session.ts'
import { classify, toPostgresFailure } from './to-postgres-failure.ts'
import { useConnection } from './use-connection.ts'

/** Runs a plan that only reads. `plan` may run more than once. */
export type Read = <Result>(plan: () => Plan<Result, unknown>) => Promise<Result>

/**
 * Creates a {@link Read} that uses any free connection.
 *
 * A read is retried once if its connection broke while idle. A plan of several statements may see changes in between.
 * A read rejects with a {@link SqlFailure}.
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
