import type { Pool } from 'pg'
import type { Plan } from '../sql/plan.ts'
import { classify, toStoreError } from './postgres-error.ts'
import type { NameOf } from './session.ts'
import { createRunStep, runPlan } from './session.ts'

/**
 * Reads on whatever connection is free. Most reads are one statement; those of several look at one thing after the
 * other and can stand that it changes in between.
 */
export function createPlanReader(pool: Pool, nameOf: NameOf) {
  const run = createRunStep(pool, nameOf)
  return async <Result>(plan: () => Plan<Result>): Promise<Result> => {
    try {
      return await runPlan(plan(), run, () => {})
    } catch (error) {
      const failure = classify(error)
      if (failure !== 'again' && failure !== 'connection') throw toStoreError(error, 'Reading Postgres')
    }
    // The connection had broken while nobody used it, or a statement on it had grown old: once more, on another one.
    try {
      return await runPlan(plan(), run, () => {})
    } catch (error) {
      throw toStoreError(error, 'Reading Postgres')
    }
  }
}
