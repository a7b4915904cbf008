import type { SearchRequest, UploadRequest } from '@homeward/contract/device-cloud'
import type { Kysely, RawBuilder } from 'kysely'
import { sql } from 'kysely'
import { all, compileStatement, type Statement } from '@homeward/kit/sql'
import type { Read } from '@homeward/kit/postgres'
import type { CloudStore, PendingCounts } from '../ports/cloud-store.ts'
import type { DeviceByKey } from '../ports/device-store.ts'
import { toDeviceByKey, type DeviceRow } from '../sql/device-row.ts'
import { deviceColumns, type CloudTables } from '../sql/schema.ts'
import { toSearchRequest, type SearchRow } from '../sql/search-row.ts'
import { toUploadRequest, type UploadRow } from '../sql/upload-row.ts'
import { latestLeaseEnd } from '../uploads/lease-times.ts'
import { createReadTogether } from './read-together.ts'

/** A row and the place, from 1, of the question that it answers. */
type Placed<Row> = Row & { readonly place: number }

const free = sql`(lease_until is null or lease_until <= asked.now or lease_until > asked.latest_lease)`

/** How to ask. */
interface FleetReadsOptions {
  readonly db: Kysely<CloudTables>
  readonly read: Read
  /** Statements of a kind at the same time. */
  readonly lanes: number
}

/** The methods of a store that devices ask for. */
type FleetReads = Pick<
  CloudStore,
  'listPendingSearches' | 'listPendingUploads' | 'countPending' | 'findDeviceByKeyHash'
>

/**
 * What devices ask for all day: each method is one statement for all devices that ask at the same moment. Each question
 * is answered off an index, as if it stood alone.
 */
export function createFleetReads({ db, read, lanes }: FleetReadsOptions): FleetReads {
  const together = <Args, Answer>(readAll: (asked: readonly Args[]) => Promise<readonly Answer[]>) => {
    const reads = createReadTogether(readAll, lanes)
    return (args: Args, signal: AbortSignal | undefined) => reads.ask(args, signal)
  }
  const searches = together(
    pendingReader<SearchRow, SearchRequest>(read, compileSearches(db), toSearchRequest),
  )
  const uploads = together(pendingReader<UploadRow, UploadRequest>(read, compileUploads(db), toUploadRequest))
  const counts = together(countReader(read, compileCounts(db)))
  const devices = together(deviceReader(read, compileDevices(db)))
  return {
    listPendingSearches: (deviceId, limit, now, signal) => searches({ deviceId, limit, now }, signal),
    listPendingUploads: (deviceId, limit, now, signal) => uploads({ deviceId, limit, now }, signal),
    countPending: (deviceId, now, signal) => counts({ deviceId, now }, signal),
    findDeviceByKeyHash: (hash, now, signal) => devices({ hash, now }, signal),
  }
}

interface PendingQuestion {
  readonly deviceId: string
  readonly limit: number
  readonly now: string
}
interface PendingArgs {
  deviceIds: readonly string[]
  limits: readonly number[]
  times: readonly string[]
  latestLeases: readonly string[]
}
type Pending<Row> = Statement<PendingArgs, Placed<Row>>

function pendingReader<Row, Request>(read: Read, statement: Pending<Row>, toRequest: (row: Row) => Request) {
  return async (asked: readonly PendingQuestion[]): Promise<readonly (readonly Request[])[]> => {
    const args = { ...toDevicesAndTimes(asked), limits: asked.map(({ limit }) => limit) }
    const rows = await read(() => all(statement, args))
    const answers: Request[][] = asked.map(() => [])
    for (const row of rows) answers[row.place - 1]?.push(toRequest(row))
    return answers
  }
}

function countReader(read: Read, statement: Statement<Omit<PendingArgs, 'limits'>, Placed<PendingCounts>>) {
  return async (asked: readonly Omit<PendingQuestion, 'limit'>[]): Promise<readonly PendingCounts[]> => {
    const rows = await read(() => all(statement, toDevicesAndTimes(asked)))
    return rows.map((row) => ({ searches: row.searches, uploads: row.uploads }))
  }
}

