import type { Kysely, RawBuilder } from 'kysely'
import { sql } from 'kysely'
import { all, compileStatement } from '@homeward/kit/sql'
import type { TouchPlan } from '../sql/dialect.ts'
import { compilePruneGaps } from '../sql/presence-history.ts'
import type { CloudTables } from '../sql/schema.ts'

/** Heartbeats in one statement. */
const maxTogether = 5000

interface TouchArgs {
  ids: readonly string[]
  times: readonly number[]
  returnedIds: readonly string[]
  returnTimes: readonly number[]
  silentBefore: readonly number[]
  latestMs: number
}

/**
 * A whole batch in one statement. It locks the rows in the order of their ids, or two processes with the same devices in
 * their batches would wait for each other. Of two that end the same gap, the first one to commit writes it.
 *
 * @param isKnown Whether the device of `beats.id` exists.
 */
export function createTouchPlan(db: Kysely<CloudTables>, isKnown: RawBuilder<boolean>): TouchPlan {
  const touch = compileTouch(db, isKnown)
  const prune = compilePruneGaps<{ ids: readonly string[]; latestMs: number }>(
    db,
    ({ ids }) => sql`device_id = any(${ids}::text[])`,
  )
  return function* (batch, latest) {
    const latestMs = Date.parse(latest)
    for (let start = 0; start < batch.length; start += maxTogether) {
      const part = batch.slice(start, start + maxTogether)
      const returns = part.flatMap(({ deviceId, returned }) =>
        returned
          ? [{ deviceId, atMs: Date.parse(returned.at), beforeMs: Date.parse(returned.silentBefore) }]
          : [],
      )
      const returnedIds = returns.map(({ deviceId }) => deviceId)
      yield* all(touch, {
        ids: part.map(({ deviceId }) => deviceId),
        times: part.map(({ lastSeenAt }) => Date.parse(lastSeenAt)),
        returnedIds,
        returnTimes: returns.map(({ atMs }) => atMs),
        silentBefore: returns.map(({ beforeMs }) => beforeMs),
        latestMs,
      })
      if (returnedIds.length > 0) yield* all(prune, { ids: returnedIds, latestMs })
    }
  }
}

function compileTouch(db: Kysely<CloudTables>, isKnown: RawBuilder<boolean>) {
  return compileStatement<TouchArgs, unknown>('write', (args) => ({
    compile: () =>
      sql`with ended as (
          insert into presence_gaps (device_id, from_ms, to_ms)
          select presence.device_id, presence.last_seen_ms, returned.at
          from unnest(${args.returnedIds}::text[], ${args.returnTimes}::bigint[], ${args.silentBefore}::bigint[])
            as returned (id, at, silent_before)
          join presence on presence.device_id = returned.id
          where presence.last_seen_ms < returned.silent_before order by returned.id
          on conflict do nothing
        )
        insert into presence (device_id, last_seen_ms, first_seen_ms)
          select beats.id, beats.at, beats.at
          from unnest(${args.ids}::text[], ${args.times}::bigint[]) as beats (id, at)
          where ${isKnown} order by beats.id
          on conflict (device_id) do update set last_seen_ms = excluded.last_seen_ms, offline_ms = null,
            first_seen_ms = least(presence.first_seen_ms, excluded.first_seen_ms)
          where presence.last_seen_ms < excluded.last_seen_ms or presence.last_seen_ms > ${args.latestMs}`.compile(
        db,
      ),
  }))
}
