import type { RunSource, RunStatus } from '@homeward/contract/agent-platform'
import { all, compileStatement, rememberStatements } from '@homeward/kit/sql'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { FailureCount, RunFilter, RunTimeCount } from '../../ports/run-store.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'
import { argsOf, type FilterArgs, type FilterShape, matchOf, narrowRuns, shapeOf } from './narrow-runs.ts'
import type { RunWords } from './run-row.ts'

interface Shape extends FilterShape, Record<string, boolean | string | undefined> {}

/** Arguments of a count; which of them count depends on its shape. */
interface Args extends FilterArgs {
  limit: number
}

/** Postgres gives sums as text. */
type Sum = number | string

interface FailureRow extends Omit<FailureCount, 'count' | 'parts' | 'microUsd'> {
  readonly count: Sum
  readonly parts: Sum
  readonly microUsd: Sum | null
}

type Words = Pick<RunWords, 'toRunMatch' | 'isRunMatch' | 'resultField'>

/** Runs that are counted at most. */
const maxCounted = 10_000
/** Begins of ten minutes, from times such as `2026-11-30T08:15:00.000Z`. */
const tenMinutes = 15
const longestError = 500

/** The verbs that count runs, as plans: each is one statement over the newest 10,000 runs of a filter. */
export function createRunCountPlans(db: Kysely<RuntimeTables>, words: Words) {
  const sourcesOf = rememberStatements((shape: Shape) => compileSources(db, words, shape))
  const timesOf = rememberStatements((shape: Shape) => compileTimes(db, words, shape))
  const failuresOf = rememberStatements((shape: Shape) => compileFailures(db, words, shape))

  /** The shape and the values of a filter, which are undefined if no run can match. */
  function ask(filter: RunFilter) {
    const match = matchOf(words, filter)
    const shape: Shape = { ...shapeOf(filter), sort: '-created_at', part: 'times' }
    return { shape, args: match === undefined ? undefined : { ...argsOf(filter, match), limit: maxCounted } }
  }

  return {
    *countRunSources(filter: RunFilter): Plan<Partial<Record<RunSource, number>>> {
      const { shape, args } = ask(filter)
      const rows = args ? yield* all(sourcesOf({ ...shape, bySource: false }), args) : []
      return Object.fromEntries(rows.map(({ source, count }) => [source, Number(count)]))
    },

    *countRunTimes(filter: RunFilter): Plan<RunTimeCount[]> {
      const { shape, args } = ask(filter)
      const rows = args ? yield* all(timesOf(shape), args) : []
      return rows.map(({ start, status, count }) => ({
        start: `${start}0:00.000Z`,
        status,
        count: Number(count),
      }))
    },

    *countFailures(filter: RunFilter): Plan<FailureCount[]> {
      const { shape, args } = ask({ ...filter, status: 'failed' })
      const rows = args ? yield* all(failuresOf(shape), args) : []
      return rows.map((row) => ({
        ...row,
        count: Number(row.count),
        parts: Number(row.parts),
        microUsd: row.microUsd === null ? null : Number(row.microUsd),
      }))
    },
  }
}

/** The newest runs of a filter. */
function newest<Row>(
  db: Kysely<RuntimeTables>,
  words: Words,
  selected: Parameters<typeof narrowRuns<Row>>[2],
  shape: Shape,
  args: Args,
) {
  const runs = narrowRuns(db, words, selected, shape, args)
  return runs.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(args.limit).as('counted')
}

function compileSources(db: Kysely<RuntimeTables>, words: Words, shape: Shape) {
  return compileStatement<Args, { source: RunSource; count: Sum }>('read', (args) =>
    db
      .selectFrom(newest(db, words, db.selectFrom('runs').select('source'), shape, args))
      .select(['source', ({ fn }) => fn.countAll<number>().as('count')])
      .groupBy('source'),
  )
}

function compileTimes(db: Kysely<RuntimeTables>, words: Words, shape: Shape) {
  const start = sql<string>`substr(created_at, 1, ${sql.lit(tenMinutes)})`.as('start')
  return compileStatement<Args, { start: string; status: RunStatus; count: Sum }>('read', (args) =>
    db
      .selectFrom(newest(db, words, db.selectFrom('runs').select(['status', start]), shape, args))
      .select(['start', 'status', ({ fn }) => fn.countAll<number>().as('count')])
      .groupBy(['start', 'status'])
      .orderBy('start')
      .orderBy('status'),
  )
}

function compileFailures(db: Kysely<RuntimeTables>, words: Words, shape: Shape) {
  const columns = [
    'agent_id as agentId',
    'graph_id as graphId',
    'user_id as userId',
    'parent_run_id as parentRunId',
    'finished_at as finishedAt',
    'cost_micro_usd as cost',
    sql<string>`created_at || ' ' || id`.as('place'),
    sql<string | null>`substr(${words.resultField('error')}, 1, ${sql.lit(longestError)})`.as('error'),
    words.resultField('code').as('code'),
  ] as const
  return compileStatement<Args, FailureRow>('read', (args) =>
    db
      .selectFrom(newest(db, words, db.selectFrom('runs').select(columns), shape, args))
      .select(['agentId', 'graphId', 'userId', 'error', 'code'])
      .select(({ fn }) => [
        fn.countAll<number>().as('count'),
        fn.count<number>('parentRunId').as('parts'),
        fn.sum<number>('cost').as('microUsd'),
        fn.max<string>('finishedAt').as('lastAt'),
        fn.max<string>('place').as('newest'),
      ])
      .groupBy(['agentId', 'graphId', 'userId', 'error', 'code']),
  )
}
