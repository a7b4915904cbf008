import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { all, compileStatement, each, first, limitTo } from '@homeward/kit/sql'
import type { SettledGroups } from '../ports/group-store.ts'
import type { Plan } from './plan.ts'
import type { CloudTables } from './schema.ts'

/** Expired groups in one look. */
export const settledAtOnce = 100

interface Owned {
  id: string
  owner: string
}

/** The verb `settleGroups` as a plan. */
export function createSettledGroupPlans(db: Kysely<CloudTables>) {
  // A literal, not a parameter: that is how the query planner sees that a partial index will do.
  const search = sql.lit<'search'>('search')
  const open = db.selectFrom('work_groups').where('settled_at', 'is', null).where('kind', '=', search)
  const listOver = compileStatement<{ now: string; limit: number }, { id: string }>(
    'read',
    ({ now, limit }) =>
      open
        .select('id')
        .where('expires_at', '<=', now)
        .orderBy('expires_at')
        .orderBy('id')
        .limit(limitTo(limit)),
  )
  const findNext = compileStatement<{ now: string }, { at: string | null }>('read', ({ now }) =>
    open.select((eb) => eb.fn.min('expires_at').as('at')).where('expires_at', '>', now),
  )
  const settle = compileStatement<{ id: string; now: string }, Owned>('write', ({ id, now }) =>
    db
      .updateTable('work_groups')
      .set({ settled_at: now })
      .where('id', '=', id)
      .where('kind', '=', search)
      .where('settled_at', 'is', null)
      .where((eb) => eb.or([eb('task', 'is', null), eb('expires_at', '<=', now)]))
      .where(({ not, exists }) =>
        not(
          exists(
            db
              .selectFrom('waiting_searches as waiting')
              .select('waiting.id')
              .where('waiting.group_id', '=', id)
              .where('waiting.expires_at', '>', now),
          ),
        ),
      )
      .returning(['id', 'owner']),
  )

  return {
    *settleGroups(ids: readonly string[], now: string): Plan<SettledGroups> {
      const over = yield* all(listOver, { now, limit: settledAtOnce })
      const candidates = [...new Set([...ids, ...over.map(({ id }) => id)])].toSorted()
      const settled =
        candidates.length === 0
          ? []
          : yield* each(
              settle,
              candidates.map((id) => ({ id, now })),
            )
      if (over.length === settledAtOnce) return { settled, nextAt: now }
      return { settled, nextAt: (yield* first(findNext, { now }))?.at ?? null }
    },
  }
}
