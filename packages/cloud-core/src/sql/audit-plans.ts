import type { AuditEntry, AuditedDevices } from '@homeward/contract/device-cloud'
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { all, compileStatement, each, limitTo } from '@homeward/kit/sql'
import type { AuditFilter, NewAuditEntry } from '../ports/audit-store.ts'
import type { Page, PageRequest } from '../ports/page.ts'
import { toPage } from './page.ts'
import type { Plan } from './plan.ts'
import type { RowLocks } from './row-locks.ts'
import { type CloudTables, auditColumns } from './schema.ts'
import { namesAll } from '../audit/audited-devices.ts'

/** More than one expired entry goes for each that comes, so the table stays bounded. */
const sweepAtOnce = 16
/** Behind every timestamp. */
const endOfTime = '~'

interface ListArgs {
  userId: string
  action: string
  deviceId: string
  /** The same as it stands in a list of JSON. */
  deviceText: string
  actor: string
  from: string
  to: string
  afterCreatedAt: string
  afterId: string
  now: string
  limit: number
}
interface ListShape {
  readonly action: boolean
  readonly deviceId: boolean
  readonly actor: boolean
  readonly after: boolean
}

/** The verbs of `AuditStore` as plans, and the part of other verbs that records them. */
export function createAuditPlans(db: Kysely<CloudTables>, locks: RowLocks) {
  const insert = compileInsert(db)
  const sweep = compileSweep(db, locks)
  const lists = new Map<string, ReturnType<typeof compileList>>()
  const listOf = (shape: ListShape) => {
    const key = JSON.stringify(shape)
    const list = lists.get(key) ?? compileList(db, shape)
    lists.set(key, list)
    return list
  }

  function* appendAudit(entries: readonly NewAuditEntry[] = []): Plan<void> {
    const [entry] = entries
    if (entry === undefined) return
    yield* each(insert, entries.map(toAuditRow))
    const expired = yield* all(sweep.find, { now: entry.createdAt, limit: entries.length + sweepAtOnce })
    if (expired.length > 0) yield* each(sweep.forget, expired)
  }

  return {
    appendAudit,

    *listAudit(userId: string, filter: AuditFilter, page: PageRequest, now: string): Plan<Page<AuditEntry>> {
      const { action, deviceId, actor, from = '', to = endOfTime } = filter
      const shape = {
        action: action !== undefined,
        deviceId: deviceId !== undefined,
        actor: actor !== undefined,
        after: page.after !== undefined,
      }
      const rows = yield* all(listOf(shape), {
        userId,
        action: action ?? '',
        deviceId: deviceId ?? '',
        deviceText: JSON.stringify(deviceId ?? ''),
        actor: actor ?? '',
        from,
        to,
        afterCreatedAt: page.after?.createdAt ?? '',
        afterId: page.after?.id ?? '',
        now,
        limit: page.limit + 1,
      })
      return toPage(rows, page.limit, toAuditEntry)
    },
  }
}

/** See {@link createAuditPlans}. */
export type AppendAudit = ReturnType<typeof createAuditPlans>['appendAudit']

function compileInsert(db: Kysely<CloudTables>) {
  return compileStatement<NewAuditRow, never>('write', (entry) =>
    db.insertInto('audit').values({
      id: entry.id,
      owner: entry.userId,
      actor: entry.actor,
      created_at: entry.createdAt,
      expires_at: entry.expiresAt,
      action: entry.action,
      outcome: entry.outcome,
      reason: entry.reason,
      device_id: entry.deviceId,
      devices: entry.devices,
      names_all: entry.namesAll,
      subject_id: entry.subjectId,
      name: entry.name,
      address: entry.address,
    }),
  )
}

function compileSweep(db: Kysely<CloudTables>, locks: RowLocks) {
  return {
    find: compileStatement<{ now: string; limit: number }, { id: string }>('read', ({ now, limit }) =>
      locks.whereFree(
        db
          .selectFrom('audit')
          .select('id')
          .where('expires_at', '<=', now)
          .orderBy('expires_at')
          .limit(limitTo(limit)),
      ),
    ),
    forget: compileStatement<{ id: string }, never>('write', ({ id }) =>
      db.deleteFrom('audit').where('id', '=', id),
    ),
  }
}

function compileList(db: Kysely<CloudTables>, shape: ListShape) {
  return compileStatement<ListArgs, AuditRow>('read', (slots) => {
    const listed = newestEntries(db, shape, slots)
    if (!shape.deviceId) return listed.select(auditColumns)
    const ids = listed.select(['audit.id'])
    const one = ids.where('device_id', '=', slots.deviceId)
    // An id stands in the list if taking it out changes the list: the one way to look that all databases share.
    const isNamed = sql<boolean>`replace(devices, ${slots.deviceText}, '') <> devices`
    const several = ids
      .where('devices', 'is not', null)
      .where((eb) => eb.or([eb('names_all', '=', 0), isNamed]))
    return newestFirst(
      db
        .selectFrom('audit')
        .select(auditColumns)
        .where(
          'id',
          'in',
          sql<string>`(select id from (${one}) as one union all select id from (${several}) as several)`,
        ),
      slots,
    )
  })
}

function newestEntries(db: Kysely<CloudTables>, shape: ListShape, slots: ListArgs) {
  const found = db
    .selectFrom('audit')
    .where('owner', '=', slots.userId)
    // The slot poses as text; the column knows the few words that it may hold.
    .$if(shape.action, (query) => query.where('action', '=', slots.action as AuditEntry['action']))
    .$if(shape.actor, (query) => query.where('actor', '=', slots.actor))
    .where('created_at', '>=', slots.from)
    .where('created_at', '<', slots.to)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', slots.now)]))
    .$if(shape.after, (query) =>
      query.where((eb) =>
        eb(eb.refTuple('created_at', 'id'), '<', eb.tuple(slots.afterCreatedAt, slots.afterId)),
      ),
    )
  return newestFirst(found, slots)
}

function newestFirst<Row>(query: SelectQueryBuilder<CloudTables, 'audit', Row>, { limit }: ListArgs) {
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limitTo(limit))
}

/** An entry as it lies in its table: `devices` as JSON text. */
type AuditRow = Omit<AuditEntry, 'actor' | 'devices'> & {
  readonly actor: string | null
  readonly devices: string | null
}

/** An entry as it is added to its table. */
interface NewAuditRow extends AuditRow, Pick<NewAuditEntry, 'expiresAt'> {
  /** 1 where `devices` names all of them, 0 where there were more. */
  readonly namesAll: number | null
}

/** Row of a new entry. */
function toAuditRow({ actor, devices, ...entry }: NewAuditEntry): NewAuditRow {
  const named = devices === undefined ? null : Number(namesAll(devices))
  return {
    ...entry,
    actor: actor ?? null,
    devices: devices === undefined ? null : JSON.stringify(devices),
    namesAll: named,
  }
}

/** The entry of a row. What does not hold for it is left out: it reads as it did before there were such fields. */
function toAuditEntry({ actor, devices, ...entry }: AuditRow): AuditEntry {
  return {
    ...entry,
    ...(actor === null ? undefined : { actor }),
    // Written by `JSON.stringify` from an entry.
    ...(devices === null ? undefined : { devices: JSON.parse(devices) as AuditedDevices }),
  }
}
