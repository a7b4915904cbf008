import type { RunSort, RunStatus } from '@homeward/contract/agent-platform'
import type { Kysely, SelectQueryBuilder } from 'kysely'
import { sql } from 'kysely'
import { all, compileStatement } from '@homeward/kit/sql'
import { parseCursor, timePositionOf, toPage, type Position } from '../../cursor.ts'
import type { Page, PageRequest } from '../../ports/page.ts'
import type { RunFilter, StoredRun } from '../../ports/run-store.ts'
import { toQueryWords } from '../../ranking/to-words.ts'
import type { Plan } from '../plan.ts'
import { rememberStatements } from '../remember-statements.ts'
import type { RuntimeTables } from '../schema.ts'
import { toRun, type RunRow } from './run-row.ts'
import { selectRuns } from './run-statements.ts'
import type { RunWords } from './run-words.ts'

/** A part of a list, which one index gives in its order. `known`: with the value that it is sorted by; `rest`: without. */
type Part = 'times' | 'known' | 'rest'

/** What a list of runs filters by, and its order. */
interface Shape extends Record<string, boolean | string | undefined> {
  readonly sort: RunSort
  readonly part: Part
  readonly byAgent: boolean
  readonly byGraph: boolean
  readonly byParent: boolean
  readonly byConversation: boolean
  readonly byText: boolean
  readonly byCost: boolean
  readonly from: boolean
  readonly to: boolean
  readonly status: RunStatus | undefined
  readonly after: boolean
}

/** Arguments of a list; which of them count depends on its shape. */
interface Args {
  agentId: string
  graphId: string
  parentRunId: string
  conversationId: string
  match: string
  from: string
  to: string
  minMicroUsd: number
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
    const { sort = '-created_at', minMicroUsd = 0, from = '', to = '' } = filter
    const { agentId = '', graphId = '', parentRunId = '', conversationId = '' } = filter
    const shape = { ...shapeOf(filter), sort, part, after: after !== undefined }
    const ids = { agentId, graphId, parentRunId, conversationId }
    const { value, time, id } = after ?? start
    const place = { afterValue: value, afterTime: time, afterId: id }
    return yield* all(listOf(shape), { ...ids, ...place, match, from, to, minMicroUsd, limit })
  }

  return {
    *listRuns(filter: RunFilter, page: PageRequest): Plan<Page<StoredRun>> {
      const { sort = '-created_at', text } = filter
      const after = placeOf(sort, page)
      const asked = text === undefined ? [] : toQueryWords(text)
      if (text !== undefined && asked.length === 0) return { rows: [] }
      const match = words.toRunMatch(asked)
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

const shapeOf = (filter: RunFilter) => ({
  byAgent: filter.agentId !== undefined,
  byGraph: filter.graphId !== undefined,
  byParent: filter.parentRunId !== undefined,
  byConversation: filter.conversationId !== undefined,
  byText: filter.text !== undefined,
  byCost: filter.minMicroUsd !== undefined,
  from: filter.from !== undefined,
  to: filter.to !== undefined,
  status: filter.status,
})

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
    let query = selectRuns(db).limit(args.limit)
    if (shape.byAgent) query = query.where('agent_id', '=', args.agentId)
    if (shape.byGraph) query = query.where('graph_id', '=', args.graphId)
    if (shape.byParent) query = query.where('parent_run_id', '=', args.parentRunId)
    if (shape.byConversation) query = query.where('conversation_id', '=', args.conversationId)
    // A literal, not a parameter: that is how the planner sees that a small index will do.
    if (shape.status !== undefined) query = query.where('status', '=', sql.lit(shape.status))
    if (shape.byText) query = query.where(words.isRunMatch(args.match))
    const time = timeOf(shape)
    if (shape.from) query = query.where(time, '>=', args.from)
    if (shape.to) query = query.where(time, '<', args.to)
    if (shape.byCost) query = query.where(costsAtLeast(db, shape, args.minMicroUsd))
    return inOrder(query, shape, args)
  })
}

/**
 * The time to compare. As an expression it leads to no index of its own: in the order of cost or duration the times are in
 * that index, and by the index of times all rows of the range would be read to be sorted.
 */
const timeOf = ({ part }: Shape) =>
  part === 'known' ? sql<string>`(created_at || '')` : sql.ref<string>('created_at')

/** In other orders the runs that cost so much are found by their index first: else each row would be read to look at its cost. */
function costsAtLeast(db: Kysely<RuntimeTables>, { sort }: Shape, least: number) {
  if (sort === '-cost') return sql<boolean>`cost_micro_usd >= ${least}`
  const dear = db.selectFrom('runs as dear').select('seq').where('cost_micro_usd', '>=', least)
  return sql<boolean>`runs.seq + 0 in (${dear})`
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
