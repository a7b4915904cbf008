import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { all, compileStatement, each, first, limitTo, emit } from '@homeward/kit/sql'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { RemovedRows } from '../ports/retention-store.ts'
import type { CloudPlanParts } from './cloud-plans.ts'
import type { Plan } from './plan.ts'
import { compileForgetPresence } from './presence-history.ts'
import {
  compileBlobRemovals,
  compileDeleteWebhook,
  compileDeleteWork,
  compileDisown,
  deviceIdsOf,
  type FilesOfRow,
  toBlobIds,
} from './removal-statements.ts'
import { nobody } from './retention-tables.ts'
import type { RowLocks } from './row-locks.ts'
import type { CloudTables } from './schema.ts'

interface OwnerArgs {
  owner: string
  limit: number
}

/** Deleted devices whose rows go together: many that left a few rows each must not take a transaction each. */
const maxDevices = 50

const none: RemovedRows = { rows: 0, hashes: [], deviceIds: [] }

/** The verbs of `RetentionStore` that remove what was deleted or erased, as plans. */
export function createRemovalPlans(db: Kysely<CloudTables>, { dialect, appendAudit }: CloudPlanParts) {
  const { locks } = dialect
  const removals = compileBlobRemovals(db)
  const ofDevice = compileDeleteWork(db, locks, 'device_id')
  const ofOwner = compileDeleteWork(db, locks, 'owner')
  const statements = createRemovalStatements(db, locks)
  const ownedTables = compileOwnedTables(db)
  const forgetPresence = compileForgetPresence(db)
  const disowning = [...compileDisown(db), ...forgetPresence]

  /** What deleted devices left, the same share of rows for each of them; a device itself with the last of its rows. */
  function* removeOfDevices(deviceIds: readonly string[], limit: number): Plan<RemovedRows> {
    const share = Math.max(1, Math.floor(limit / deviceIds.length))
    const args = deviceIds.map((value) => ({ value, limit: share }))
    const searches = yield* each(ofDevice.searches, args)
    const uploads = yield* each(ofDevice.uploads, args)
    yield* removals.note(toBlobIds([...searches, ...uploads]))
    const mayHaveMore = new Set([...deviceIdsOf(searches, share), ...deviceIdsOf(uploads, share)])
    const ended = deviceIds.filter((id) => !mayHaveMore.has(id)).map((deviceId) => ({ deviceId }))
    if (ended.length > 0) {
      yield* each(statements.deleteDevice, ended)
      for (const statement of forgetPresence) yield* each(statement, ended)
    }
    return { ...none, rows: searches.length + uploads.length + ended.length }
  }

  /** Takes keys and tokens from an owner: nobody comes in any more. */
  function* removeAccess(owner: string, limit: number): Plan<RemovedRows> {
    const webhooks = yield* all(statements.deleteWebhooks, { owner })
    if (webhooks.length > 0) return { ...none, rows: webhooks.length }
    const devices = yield* all(statements.findDevices, { owner, limit })
    if (devices.length > 0) {
      for (const statement of disowning) yield* each(statement, devices)
      yield* removals.note(toBlobIds(devices))
      const hashes = devices.flatMap(({ keyHash, previousHash }) =>
        previousHash === null ? [keyHash] : [keyHash, previousHash],
      )
      yield* emit({ topic: 'keys', hashes })
      return { rows: devices.length, hashes, deviceIds: devices.map(({ deviceId }) => deviceId) }
    }
    yield* all(statements.deleteEnrollmentTokens, { owner })
    const hashes = (yield* all(statements.deleteTokens, { owner })).map(({ hash }) => hash)
    if (hashes.length > 0) yield* emit({ topic: 'keys', hashes })
    return { ...none, rows: hashes.length, hashes }
  }

  /** Some rows of an owner; with the last of them the erasure is over. */
  function* removeOfOwner(owner: string, limit: number): Plan<RemovedRows> {
    for (const statement of [ofOwner.searches, ofOwner.uploads]) {
      const rows = yield* all(statement, { value: owner, limit })
      yield* removals.note(toBlobIds(rows))
      if (rows.length > 0) return { ...none, rows: rows.length }
    }
    for (const statement of ownedTables) {
      const rows = yield* all(statement, { owner, scope: scopeOf(owner), limit })
      if (rows.length > 0) return { ...none, rows: rows.length }
    }
    const ended = yield* first(statements.endErasure, { owner })
    // Written by `JSON.stringify` from an entry.
    if (ended !== undefined) yield* appendAudit([JSON.parse(ended.entry) as NewAuditEntry])
    return { ...none, rows: 1 }
  }

  return {
    *beginErasure(owner: string, entry: NewAuditEntry): Plan<void> {
      yield* all(statements.beginErasure, { owner, entry: JSON.stringify(entry) })
    },

    *removeSome(limit: number): Plan<RemovedRows> {
      const erasure = yield* first(statements.findErasure, {})
      const access = erasure && (yield* removeAccess(erasure.owner, limit))
      if (access && access.rows > 0) return access
      const args = { owner: nobody, limit: Math.min(limit, maxDevices) }
      const devices = (yield* all(statements.findDeleted, args)).map(({ deviceId }) => deviceId)
      if (devices.length > 0) return yield* removeOfDevices(devices, limit)
      return erasure === undefined ? none : yield* removeOfOwner(erasure.owner, limit)
    },

    *hasLeftovers(): Plan<boolean> {
      return (yield* first(statements.findLeftover, {})) !== undefined
    },

    *isErased(owner: string): Plan<boolean> {
      return (yield* first(statements.findErasureOf, { owner })) === undefined
    },

    listBlobRemovals: removals.list,
    confirmBlobRemovals: removals.confirm,
  }
}

