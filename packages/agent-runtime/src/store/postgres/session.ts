import { type Step, toParameter } from '@homeward/kit/sql'
import type { StoreSignal } from '../ports/store-signal.ts'
import type { Plan } from '../sql/plan.ts'

/** What runs statements: a connection, or a pool of them. */
export interface Queryable {
  query(config: { name?: string; text: string; values?: unknown[] }): Promise<{
    rows: unknown[]
    rowCount: number | null
  }>
}

/** Runs one step of a plan and gives its rows. */
export type RunStep = (step: Step) => Promise<readonly unknown[]>

/** Gives each statement a name, under which a connection keeps it prepared. */
export type NameOf = (sql: string) => string

/** Makes a {@link NameOf}. */
export function createNames(): NameOf {
  const names = new Map<string, string>()
  return (sql) => {
    const name = names.get(sql) ?? `homeward_${names.size}`
    names.set(sql, name)
    return name
  }
}

/** Runs steps on a connection. Those that are sent at the same time do not wait for each other's answers. */
export function createRunStep(connection: Queryable, nameOf: NameOf): RunStep {
  return async ({ sql, parameterLists, counts }) => {
    const name = nameOf(sql)
    const results = await settleAll(
      parameterLists.map((parameters) =>
        connection.query({ name, text: sql, values: parameters.map(toParameter) }),
      ),
    )
    if (counts) return [results.reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0)]
    return results.length === 1 ? (results[0]?.rows ?? []) : results.flatMap(({ rows }) => rows)
  }
}

/** Runs a plan. `tell` hears its signals; nothing may be done about them before the plan is committed. */
export async function runPlan<Result>(
  plan: Plan<Result>,
  run: RunStep,
  tell: (signal: StoreSignal) => void,
): Promise<Result> {
  let next = plan.next([])
  while (next.done !== true) {
    if (next.value.kind === 'tell') {
      tell(next.value.signal)
      next = plan.next([])
    } else {
      next = plan.next(await run(next.value))
    }
  }
  return next.value
}

/** Waits for all, and then fails with the first failure: nothing goes on behind the caller's back. */
export async function settleAll<Result>(calls: readonly Promise<Result>[]): Promise<Result[]> {
  const outcomes = await Promise.allSettled(calls)
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
}
