import { compileStatement, first } from '@homeward/kit/sql'
import { type Kysely, sql } from 'kysely'
import type { Backlog, WaitingCount } from '../../ports/usage-store.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'

/** Rows that are looked at; more are not counted. */
const mostRows = 10_000

interface BacklogRow {
  readonly tasks: number
  readonly task_at: string | null
  readonly messages: number
  readonly message_at: string | null
  readonly approvals: number
  readonly approval_at: string | null
}

/** What waits, as a plan: each count reads an index that holds open rows only. */
export function createBacklogPlans(db: Kysely<RuntimeTables>) {
  const counts = compileStatement<{ now: string }, BacklogRow>('read', ({ now }) => {
    const most = sql.lit(mostRows)
    return db
      .selectFrom(
        sql<{ tasks: number; task_at: string | null }>`(
          select cast(count(*) as integer) as tasks, min(run_at) as task_at from (
            select run_at from tasks where status in ('queued', 'failed') and status = 'queued' order by seq limit ${most}) as queued
          where run_at <= ${now})`.as('t'),
      )
      .crossJoin(
        sql<{ messages: number; message_at: string | null }>`(
          select cast(count(*) as integer) as messages, min(updated_at) as message_at from (
            select updated_at from channel_messages where open = 1 order by channel, seq limit ${most}) as open_messages)`.as(
          'm',
        ),
      )
      .crossJoin(
        sql<{ approvals: number; approval_at: string | null }>`(
          select cast(count(*) as integer) as approvals, min(created_at) as approval_at from (
            select created_at from waits where status = 'open' and kind = 'approval' order by seq limit ${most}) as open_approvals)`.as(
          'a',
        ),
      )
      .select(['tasks', 'task_at', 'messages', 'message_at', 'approvals', 'approval_at'])
  })

  return {
    *readBacklog(now: string): Plan<Backlog> {
      const row = yield* first(counts, { now })
      return {
        tasks: toCount(row?.tasks, row?.task_at),
        messages: toCount(row?.messages, row?.message_at),
        approvals: toCount(row?.approvals, row?.approval_at),
      }
    },
  }
}

const toCount = (count = 0, oldestAt: string | null = null): WaitingCount => ({
  count,
  oldestAt: oldestAt ?? undefined,
})
