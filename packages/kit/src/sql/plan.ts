import { type Compilable, type Kysely, type RawBuilder, sql } from 'kysely'

/** One SQL statement, run once for each list of parameters. */
export interface Step {
  readonly kind: 'read' | 'write'
  readonly sql: string
  readonly parameterLists: readonly (readonly unknown[])[]
  /** Whether the step returns the number of changed rows instead of rows. SQLite adds the id of the inserted row. */
  readonly counts: boolean
}

/** A notification for waiting callers, sent after the commit. Returns no rows. */
export interface Emit<Signal> {
  readonly kind: 'emit'
  readonly signal: Signal
}

/**
 * The steps of a store method. The adapter runs each statement, returns its rows, and decides how to wait.
 *
 * A plan runs in one serializable transaction. If the transaction is rolled back, the plan starts again, so it must
 * not change state outside itself. A plan with a single step needs no transaction.
 */
export type Plan<Result, Signal = never> = Generator<Step | Emit<Signal>, Result, readonly unknown[]>

/** Thrown by a plan to roll its changes back and still return a result. */
export class Undo<Result> extends Error {
  readonly result: Result

  constructor(result: Result) {
    super('The transaction was undone')
    this.result = result
  }
}

/** Notifies waiting callers once the plan is committed. */
export function* emit<const Signal>(signal: Signal): Plan<void, Signal> {
  yield { kind: 'emit', signal }
}

/** Runs a statement and returns its rows. */
export function* all<Args, Row>(statement: Statement<Args, Row>, args: Args): Plan<readonly Row[]> {
  const rows = yield toStep(statement, [args])
  return rows as readonly Row[] // the statement was built for this type of row
}

/** Runs a statement and returns its first row, if any. */
export function* first<Args, Row>(statement: Statement<Args, Row>, args: Args): Plan<Row | undefined> {
  const rows = yield toStep(statement, [args])
  return rows[0] as Row | undefined // as above
}

/**
 * Runs a statement that returns no rows.
 *
 * @returns the number of changed rows, which is cheaper than returning a row.
 */
export function* change<Args>(statement: Statement<Args, unknown>, args: Args): Plan<number> {
  const { kind, sql } = statement
  const [changed] = yield { kind, sql, parameterLists: [statement.bind(args)], counts: true }
  return changed as number // what such a step gives
}

/** Runs a statement once for each list of arguments and joins the rows. */
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

/** SQL that is built once and runs many times with different arguments. */
export interface Statement<Args, Row> {
  readonly kind: 'read' | 'write'
  readonly sql: string
  /** Returns the arguments in the order of the SQL's placeholders. */
  bind(args: Args): readonly unknown[]
  /** Never set; carries the type of a row. */
  readonly row?: Row
}

/** Stands for an argument while a statement is built. */
class Slot {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/**
 * Adds a limit from an argument. With a bare parameter, SQLite prepares the statement again for every call, which
 * costs several times its run time.
 */
export function limitTo(limit: number): RawBuilder<number> {
  return sql<number>`${limit} + 0`
}

/**
 * Creates a statement that is compiled at its first use. `build` receives placeholders for the arguments, to use
 * wherever a value belongs.
 *
 * @example
 * const find = compileStatement<{ id: string }, { name: string }>('read', ({ id }) =>
 *   db.selectFrom('devices').select('name').where('id', '=', id))
 */
export function compileStatement<Args extends object, Row>(
  kind: 'read' | 'write',
  build: (slots: Args) => Compilable<Row>,
): Statement<Args, Row> {
  let built: Omit<Statement<Args, Row>, 'kind'> | undefined
  return {
    kind,
    get sql() {
      return (built ??= compile(build)).sql
    },
    bind: (args) => (built ??= compile(build)).bind(args),
  }
}

function compile<Args extends object, Row>(
  build: (slots: Args) => Compilable<Row>,
): Omit<Statement<Args, Row>, 'kind'> {
  // A slot poses as a value of its argument's type; the query builder only hands it through to the parameters.
  const slots = new Proxy({}, { get: (_, name) => new Slot(String(name)) }) as Args
  const { sql, parameters } = build(slots).compile()
  const names = parameters.map((parameter) =>
    parameter instanceof Slot ? (parameter.name as keyof Args) : undefined,
  )
  return {
    sql,
    bind: (args) => names.map((name, place) => (name === undefined ? parameters[place] : args[name])),
  }
}

const made = new WeakMap<object, Map<unknown, unknown>>()

/**
 * Returns the result of `create` for a query builder. Calls `create` once per builder, however many stores share it.
 *
 * @example
 * const statements = buildOnce(db, createRunStatements)
 */
export function buildOnce<Builder extends object, Built>(db: Builder, create: (db: Builder) => Built): Built {
  const ofBuilder = made.get(db) ?? new Map<unknown, unknown>()
  made.set(db, ofBuilder)
  if (!ofBuilder.has(create)) ofBuilder.set(create, create(db))
  return ofBuilder.get(create) as Built // what `create` gave
}

/** What a list filters by; each shape is a statement of its own. There are a few dozen at the most. */
type Shape = Readonly<Record<string, boolean | number | string | undefined>>

/** Caches the compiled statement of each shape. */
export function rememberStatements<Key extends Shape, Args, Row>(
  compile: (shape: Key) => Statement<Args, Row>,
): (shape: Key) => Statement<Args, Row> {
  const known = new Map<string, Statement<Args, Row>>()
  return (shape) => {
    const key = Object.values(shape).join(' ')
    const statement = known.get(key) ?? compile(shape)
    known.set(key, statement)
    return statement
  }
}

/** Wraps hand-written SQL for {@link compileStatement}. */
export function toCompilable<Tables, Row>(db: Kysely<Tables>, builder: RawBuilder<Row>): Compilable<Row> {
  return { compile: () => builder.compile(db) }
}

// Postgres has no text with the character 0 in it, and none with half a surrogate pair. Node 22 reads text out of SQLite up to
// its first character 0 only, and SQLite keeps no half of a pair either. Both are written in other characters, and so is the
// one that marks them.
const mark = '\u0010'
const marked = new RegExp(`${mark}(?:([01])|2([0-9a-f]{4}))`, 'g')

/** Converts a value to a parameter of the database. */
export function toParameter(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toParameter)
  if (typeof value !== 'string' || !isSpecial(value)) return value
  return value
    .replaceAll(mark, `${mark}1`)
    .replaceAll('\u0000', `${mark}0`)
    .replaceAll(/\p{Surrogate}/gu, (half) => `${mark}2${half.charCodeAt(0).toString(16)}`)
}

/** Reverses {@link toParameter} for texts. */
export function toText(text: string): string {
  if (!text.includes(mark)) return text
  return text.replaceAll(marked, (_, sign: string | undefined, half: string | undefined) => {
    if (half !== undefined) return String.fromCharCode(Number.parseInt(half, 16))
    return sign === '0' ? '\u0000' : mark
  })
}

/** Restores the texts of a row as they were written, in place. Every reader receives its own row. */
export function restoreTexts(row: Record<string, unknown>): void {
  for (const name in row) {
    const value = row[name]
    if (typeof value === 'string' && value.includes(mark)) row[name] = toText(value)
  }
}

function isSpecial(text: string): boolean {
  return text.includes('\u0000') || text.includes(mark) || !text.isWellFormed()
}
