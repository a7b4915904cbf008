import type { Plan } from './plan.ts'

/** A method of a store: it waits, and its last parameter is an `AbortSignal`. */
// Parameters are checked where a method is bound; here any of them will do.
type Method = (...args: never[]) => Promise<unknown>

/** Arguments of a method without its signal. */
export type ArgumentsOf<Verb> = Verb extends (...args: infer Args) => unknown
  ? Required<Args> extends readonly [...infer Given, unknown]
    ? { [Index in keyof Given]: Index extends keyof Args ? Args[Index] : never }
    : never
  : never

/** Result type of a method. */
export type ResultOf<Verb> = Verb extends (...args: never[]) => Promise<infer Result> ? Result : never

/** Row of a method in a method table. A table may add fields. */
export interface MethodRow {
  /** Number of arguments before the signal. */
  readonly args: number
}

/** The methods of a store as plans: functions without a signal whose result has the type `Outcome`. */
export type PlansOf<Verbs, Signal> = {
  readonly [Name in keyof Verbs]: (...args: ArgumentsOf<Verbs[Name]>) => Plan<ResultOf<Verbs[Name]>, Signal>
}

/** A call of a method. */
export interface MethodCall<Row> {
  /** The method's row in the table. */
  readonly row: Row
  readonly name: string
  /** Arguments without the signal. */
  readonly args: readonly unknown[]
  readonly signal: AbortSignal | undefined
}

/** Runs a plan. Called for each call of each method. `plan` may be called more than once. */
export type RunPlan<Row, Signal> = <Result>(
  plan: () => Plan<Result, Signal>,
  call: MethodCall<Row>,
) => Promise<Result>

/** The methods of a store as synchronous functions over its tables. */
export type CallsOf<Verbs, Tables> = {
  readonly [Name in keyof Verbs]: (tables: Tables, ...args: ArgumentsOf<Verbs[Name]>) => ResultOf<Verbs[Name]>
}

/** A table with one row per method. */
export type MethodTable<Verbs, Row> = { readonly [Name in keyof Verbs]: Row }

/**
 * Creates the methods of a store from their plans and a method table.
 *
 * @example
 * const verbs = bindPlans(plans, storeVerbs, (plan, { row, signal }) =>
 *   row.kind === 'read' ? read(plan, signal) : write(plan, signal))
 */
export function bindPlans<Verbs extends MethodTable<Verbs, Method>, Row extends MethodRow, Signal>(
  plans: PlansOf<Verbs, Signal>,
  table: MethodTable<Verbs, Row>,
  run: RunPlan<Row, Signal>,
): Verbs {
  return mapTable<Verbs, Row>(table, (name) => {
    // Callers are held to the types of the method; inside they are all alike.
    const toPlan = plans[name] as (...args: readonly unknown[]) => Plan<unknown, Signal>
    return (call) => run(() => toPlan(...call.args), call)
  })
}

/** Like {@link bindPlans}, for methods that never wait and so need no plan. */
export function bindCalls<Verbs extends MethodTable<Verbs, Method>, Row extends MethodRow, Tables>(
  calls: CallsOf<Verbs, Tables>,
  table: MethodTable<Verbs, Row>,
  run: <Result>(make: (tables: Tables) => Result, call: MethodCall<Row>) => Promise<Result>,
): Verbs {
  return mapTable<Verbs, Row>(table, (name) => {
    const make = calls[name] as (tables: Tables, ...args: readonly unknown[]) => unknown // as above
    return (call) => run((tables) => make(tables, ...call.args), call)
  })
}

/**
 * Wraps each method of a store, for example to measure it.
 *
 * @example
 * const counted = wrapMethods(store, storeVerbs, (forward, call) => {
 *   calls += 1
 *   return forward(call.args)
 * })
 */
export function wrapMethods<Verbs extends MethodTable<Verbs, Method>, Row extends MethodRow>(
  verbs: Verbs,
  table: MethodTable<Verbs, Row>,
  around: (
    forward: (args: readonly unknown[]) => Promise<unknown>,
    call: MethodCall<Row>,
  ) => Promise<unknown>,
): Verbs {
  return mapTable<Verbs, Row>(table, (name) => (call) => {
    const forward = (args: readonly unknown[]) => {
      // The method is looked up at each call: a store may be an instance of a class.
      const verb: Method = verbs[name]
      const given = Array.from({ length: call.row.args }, (_, index) => args[index])
      return verb.call(verbs, ...(given as never[]), call.signal as never) // as above
    }
    return around(forward, call)
  })
}

/** Methods with the names of a table, which split their arguments. */
function mapTable<Verbs, Row extends MethodRow>(
  table: MethodTable<Verbs, Row>,
  toVerb: (name: keyof Verbs) => (call: MethodCall<Row>) => Promise<unknown>,
): Verbs {
  const verbs: Partial<Record<keyof Verbs, unknown>> = {}
  for (const name of Object.keys(table) as (keyof Verbs & string)[]) {
    const row = table[name]
    const verb = toVerb(name)
    verbs[name] = (...given: readonly unknown[]) => {
      const signal = given[row.args] as AbortSignal | undefined // the last parameter of every method
      const args = given.slice(0, row.args)
      // so that the last one is the last, also if a caller leaves it out
      while (args.length < row.args) args.push(undefined)
      return verb({ row, name, args, signal })
    }
  }
  return verbs as Verbs // all of them: the table has a row for each
}
