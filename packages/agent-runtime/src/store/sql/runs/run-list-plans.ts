import type { RunSort } from '@homeward/contract/agent-platform'
import type { Kysely, SelectQueryBuilder } from 'kysely'
import { sql } from 'kysely'
import { all, compileStatement, rememberStatements } from '@homeward/kit/sql'
import { parseCursor, timePositionOf, toPage, type Position } from '../../cursor.ts'
import type { Page, PageRequest } from '../../ports/page.ts'
import type { RunFilter, StoredRun } from '../../ports/run-store.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'
import {
  argsOf,
  type FilterArgs,
  type FilterShape,
  matchOf,
  narrowRuns,
  type Part,
  shapeOf,
} from './narrow-runs.ts'
import { toRun, type RunRow } from './run-row.ts'
import { selectRuns } from './run-statements.ts'
import type { RunWords } from './run-row.ts'

/** What a list of runs filters by, and its order. */
interface Shape extends FilterShape, Record<string, boolean | string | undefined> {
  readonly after: boolean
}

/** Arguments of a list; which of them count depends on its shape. */
interface Args extends FilterArgs {
  afterValue: number
  afterTime: string
  afterId: string
  limit: number
}

/** A run's place: what the list is sorted by, where that is not the time, then its time and its id. */
interface Place {
  readonly value: number
  readonly time: string
  readonly id: string
}

const start: Place = { value: 0, time: '', id: '' }
/** In cursors, the value of a run without one. */
const noValue = -1
const columns = { '-cost': 'cost_micro_usd', '-duration': 'duration_ms' } as const
type Ranked = keyof typeof columns

const isRanked = (sort: RunSort): sort is Ranked => Object.hasOwn(columns, sort)

/** The verb `listRuns` as a plan: one statement, or two where the runs without a value begin. */
export function createRunListPlans(
  db: Kysely<RuntimeTables>,
  words: Pick<RunWords, 'toRunMatch' | 'isRunMatch'>,
) {
  const listOf = rememberStatements((shape: Shape) => compileList(db, words, shape))

  function* read(filter: RunFilter, part: Part, after: Place | undefined, match: string, limit: number) {
    const { sort = '-created_at' } = filter
    const shape = { ...shapeOf(filter), sort, part, after: after !== undefined }
    const { value, time, id } = after ?? start
    const place = { afterValue: value, afterTime: time, afterId: id }
    return yield* all(listOf(shape), { ...argsOf(filter, match), ...place, limit })
  }

  return {
    *listRuns(filter: RunFilter, page: PageRequest): Plan<Page<StoredRun>> {
      const { sort = '-created_at' } = filter
      const after = placeOf(sort, page)
      const match = matchOf(words, filter)
      if (match === undefined) return { rows: [] }
      const limit = page.limit + 1
      if (!isRanked(sort)) {
        const rows = yield* read(filter, 'times', after, match, limit)
        return toPage(rows, page.limit, toRun, (row) => positionOf(sort, row))
      }
      const inRest = after?.value === noValue
      const rows = inRest ? [] : [...(yield* read(filter, 'known', after, match, limit))]
      const hasRest = sort !== '-cost' || filter.minMicroUsd === undefined
      if (hasRest && rows.length < limit)
        rows.push(...(yield* read(filter, 'rest', inRest ? after : undefined, match, limit - rows.length)))
      return toPage(rows, page.limit, toRun, (row) => positionOf(sort, row))
    },
  }
}

function positionOf(sort: RunSort, { createdAt, id, durationMs, microUsd }: RunRow): Position {
  if (sort === '-created_at') return [createdAt, id]
  if (sort === 'created_at') return [sort, createdAt, id]
  return [sort, (sort === '-cost' ? microUsd : durationMs) ?? noValue, createdAt, id]
}

/** @throws {RuntimeError} `validation_error` for the cursor of another order. */
function placeOf(sort: RunSort, page: PageRequest): Place | undefined {
  if (page.cursor === undefined) return undefined
  if (sort === '-created_at') {
    const [time = '', id = ''] = timePositionOf(page) ?? []
    return { value: 0, time, id }
  }
  const isPlace = (given: readonly unknown[]): given is readonly [RunSort, ...Position] =>
    given[0] === sort &&
    given.length === (isRanked(sort) ? 4 : 3) &&
    given.slice(-2).every((part) => typeof part === 'string') &&
    (!isRanked(sort) || Number.isSafeInteger(given[1]))
  const [, ...rest] = parseCursor(page.cursor, isPlace)
  return { value: isRanked(sort) ? Number(rest[0]) : 0, time: String(rest.at(-2)), id: String(rest.at(-1)) }
}

function compileList(db: Kysely<RuntimeTables>, words: Pick<RunWords, 'isRunMatch'>, shape: Shape) {
  return compileStatement<Args, RunRow>('read', (args) => {
    const runs = selectRuns(db).limit(args.limit)
    return inOrder(narrowRuns(db, words, runs, shape, args), shape, args)
  })
}

function inOrder<Row>(
  query: SelectQueryBuilder<RuntimeTables, 'runs', Row>,
  { sort, part, after: isAfter }: Shape,
  { afterValue, afterTime, afterId }: Args,
) {
  if (sort === 'created_at') {
    if (isAfter) query = query.where(sql<boolean>`(created_at, id) > (${afterTime}, ${afterId})`)
    return query.orderBy('created_at').orderBy('id')
  }
  if (part !== 'times' && isRanked(sort)) {
    const column = columns[sort]
    query = query.where(column, part === 'known' ? 'is not' : 'is', null)
    if (part === 'known') {
      const place = sql`(${afterValue}, ${afterTime}, ${afterId})`
      if (isAfter) query = query.where(sql<boolean>`(${sql.ref(column)}, created_at, id) < ${place}`)
      return query.orderBy(column, 'desc').orderBy('created_at', 'desc').orderBy('id', 'desc')
    }
  }
  if (isAfter) query = query.where(sql<boolean>`(created_at, id) < (${afterTime}, ${afterId})`)
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc')
}