function deviceReader(read: Read, statement: Statement<{ hashes: readonly string[] }, Placed<DeviceRow>>) {
  return async (
    asked: readonly { readonly hash: string; readonly now: string }[],
  ): Promise<readonly (DeviceByKey | undefined)[]> => {
    const rows = await read(() => all(statement, { hashes: asked.map(({ hash }) => hash) }))
    const byPlace = new Map(rows.map((row) => [row.place, row]))
    return asked.map(({ hash, now }, index) => {
      const row = byPlace.get(index + 1)
      return row === undefined ? undefined : toDeviceByKey(row, hash, now)
    })
  }
}

function toDevicesAndTimes(asked: readonly { readonly deviceId: string; readonly now: string }[]) {
  const times = asked.map(({ now }) => now)
  return { deviceIds: asked.map(({ deviceId }) => deviceId), times, latestLeases: times.map(latestLeaseEnd) }
}

function compileSearches(db: Kysely<CloudTables>): Pending<SearchRow> {
  return compilePending(
    db,
    sql`select searches.id, query, scope, selection, actor, searches.created_at as "createdAt"
    from waiting_searches as waiting join searches on searches.id = waiting.id
    where waiting.device_id = asked.device_id and waiting.expires_at > asked.now
    order by waiting.created_at, waiting.id`,
  )
}

function compileUploads(db: Kysely<CloudTables>): Pending<UploadRow> {
  return compilePending(
    db,
    sql`select id, file_path as "filePath", destination, actor, created_at as "createdAt" from uploads
    where device_id = asked.device_id and status = 'pending' and expires_at > asked.now and ${free}
    order by created_at, id`,
  )
}

function compilePending<Row>(db: Kysely<CloudTables>, open: RawBuilder<unknown>): Pending<Row> {
  return compileStatement<PendingArgs, Placed<Row>>('read', ({ deviceIds, limits, times, latestLeases }) => ({
    compile: () =>
      sql<Placed<Row>>`select asked.place, found.* from
        unnest(${deviceIds}::text[], ${times}::text[], ${latestLeases}::text[], ${limits}::bigint[])
          with ordinality as asked (device_id, now, latest_lease, most, place)
        cross join lateral (${open} limit asked.most) as found
        order by asked.place, found."createdAt", found.id`.compile(db),
  }))
}

function compileCounts(db: Kysely<CloudTables>) {
  return compileStatement<Omit<PendingArgs, 'limits'>, Placed<PendingCounts>>(
    'read',
    ({ deviceIds, times, latestLeases }) => ({
      compile: () =>
        sql<Placed<PendingCounts>>`select asked.place,
          (select count(*) from waiting_searches
            where device_id = asked.device_id and expires_at > asked.now) as searches,
          (select count(*) from uploads
            where device_id = asked.device_id and status = 'pending' and expires_at > asked.now and ${free}) as uploads
          from unnest(${deviceIds}::text[], ${times}::text[], ${latestLeases}::text[])
            with ordinality as asked (device_id, now, latest_lease, place)
          order by asked.place`.compile(db),
    }),
  )
}

function compileDevices(db: Kysely<CloudTables>) {
  const asked = sql.ref<string>('asked.hash')
  return compileStatement<{ hashes: readonly string[] }, Placed<DeviceRow>>('read', ({ hashes }) => ({
    compile: () =>
      sql<Placed<DeviceRow>>`select asked.place, found.* from
        unnest(${hashes}::text[]) with ordinality as asked (hash, place)
        cross join lateral (
          ${db
            .selectFrom('devices')
            .select(deviceColumns)
            .where((eb) => eb.or([eb('key_hash', '=', asked), eb('previous_hash', '=', asked)]))}
        ) as found`.compile(db),
  }))
}
