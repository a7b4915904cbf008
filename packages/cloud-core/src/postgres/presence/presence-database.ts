import { sql } from 'kysely'
import { connect, createPostgresBuilder, createReader, createWriter, migrate } from '@homeward/kit/postgres'
import type { Connections, RunStep } from '@homeward/kit/postgres'
import { all, change } from '@homeward/kit/sql'
import type { CloudSignal } from '../../ports/cloud-signal.ts'
import type { HeartbeatWrite } from '../../ports/device-store.ts'
import type { OfflineClaim, PresenceHistory } from '../../ports/presence-store.ts'
import type { CloudTables } from '../../sql/schema.ts'
import { toPresenceHistory } from '../../sql/presence-history.ts'
import { connectionDefaults, type PresenceSettings } from '../connection-settings.ts'
import { createReadTogether } from '../read-together.ts'
import { createTouchPlan } from '../touch-plan.ts'
import { createPresenceStatements, presenceMigrations, type PresenceRow } from './presence-statements.ts'

/** When devices were last seen, in a database that holds nothing else. It does not know which devices exist. */
export interface PresenceDatabase {
  /** Milliseconds since the epoch, by the id of the device. Devices that were never seen are left out. */
  find(deviceIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** The same for one device, in one statement with others that are asked for at the same moment. */
  findOne(deviceId: string, signal?: AbortSignal): Promise<number | undefined>
  list(after: string, limit: number): Promise<readonly PresenceRow[]>
  touch(batch: readonly HeartbeatWrite[], latest: string): Promise<void>
  claim(claim: OfflineClaim): Promise<readonly PresenceRow[]>
  /** @returns how many were removed */
  remove(deviceIds: readonly string[]): Promise<number>
  findHistory(deviceId: string): Promise<PresenceHistory | undefined>
  close(): Promise<void>
}

/** Connects to a presence database. Its schema is named after that of the cloud unless the settings name one. */
export function connectPresence(settings: PresenceSettings, schema: string): Promise<Connections> {
  return connect(settings, {
    ...connectionDefaults,
    schema: `${schema}_presence`,
    maxConnections: 4,
    leastConnections: 2,
  })
}

/** Opens the table, and makes it if it is missing. */
export async function openPresenceDatabase(
  connections: Connections,
  runStep: RunStep,
  random: () => number,
): Promise<PresenceDatabase> {
  const builder = createPostgresBuilder<CloudTables>()
  await migrate(connections, builder, presenceMigrations, `presence ${connections.schema}`)
  const { pool, maxConnections } = connections
  const statements = createPresenceStatements(builder)
  const touchPlan = createTouchPlan(builder, sql`true`)
  function* removePlan(ids: readonly string[]) {
    const removed = yield* change(statements.remove, { ids })
    yield* all(statements.removeGaps, { ids })
    return removed
  }
  const read = createReader({ pool, runStep })
  const write = createWriter<CloudSignal>({ pool, runStep, emit: () => {}, missed: [], random })
  const find = async (ids: readonly string[]): Promise<ReadonlyMap<string, number>> => {
    if (ids.length === 0) return new Map()
    const rows = await read(() => all(statements.find, { ids }))
    return new Map(rows.map(({ deviceId, lastSeenMs }) => [deviceId, lastSeenMs]))
  }
  const together = createReadTogether<string, number | undefined>(
    async (ids) => {
      const seen = await find([...new Set(ids)])
      return ids.map((id) => seen.get(id))
    },
    Math.max(1, Math.floor(maxConnections / 2)),
  )

  return {
    find,
    findOne: (deviceId, signal) => together.ask(deviceId, signal),
    list: (after, limit) => read(() => all(statements.list, { after, limit })),
    async touch(batch, latest) {
      if (batch.length > 0) await write(() => touchPlan(batch, latest))
    },
    claim({ deviceIds, seenBefore, now }) {
      const times = { beforeMs: Date.parse(seenBefore), nowMs: Date.parse(now) }
      return write(() => all(statements.claim, { ids: deviceIds, ...times }))
    },
    async remove(ids) {
      return ids.length === 0 ? 0 : write(() => removePlan(ids))
    },
    async findHistory(deviceId) {
      return toPresenceHistory(await read(() => all(statements.findHistory, { deviceId })))
    },
    close: () => pool.end(),
  }
}
