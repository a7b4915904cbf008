import type { Rating, RunSort, RunSource, RunStatus } from '@homeward/contract/agent-platform'
import type { Kysely, SelectQueryBuilder } from 'kysely'
import { sql } from 'kysely'
import type { RunFilter } from '../../ports/run-store.ts'
import { toQueryWords } from '../../ranking/to-words.ts'
import { isInList, toList } from '../id-list.ts'
import type { RuntimeTables } from '../schema.ts'
import type { RunWords } from './run-row.ts'

/** A part of a list, which one index gives in its order. `known`: with the value that it is sorted by; `rest`: without. */
export type Part = 'times' | 'known' | 'rest'

/** What runs are filtered by, and their order. */
export interface FilterShape {
  readonly sort: RunSort
  readonly part: Part
  readonly byAgent: boolean
  readonly byGraph: boolean
  readonly byParent: boolean
  readonly byConversation: boolean
  readonly byUser: boolean
  readonly within: boolean
  readonly bySource: boolean
  readonly feedback: Rating | 'any' | undefined
  readonly byFeedbackUser: boolean
  readonly byText: boolean
  readonly byCost: boolean
  readonly from: boolean
  readonly to: boolean
  readonly status: RunStatus | undefined
}

/** Values of a filter; which of them count depends on its shape. */
export interface FilterArgs {
  agentId: string
  graphId: string
  parentRunId: string
  conversationId: string
  userId: string
  agentIds: string
  graphIds: string
  source: RunSource
  feedbackUserId: string
  match: string
  from: string
  to: string
  minMicroUsd: number
}

/** The shape of a filter, without the order. */
export const shapeOf = (filter: RunFilter) => ({
  byAgent: filter.agentId !== undefined,
  byGraph: filter.graphId !== undefined,
  byParent: filter.parentRunId !== undefined,
  byConversation: filter.conversationId !== undefined,
  byUser: filter.userId !== undefined,
  within: filter.within !== undefined,
  bySource: filter.source !== undefined,
  feedback: filter.feedback && (filter.feedback.rating ?? ('any' as const)),
  byFeedbackUser: filter.feedback?.userId !== undefined,
  byText: filter.text !== undefined,
  byCost: filter.minMicroUsd !== undefined,
  from: filter.from !== undefined,
  to: filter.to !== undefined,
  status: filter.status,
})

/** The values of a filter. @param match the words of its text */
export function argsOf(filter: RunFilter, match: string): FilterArgs {
  const { agentId = '', graphId = '', parentRunId = '', conversationId = '', source = 'api' } = filter
  const { minMicroUsd = 0, from = '', to = '', userId = '', within } = filter
  const [agentIds, graphIds] = [toList(within?.agentIds), toList(within?.graphIds)]
  const subjects = { agentId, graphId, parentRunId, conversationId, userId, agentIds, graphIds }
  const { userId: feedbackUserId = '' } = filter.feedback ?? {}
  return { ...subjects, source, feedbackUserId, match, from, to, minMicroUsd }
}

/** The words of a filter; undefined if no run can match them. */
export function matchOf(words: Pick<RunWords, 'toRunMatch'>, { text }: RunFilter): string | undefined {
  if (text === undefined) return words.toRunMatch([])
  const asked = toQueryWords(text)
  if (asked.length === 0) return undefined
  const start = /\S+\*\s*$/.exec(text)?.[0]
  const beginning = start === undefined ? undefined : toQueryWords(start).at(-1)
  return words.toRunMatch(
    asked.filter((word) => word !== beginning),
    beginning,
  )
}

/** Leaves out of a query what a filter does not match. */
export function narrowRuns<Row>(
  db: Kysely<RuntimeTables>,
  words: Pick<RunWords, 'isRunMatch'>,
  runs: SelectQueryBuilder<RuntimeTables, 'runs', Row>,
  shape: FilterShape,
  args: FilterArgs,
): SelectQueryBuilder<RuntimeTables, 'runs', Row> {
  let query = runs
  if (shape.byAgent) query = query.where('agent_id', '=', args.agentId)
  if (shape.byGraph) query = query.where('graph_id', '=', args.graphId)
  if (shape.byParent) query = query.where('parent_run_id', '=', args.parentRunId)
  if (shape.byConversation) query = query.where('conversation_id', '=', args.conversationId)
  if (shape.byUser) query = query.where('user_id', '=', args.userId)
  if (shape.within)
    query = query.where((eb) =>
      eb.or([isInList('agent_id', args.agentIds), isInList('graph_id', args.graphIds)]),
    )
  if (shape.bySource) query = query.where('source', '=', args.source)
  // A literal, not a parameter: that is how the planner sees that a small index will do.
  if (shape.status !== undefined) query = query.where('status', '=', sql.lit(shape.status))
  if (shape.feedback !== undefined) query = query.where('runs.seq', 'in', ratedRuns(db, shape, args))
  if (shape.byText) query = query.where(words.isRunMatch(args.match))
  const time = timeOf(shape)
  if (shape.from) query = query.where(time, '>=', args.from)
  if (shape.to) query = query.where(time, '<', args.to)
  if (shape.byCost) query = query.where(costsAtLeast(db, shape, args.minMicroUsd))
  return query
}

/** Runs with feedback: few, so they are found first. */
function ratedRuns(
  db: Kysely<RuntimeTables>,
  { feedback, byFeedbackUser }: FilterShape,
  { feedbackUserId }: FilterArgs,
) {
  let rated = db.selectFrom('run_feedback').select('run_seq')
  if (feedback !== undefined && feedback !== 'any') rated = rated.where('rating', '=', sql.lit(feedback))
  if (byFeedbackUser) rated = rated.where('run_feedback.user_id', '=', feedbackUserId)
  return rated
}

/**
 * The time to compare. As an expression it leads to no index of its own: in the order of cost or duration the times are in
 * that index, and by the index of times all rows of the range would be read to be sorted.
 */
const timeOf = ({ part }: FilterShape) =>
  part === 'known' ? sql<string>`(created_at || '')` : sql.ref<string>('created_at')

/** In other orders the runs that cost so much are found by their index first: else each row would be read to look at its cost. */
function costsAtLeast(db: Kysely<RuntimeTables>, { sort }: FilterShape, least: number) {
  if (sort === '-cost') return sql<boolean>`cost_micro_usd >= ${least}`
  const dear = db.selectFrom('runs as dear').select('seq').where('cost_micro_usd', '>=', least)
  return sql<boolean>`runs.seq + 0 in (${dear})`
}
