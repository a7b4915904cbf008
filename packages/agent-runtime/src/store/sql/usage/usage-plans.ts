import type { Kysely, RawBuilder } from 'kysely'
import { sql } from 'kysely'
import { all, compileStatement, first, rememberStatements } from '@homeward/kit/sql'
import type { UsageQuery, UsageTotal } from '../../ports/usage-store.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'
import { sortUsage, startLength, toStart } from './usage-row.ts'

/** An event is written with its step, which may end long after the event happened: so much later at the most. */
const writtenLateMs = 86_400_000
/** The moments that a `Date` can hold are so far from its beginning (ECMA-262, time values). */
const farthestMs = 8.64e15

/** Gives a field of the column `data` of the journal as text. */
export type JournalField = (name: string) => RawBuilder<string | null>

interface UsageShape extends Record<string, boolean | string> {
  readonly interval: UsageQuery['interval']
  readonly byAgent: boolean
  readonly byModel: boolean
  readonly byUser: boolean
  readonly byUsers: boolean
}

interface UsageArgs {
  first: number
  last: number
  from: string
  to: string
  agentId: string
  model: string
  userId: string
  limit: number
}

type UsageRow = Omit<UsageTotal, 'start' | 'userId'> & { readonly name: string; readonly user: string }

/** Numbers of events, the last one included. */
interface NumberRange {
  readonly first: number
  readonly last: number
}

/**
 * The verb of `UsageStore` as a plan, and its two halves for those who sum up piece by piece. The events of each model call are in no index but that of their numbers, for they
 * would cost every step a write: where a time begins among the numbers is found by halving.
 */
export function createUsagePlans(db: Kysely<RuntimeTables>, field: JournalField) {
  const bounds = compileStatement<object, { least: number | null; most: number | null }>('read', () =>
    // Two questions: asked both in one, SQLite reads the whole table.
    db.selectNoFrom((eb) => [
      eb
        .selectFrom('journal')
        .select((journal) => journal.fn.min<number | null>('seq').as('seq'))
        .as('least'),
      eb
        .selectFrom('journal')
        .select((journal) => journal.fn.max<number | null>('seq').as('seq'))
        .as('most'),
    ]),
  )
  const timeAt = compileStatement<{ seq: number }, { seq: number; timestamp: string }>('read', ({ seq }) =>
    db
      .selectFrom('journal')
      .select(['seq', 'timestamp'])
      .where('seq', '>=', seq)
      .orderBy('seq')
      .limit(sql.lit(1)),
  )
  const sumOf = rememberStatements((shape: UsageShape) => compileSum(db, field, shape))

  /**
   * A number for a time: events with a smaller one were written less than {@link writtenLateMs} behind the time, those
   * with a greater one not before it.
   */
  function* numberOf(timeMs: number): Plan<number> {
    const time = new Date(timeMs).toISOString()
    const { least, most } = (yield* first(bounds, {})) ?? { least: null, most: null }
    let low = least ?? 0
    let high = most ?? 0
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const row = yield* first(timeAt, { seq: middle })
      if (row !== undefined && row.timestamp < time) low = Math.max(middle + 1, row.seq)
      else high = middle
    }
    return low
  }

  /** Finds the events that may tell of a time. */
  function* findUsageRange({ from, to }: UsageQuery): Plan<NumberRange> {
    const earliest = Math.max(-farthestMs, Date.parse(from) - writtenLateMs)
    const latest = Math.min(farthestMs, Date.parse(to) + writtenLateMs)
    return { first: yield* numberOf(earliest), last: yield* numberOf(latest) }
  }

  /** Sums up some of them. */
  function* sumUsageIn(range: NumberRange, query: UsageQuery): Plan<UsageTotal[]> {
    const { from, to, interval, agentId, model, userId, byUsers = false, limit } = query
    const filters = { byAgent: agentId !== undefined, byModel: model !== undefined }
    const shape = { interval, ...filters, byUser: userId !== undefined, byUsers }
    const ids = { agentId: agentId ?? '', model: model ?? '', userId: userId ?? '' }
    const args = { ...range, from, to, ...ids, limit }
    const rows = yield* all(sumOf(shape), args)
    const totals = rows.map(({ name, user, ...row }) => ({
      start: toStart(name, interval),
      ...row,
      ...(user !== '' && { userId: user }),
    }))
    return sortUsage(totals)
  }

  return {
    findUsageRange,
    sumUsageIn,
    *sumUsage(query: UsageQuery): Plan<UsageTotal[]> {
      return yield* sumUsageIn(yield* findUsageRange(query), query)
    },
  }
}

/** See {@link createUsagePlans}. */
export type UsagePlans = ReturnType<typeof createUsagePlans>

function compileSum(db: Kysely<RuntimeTables>, field: JournalField, shape: UsageShape) {
  const name = sql`substr(timestamp, 1, ${sql.lit(startLength[shape.interval])})`
  const agent = sql`coalesce(${field('agent_id')}, '')`
  const model = sql`coalesce(${field('model')}, '')`
  const user = shape.byUsers ? sql`coalesce(${field('user_id')}, '')` : sql`''`
  // the parts that all rows of a sum share; a constant would be taken for the number of a column
  const group = sql.join([name, agent, model, ...(shape.byUsers ? [user] : [])])
  const sum = (key: string) => sql`cast(coalesce(sum(cast(${field(key)} as bigint)), 0) as bigint)`
  return compileStatement<UsageArgs, UsageRow>('read', (args) => ({
    compile: () =>
      sql<UsageRow>`select ${name} as name, ${agent} as ${sql.id('agentId')}, ${model} as model,
        ${user} as ${sql.id('user')}, count(*) as calls, ${sum('input_tokens')} as ${sql.id('inputTokens')},
        ${sum('output_tokens')} as ${sql.id('outputTokens')},
        ${sum('cached_input_tokens')} as ${sql.id('cachedInputTokens')},
        ${sum('cache_write_input_tokens')} as ${sql.id('cacheWriteInputTokens')},
        ${sum('reasoning_tokens')} as ${sql.id('reasoningTokens')},
        cast(coalesce(sum(round(cast(${field('cost_usd')} as numeric) * 1000000)), 0) as bigint) as ${sql.id('microUsd')},
        count(${field('cost_usd')}) as ${sql.id('pricedCalls')}
        from journal
        where seq >= ${args.first} and seq <= ${args.last} and type = 'model.completed'
          and timestamp >= ${args.from} and timestamp < ${args.to}
          ${shape.byAgent ? sql`and ${field('agent_id')} = ${args.agentId}` : sql``}
          ${shape.byModel ? sql`and ${field('model')} = ${args.model}` : sql``}
          ${shape.byUser ? sql`and ${field('user_id')} = ${args.userId}` : sql``}
        group by ${group}
        order by ${group} limit ${args.limit}`.compile(db),
  }))
}
