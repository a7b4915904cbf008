import { type Compilable, type Kysely, type RawBuilder, sql } from 'kysely'

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

/** Runs a statement that gives at most one row. */
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

/** SQL that was built once and runs often, each time with other arguments. */
export interface Statement<Args, Row> {
  readonly kind: 'read' | 'write'
  readonly sql: string
  /** Arguments in the order in which the SQL wants them. */
  bind(args: Args): readonly unknown[]
  /** Never set: carries the type of a row. */
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
 * A limit that is an argument. A bare parameter would do, but SQLite looks at its value to plan, and therefore prepares
 * the statement again for every call, which costs several times what running it does.
 */
export function limitTo(limit: number): RawBuilder<number> {
  return sql<number>`${limit} + 0`
}

/**
 * Makes a statement, which is built when it is first used. `build` gets the arguments as placeholders, to be put wherever a value goes.
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
 * What `create` builds with a query builder: once for each builder, however many stores share it.
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

/** Keeps the statement of each shape once it was built. */
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

/** SQL that was written by hand, as {@link compileStatement} takes it. */
export function toCompilable<Tables, Row>(db: Kysely<Tables>, builder: RawBuilder<Row>): Compilable<Row> {
  return { compile: () => builder.compile(db) }
}

// Postgres has no text with the character 0 in it, and none with half a surrogate pair. Node 22 reads text out of SQLite up to
// its first character 0 only, and SQLite keeps no half of a pair either. Both are written in other characters, and so is the
// one that marks them.
const mark = '\u0010'
const marked = new RegExp(`${mark}(?:([01])|2([0-9a-f]{4}))`, 'g')

/** A value as the database takes it. */
export function toParameter(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toParameter)
  if (typeof value !== 'string' || !isSpecial(value)) return value
  return value
    .replaceAll(mark, `${mark}1`)
    .replaceAll('\u0000', `${mark}0`)
    .replaceAll(/\p{Surrogate}/gu, (half) => `${mark}2${half.charCodeAt(0).toString(16)}`)
}

/** The text that {@link toParameter} was given. */
export function toText(text: string): string {
  if (!text.includes(mark)) return text
  return text.replaceAll(marked, (_, sign: string | undefined, half: string | undefined) => {
    if (half !== undefined) return String.fromCharCode(Number.parseInt(half, 16))
    return sign === '0' ? '\u0000' : mark
  })
}

/** Texts of a row that the database gave, as they were written. In place: who reads rows gets each one new. */
export function restoreTexts(row: Record<string, unknown>): void {
  for (const name in row) {
    const value = row[name]
    if (typeof value === 'string' && value.includes(mark)) row[name] = toText(value)
  }
}

function isSpecial(text: string): boolean {
  return text.includes('\u0000') || text.includes(mark) || !text.isWellFormed()
}
