import type { Kysely } from 'kysely'
import { compileStatement, limitTo } from '@homeward/kit/sql'
import { canceledSearchError } from '../searches/expiry.ts'
import type { EndingRow } from './ended-batch.ts'
import type { GroupRow, RestColumns, ShownGroupRow } from './group-row.ts'
import type { RowLocks } from './row-locks.ts'
import type { CloudTables } from './schema.ts'

const groupColumns = [
  'id',
  'owner',
  'kind',
  'query',
  'scope',
  'selection',
  'actor',
  'created_at as createdAt',
  'expires_at as expiresAt',
  'filter',
  'saved_search_id as savedSearchId',
  'unmade',
  'after_created_at as afterCreatedAt',
  'after_id as afterId',
  'task',
  'lease_id as leaseId',
  'lease_until as leaseUntil',
  'settled_at as settledAt',
] as const

/** Statements on groups. */
export function createGroupStatements(db: Kysely<CloudTables>, locks: RowLocks) {
  return {
    ...readStatements(db),
    ...writeStatements(db),
    ...endStatements(db, locks),
    ...leaseStatements(db, locks),
  }
}

/** Groups of searches that are not removed, with their counts. */
export function shownGroups(db: Kysely<CloudTables>, owner: string) {
  return db
    .selectFrom('work_groups')
    .innerJoin('group_counts', 'group_counts.group_id', 'work_groups.id')
    .select([...groupColumns, 'searches', 'pending', 'failed', 'files'])
    .where('owner', '=', owner)
    .where('kind', '=', 'search')
    .where((eb) => eb.or([eb('task', 'is', null), eb('task', '=', 'make')]))
}

function readStatements(db: Kysely<CloudTables>) {
  return {
    find: compileStatement<{ owner: string; id: string }, ShownGroupRow>('read', ({ owner, id }) =>
      shownGroups(db, owner).where('id', '=', id),
    ),
  }
}

function writeStatements(db: Kysely<CloudTables>) {
  return {
    insert: compileStatement<GroupRow & { searchText: string }, never>('write', (row) =>
      db.insertInto('work_groups').values({
        id: row.id,
        owner: row.owner,
        kind: row.kind,
        query: row.query,
        search_text: row.searchText,
        scope: row.scope,
        selection: row.selection,
        actor: row.actor,
        created_at: row.createdAt,
        expires_at: row.expiresAt,
        filter: row.filter,
        saved_search_id: row.savedSearchId,
        unmade: row.unmade,
        after_created_at: row.afterCreatedAt,
        after_id: row.afterId,
        task: row.task,
      }),
    ),
    remove: compileStatement<{ owner: string; id: string }, { id: string }>('write', ({ owner, id }) =>
      db
        .updateTable('work_groups')
        .set({
          task: 'remove',
          unmade: 0,
          after_created_at: null,
          after_id: null,
          lease_id: null,
          lease_until: null,
        })
        .where('id', '=', id)
        .where('owner', '=', owner)
        .where('kind', '=', 'search')
        .where((eb) => eb.or([eb('task', 'is', null), eb('task', '=', 'make')]))
        .returning('id'),
    ),
    forget: compileStatement<{ id: string }, never>('write', ({ id }) =>
      db.deleteFrom('work_groups').where('id', '=', id),
    ),
  }
}

/** Those by which one process at a time works on a group. */
function leaseStatements(db: Kysely<CloudTables>, locks: RowLocks) {
  const busy = () => db.selectFrom('work_groups').where('task', 'is not', null)
  return {
    findFree: compileStatement<{ now: string; latest: string; limit: number }, GroupRow>(
      'read',
      ({ now, latest, limit }) =>
        locks.whereFree(
          busy()
            .select(groupColumns)
            .where((eb) =>
              eb.or([
                eb('lease_until', 'is', null),
                eb('lease_until', '<=', now),
                eb('lease_until', '>', latest),
              ]),
            )
            .orderBy('created_at')
            .orderBy('id')
            .limit(limitTo(limit)),
        ),
    ),
    findBusy: compileStatement<{ limit: number }, { leaseUntil: string | null }>('read', ({ limit }) =>
      busy().select('lease_until as leaseUntil').orderBy('created_at').orderBy('id').limit(limitTo(limit)),
    ),
    lease: compileStatement<{ id: string; leaseId: string; leaseUntil: string }, never>(
      'write',
      ({ id, leaseId, leaseUntil }) =>
        db
          .updateTable('work_groups')
          .set({ lease_id: leaseId, lease_until: leaseUntil })
          .where('id', '=', id),
    ),
    findLeased: compileStatement<{ id: string; leaseId: string }, GroupRow>('read', ({ id, leaseId }) =>
      locks.toChange(
        db
          .selectFrom('work_groups')
          .select(groupColumns)
          .where('id', '=', id)
          .where('lease_id', '=', leaseId)
          .where('task', '=', 'make'),
      ),
    ),
    setRest: compileStatement<
      RestColumns & { id: string; leaseId: string | null; leaseUntil: string | null },
      never
    >('write', (args) =>
      db
        .updateTable('work_groups')
        .set({
          unmade: args.unmade,
          after_created_at: args.afterCreatedAt,
          after_id: args.afterId,
          task: args.task,
          lease_id: args.leaseId,
          lease_until: args.leaseUntil,
        })
        .where('id', '=', args.id),
    ),
  }
}

/** Those that end searches. */
function endStatements(db: Kysely<CloudTables>, locks: RowLocks) {
  const ending = db
    .selectFrom('searches')
    .select([
      'id',
      'device_id as deviceId',
      'group_id as groupId',
      'status',
      'expires_at as expiresAt',
      'results_blob_id as resultsBlobId',
    ])
  const canceling = (id: string, now: string) =>
    db
      .updateTable('searches')
      .set({ status: 'failed', error: canceledSearchError, completed_at: now })
      .where('id', '=', id)
  return {
    findRemoved: compileStatement<{ id: string }, { id: string }>('read', ({ id }) =>
      locks.toDelete(
        db.selectFrom('work_groups').select('id').where('id', '=', id).where('task', '=', 'remove'),
      ),
    ),
    findToEnd: compileStatement<{ owner: string; id: string }, EndingRow>('read', ({ owner, id }) =>
      locks.toDelete(ending.where('id', '=', id).where('owner', '=', owner)),
    ),
    listToEnd: compileStatement<{ groupId: string; limit: number }, EndingRow>('read', ({ groupId, limit }) =>
      locks.toDelete(
        ending.where('group_id', '=', groupId).orderBy('created_at').orderBy('id').limit(limitTo(limit)),
      ),
    ),
    cancel: compileStatement<{ id: string; now: string }, never>('write', ({ id, now }) =>
      canceling(id, now),
    ),
    cancelAndLeave: compileStatement<{ id: string; now: string }, never>('write', ({ id, now }) =>
      canceling(id, now).set({ group_id: null }),
    ),
    erase: compileStatement<{ id: string }, never>('write', ({ id }) =>
      db.deleteFrom('searches').where('id', '=', id),
    ),
  }
}
