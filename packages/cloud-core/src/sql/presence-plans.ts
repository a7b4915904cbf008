import type { Kysely } from 'kysely'
import { all, compileStatement, each, limitTo } from '@homeward/kit/sql'
import type { OfflineClaim, OfflineDevice, PresenceHistory, StoredPresence } from '../ports/presence-store.ts'
import type { Plan } from './plan.ts'
import { compileFindHistory, compileForgetGaps, toPresenceHistory } from './presence-history.ts'
import type { CloudTables } from './schema.ts'
import { toOfflineEvent } from '../webhooks/to-webhook-event.ts'
import type { createCloudWebhookPlans } from './webhook-plans.ts'

interface PresenceRow {
  deviceId: string
  lastSeenMs: number
  offlineMs: number | null
}

/** The verbs of `PresenceStore` as plans. */
export function createPresencePlans(
  db: Kysely<CloudTables>,
  { addWebhookEvents }: Pick<ReturnType<typeof createCloudWebhookPlans>, 'addWebhookEvents'>,
) {
  const statements = createPresenceStatements(db)
  const findHistory = compileFindHistory(db)

  return {
    *listPresence(after: string, limit: number): Plan<readonly StoredPresence[]> {
      const rows = yield* all(statements.list, { after, limit })
      return rows.map((row) => toPresence(row, row.owner))
    },

    *findPresence(deviceId: string): Plan<PresenceHistory | undefined> {
      return toPresenceHistory(yield* all(findHistory, { deviceId }))
    },

    *claimOffline({ deviceIds, seenBefore, now }: OfflineClaim): Plan<readonly OfflineDevice[]> {
      const times = { beforeMs: Date.parse(seenBefore), nowMs: Date.parse(now) }
      // In one order, so that two claims of the same devices do not wait for each other.
      const ids = [...new Set(deviceIds)].toSorted().map((deviceId) => ({ deviceId }))
      if (ids.length === 0) return []
      const claimed = yield* each(
        statements.claim,
        ids.map((id) => ({ ...id, ...times })),
      )
      if (claimed.length === 0) return []
      const owners = yield* each(statements.findOwner, claimed)
      const byId = new Map(owners.map(({ deviceId, owner }) => [deviceId, owner]))
      const devices = claimed.flatMap((row) => {
        const owner = byId.get(row.deviceId)
        return owner === undefined ? [] : [{ ...toPresence(row, owner), owner }]
      })
      yield* addWebhookEvents(devices.map((device) => toOfflineEvent(device, now)))
      return devices
    },

    *removePresence(deviceIds: readonly string[]): Plan<number> {
      if (deviceIds.length === 0) return 0
      const ids = [...new Set(deviceIds)].toSorted().map((deviceId) => ({ deviceId }))
      const removed = yield* each(statements.removeLost, ids)
      if (removed.length > 0) yield* each(statements.removeGaps, removed)
      return removed.length
    },
  }
}

function createPresenceStatements(db: Kysely<CloudTables>) {
  const columns = [
    'presence.device_id as deviceId',
    'last_seen_ms as lastSeenMs',
    'offline_ms as offlineMs',
  ] as const
  return {
    list: compileStatement<{ after: string; limit: number }, PresenceRow & { owner: string | null }>(
      'read',
      ({ after, limit }) =>
        db
          .selectFrom('presence')
          .leftJoin('devices', 'devices.id', 'presence.device_id')
          .select([...columns, 'devices.owner'])
          .where('presence.device_id', '>', after)
          .orderBy('presence.device_id')
          .limit(limitTo(limit)),
    ),
    claim: compileStatement<{ deviceId: string; beforeMs: number; nowMs: number }, PresenceRow>(
      'write',
      ({ deviceId, beforeMs, nowMs }) =>
        db
          .updateTable('presence')
          .set({ offline_ms: nowMs })
          .where('device_id', '=', deviceId)
          .where('last_seen_ms', '<', beforeMs)
          .where('offline_ms', 'is', null)
          .returning(columns),
    ),
    findOwner: compileStatement<{ deviceId: string }, { deviceId: string; owner: string }>(
      'read',
      ({ deviceId }) =>
        db.selectFrom('devices').select(['id as deviceId', 'owner']).where('id', '=', deviceId),
    ),
    removeLost: compileStatement<{ deviceId: string }, { deviceId: string }>('write', ({ deviceId }) =>
      db
        .deleteFrom('presence')
        .where('device_id', '=', deviceId)
        .where((eb) =>
          eb.not(
            eb.exists(
              eb.selectFrom('devices').select('id').whereRef('devices.id', '=', 'presence.device_id'),
            ),
          ),
        )
        .returning('device_id as deviceId'),
    ),
    removeGaps: compileForgetGaps(db),
  }
}

function toPresence(row: PresenceRow, owner: string | null): StoredPresence {
  const { deviceId, lastSeenMs, offlineMs } = row
  return { deviceId, owner, lastSeenAt: new Date(lastSeenMs).toISOString(), isReported: offlineMs !== null }
}
