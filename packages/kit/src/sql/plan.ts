import type { Statement } from './statement.ts'

/** One statement for an adapter to run, once for each list of parameters. */
export interface Step {
  readonly kind: 'read' | 'write'
  readonly sql: string
  readonly parameterLists: readonly (readonly unknown[])[]
  /**
   * Whether the step gives how many rows were changed instead of rows. SQLite adds the number of the row that was
   * inserted last.
   */
  readonly counts: boolean
}

/** Something to tell those who wait, once the plan is committed. It gives no rows. */
export interface Emit<Signal> {
  readonly kind: 'emit'
  readonly signal: Signal
}

/**
 * What a verb does, statement by statement; the adapter runs the steps, gives back their rows and decides how to wait.
 *
 * A plan runs in one transaction that is as good as alone (serializable), and it may run again from its start when
 * that transaction had to be given up: it keeps nothing outside itself. A plan of a single step needs no transaction.
 */
export type Plan<Result, Signal = never> = Generator<Step | Emit<Signal>, Result, readonly unknown[]>

/** Thrown by a plan to undo what it did and still give a result. */
export class Undo<Result> extends Error {
  readonly result: Result

  constructor(result: Result) {
    super('The transaction was undone')
    this.result = result
  }
}

/** Tells those who wait, once the plan is committed. */
export function* emit<const Signal>(signal: Signal): Plan<void, Signal> {
  yield { kind: 'emit', signal }
}

/** Runs a statement. */
export function* all<Args, Row>(statement: Statement<Args, Row>, args: Args): Plan<readonly Row[]> {
  const rows = yield toStep(statement, [args])
  return rows as readonly Row[] // the statement was built for this type of row
}

/** Runs a statement that gives one row at the most. */
export function* first<Args, Row>(statement: Statement<Args, Row>, args: Args): Plan<Row | undefined> {
  const rows = yield toStep(statement, [args])
  return rows[0] as Row | undefined // as above
}

/** Runs a statement that gives no rows. @returns how many it changed, which costs less than asking for one of them. */
export function* change<Args>(statement: Statement<Args, unknown>, args: Args): Plan<number> {
  const { kind, sql } = statement
  const [changed] = yield { kind, sql, parameterLists: [statement.bind(args)], counts: true }
  return changed as number // what such a step gives
}

/** Runs a statement once for each of the arguments and joins the rows. */
export function* each<Args, Row>(
  statement: Statement<Args, Row>,
  argsList: readonly Args[],
): Plan<readonly Row[]> {
  const rows = yield toStep(statement, argsList)
  return rows as readonly Row[] // as above
}

function toStep<Args, Row>(statement: Statement<Args, Row>, argsList: readonly Args[]): Step {
  const { kind, sql, bind } = statement
  return { kind, sql, parameterLists: argsList.map(bind), counts: false }
}