/** What the scope of every creation of an owner begins with: see `toOnce`. */
function scopeOf(owner: string): string {
  return JSON.stringify([owner]).slice(0, -1) + ','
}

/**
 * Tables whose rows are an owner's and have nothing else to go with them: a table that is added with an `owner` belongs
 * here, or above.
 */
function compileOwnedTables(db: Kysely<CloudTables>) {
  type Args = OwnerArgs & { scope: string }
  return [
    compileStatement<Args, unknown>('write', ({ owner, limit }) =>
      db
        .deleteFrom('audit')
        .where('id', 'in', (eb) =>
          eb.selectFrom('audit').select('id').where('owner', '=', owner).limit(limitTo(limit)),
        )
        .returning('id'),
    ),
    compileStatement<Args, unknown>('write', ({ owner }) =>
      db.deleteFrom('saved_searches').where('owner', '=', owner).returning('id'),
    ),
    compileStatement<Args, unknown>('write', ({ owner, limit }) =>
      db
        .deleteFrom('work_groups')
        .where('id', 'in', (eb) =>
          eb.selectFrom('work_groups').select('id').where('owner', '=', owner).limit(limitTo(limit)),
        )
        .returning('id'),
    ),
    // Those that were decided about and have no device. Few, and only for a while: there is no index for it.
    compileStatement<Args, unknown>('write', ({ owner }) =>
      db.deleteFrom('enrollments').where('owner', '=', owner).returning('id'),
    ),
    // Replies of creations, which are kept for a day at most. Their scopes begin with the owner; there is no index for it.
    compileStatement<Args, unknown>('write', ({ scope }) =>
      db
        .deleteFrom('creations')
        .where(sql<boolean>`substr(scope, 1, length(cast(${scope} as text))) = ${scope}`)
        .returning('scope'),
    ),
  ]
}

function createRemovalStatements(db: Kysely<CloudTables>, locks: RowLocks) {
  return {
    findDeleted: compileStatement<OwnerArgs, { deviceId: string }>('read', ({ owner, limit }) =>
      locks.whereFree(
        db
          .selectFrom('devices')
          .select('id as deviceId')
          .where('owner', '=', owner)
          .orderBy('created_at')
          .limit(limitTo(limit)),
      ),
    ),
    deleteDevice: compileStatement<{ deviceId: string }, unknown>('write', ({ deviceId }) =>
      db.deleteFrom('devices').where('id', '=', deviceId),
    ),
    findDevices: compileStatement<
      OwnerArgs,
      FilesOfRow & { deviceId: string; keyHash: string; previousHash: string | null }
    >('read', ({ owner, limit }) =>
      locks.toDelete(
        db
          .selectFrom('devices')
          .select([
            'id as deviceId',
            'key_hash as keyHash',
            'previous_hash as previousHash',
            'catalog_blob_id as catalogBlobId',
          ])
          .where('owner', '=', owner)
          .orderBy('created_at')
          .orderBy('id')
          .limit(limitTo(limit)),
      ),
    ),
    deleteTokens: compileStatement<{ owner: string }, { hash: string }>('write', ({ owner }) =>
      db.deleteFrom('api_tokens').where('owner', '=', owner).returning('hash'),
    ),
    deleteWebhooks: compileDeleteWebhook(db),
    deleteEnrollmentTokens: compileStatement<{ owner: string }, unknown>('write', ({ owner }) =>
      db.deleteFrom('enrollment_tokens').where('owner', '=', owner),
    ),
    beginErasure: compileStatement<{ owner: string; entry: string }, unknown>('write', ({ owner, entry }) =>
      db
        .insertInto('erasures')
        .values({ owner, entry })
        .onConflict((conflict) => conflict.doNothing()),
    ),
    findLeftover: compileStatement<object, { one: number }>('read', () => ({
      compile: () =>
        sql<{ one: number }>`select 1 as one where exists (select 1 from erasures)
          or exists (select 1 from blob_removals)
          or exists (select 1 from devices where owner = ${sql.lit(nobody)})`.compile(db),
    })),
    findErasure: compileStatement<object, { owner: string }>('read', () =>
      locks.whereFree(db.selectFrom('erasures').select('owner').limit(sql.lit(1))),
    ),
    findErasureOf: compileStatement<{ owner: string }, { owner: string }>('read', ({ owner }) =>
      db.selectFrom('erasures').select('owner').where('owner', '=', owner),
    ),
    endErasure: compileStatement<{ owner: string }, { entry: string }>('write', ({ owner }) =>
      db.deleteFrom('erasures').where('owner', '=', owner).returning('entry'),
    ),
  }
}
