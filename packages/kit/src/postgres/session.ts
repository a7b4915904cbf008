import { toParameter, type Plan, type Step } from '../sql/plan.ts'

/** A statement that was sent. */
export interface PostgresStatement {
  readonly kind: 'read' | 'write'
  readonly sql: string
}

/** A connection that runs statements. */
export interface Queryable {
  /** Runs one statement. A statement with a name stays prepared on the connection. */
  query(config: { name?: string; text: string; values?: unknown[] }): Promise<{
    rows: unknown[]
    rowCount: number | null
  }>
}

/** Runs one step of a plan on a connection and returns its rows. */
export type RunStep = (connection: Queryable, step: Step) => Promise<readonly unknown[]>

/**
 * Creates a {@link RunStep}.
 *
 * Each statement gets a name, under which a connection keeps the statement prepared. The statements of one step are
 * sent without waiting for each other.
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

/** Runs a plan. `tell` receives its signals, which must not be acted on before the commit. */
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

/**
 * Waits for all promises, and then rejects with the first error. So no work continues after the caller has its
 * result.
 */
export async function settleAll<Result>(calls: readonly Promise<Result>[]): Promise<Result[]> {
  const outcomes = await Promise.allSettled(calls)
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
}
