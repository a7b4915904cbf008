import { toParameter, type Plan, type Step } from '../sql/plan.ts'

/** A statement that was sent. */
export interface PostgresStatement {
  readonly kind: 'read' | 'write'
  readonly sql: string
}

/** What runs statements. */
export interface Queryable {
  /** Runs one statement. A name keeps it prepared on the connection. */
  query(config: { name?: string; text: string; values?: unknown[] }): Promise<{
    rows: unknown[]
    rowCount: number | null
  }>
}

/** Runs one step of a plan on a connection and gives its rows. */
export type RunStep = (connection: Queryable, step: Step) => Promise<readonly unknown[]>

/**
 * Makes a {@link RunStep}. Each statement gets a name, under which a connection keeps it prepared. Those of one step do
 * not wait for each other's answers.
 *
 * @example
 * const runStep = createRunStep(({ sql }) => console.log(sql))
 */
export function createRunStep(onStatement: (statement: PostgresStatement) => void = () => {}): RunStep {
  const names = new Map<string, string>()
  const nameOf = (text: string) => {
    const name = names.get(text) ?? `homeward_${names.size}`
    names.set(text, name)
    return name
  }
  return async (connection, { kind, sql, parameterLists, counts }) => {
    const name = nameOf(sql)
    const results = await settleAll(
      parameterLists.map((parameters) => {
        onStatement({ kind, sql })
        return connection.query({ name, text: sql, values: parameters.map(toParameter) })
      }),
    )
    if (counts) return [results.reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0)]
    return results.length === 1 ? (results[0]?.rows ?? []) : results.flatMap(({ rows }) => rows)
  }
}

/** Runs a plan. `tell` gets its signals; nothing may be done about them before the plan is committed. */
export async function runPlan<Result, Signal>(
  plan: Plan<Result, Signal>,
  run: (step: Step) => Promise<readonly unknown[]>,
  tell: (signal: Signal) => void,
): Promise<Result> {
  let next = plan.next([])
  while (next.done !== true) {
    if (next.value.kind === 'emit') {
      tell(next.value.signal)
      next = plan.next([])
    } else next = plan.next(await run(next.value))
  }
  return next.value
}

/** Waits for all, and then fails with the first failure: no work continues after its caller was answered. */
export async function settleAll<Result>(calls: readonly Promise<Result>[]): Promise<Result[]> {
  const outcomes = await Promise.allSettled(calls)
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
}
