import type { Compilable, Kysely, RawBuilder } from 'kysely'
import { sql } from 'kysely'

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

/** SQL that was written by hand, as {@link compileStatement} takes it. */
export function toCompilable<Tables, Row>(db: Kysely<Tables>, builder: RawBuilder<Row>): Compilable<Row> {
  return { compile: () => builder.compile(db) }
}
