import type { Plan } from '../sql/plan.ts'
import type { Connections } from './connect.ts'
import { classify, toStoreError } from './postgres-error.ts'
import type { RunStep } from './session.ts'
import { runPlan } from './session.ts'
import { useConnection } from './use-connection.ts'

/** Runs a plan that only reads. `plan` may be started more than once. */
export type Read = <Result>(plan: () => Plan<Result>) => Promise<Result>

/** Makes a {@link Read}: on whatever connection is free, once more when that one had broken while nobody used it. */
export function createReader({ pool, runStep }: { pool: Connections['pool']; runStep: RunStep }): Read {
  const readOnce = <Result>(plan: () => Plan<Result>) =>
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
      if (failure !== 'again' && failure !== 'connection') throw toStoreError(error, 'Reading Postgres')
    }
    try {
      return await readOnce(plan)
    } catch (error) {
      throw toStoreError(error, 'Reading Postgres')
    }
  }
}
