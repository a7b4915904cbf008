import type { SearchStatus } from '@homeward/contract/device-cloud'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { compileStatement, limitTo, type Statement } from '@homeward/kit/sql'
import { expiredSearchError } from '../searches/expiry.ts'
import type { ExpiredWork } from '../ports/search-store.ts'
import type { ListArgs, ListShape, StatusRange } from './list-ranges.ts'
import { newestOfRanges } from './list-ranges.ts'
import type { CloudTables } from './schema.ts'
import { searchColumns } from './schema.ts'
import type { RowLocks } from './row-locks.ts'
import type { SearchedDevice, SearchRow } from './search-row.ts'

/** A search with facts of its device. */
type NamedSearchRow = SearchRow & SearchedDevice

interface SettleArgs {
  id: string
  deviceId: string
  status: 'completed' | 'failed'
  results: string | null
  resultsBlobId: string | null
  resultsState: number
  filesFound: number
  error: string | null
  now: string
}

// A literal, not a parameter: that is how the query planner sees that the partial index will do.
const pending = sql.lit<'pending'>('pending')

/** Statements on searches. */
export function createSearchStatements(db: Kysely<CloudTables>, locks: RowLocks) {
  const settling = (args: SettleArgs) =>
    db
      .updateTable('searches')
      .set({
        status: args.status,
        results: args.results,
        results_blob_id: args.resultsBlobId,
        results_state: args.resultsState,
        files_found: args.filesFound,
        error: args.error,
        completed_at: args.now,
      })
      .where('id', '=', args.id)
      .where('device_id', '=', args.deviceId)
      .where('status', '=', pending)
      .where('expires_at', '>', args.now)
      .returning('group_id as groupId')
  return {
    insert: compileStatement<SearchRow, unknown>('write', (row) =>
      db.insertInto('searches').values({
        id: row.id,
        device_id: row.deviceId,
        group_id: row.groupId,
        owner: row.owner,
        query: row.query,
        scope: row.scope,
        selection: row.selection,
        actor: row.actor,
        created_at: row.createdAt,
        expires_at: row.expiresAt,
        status: row.status,
        results_state: row.resultsState,
        files_found: row.filesFound,
        error: row.error,
        completed_at: row.completedAt,
      }),
    ),
    listPending: compileStatement<
      { deviceId: string; now: string; limit: number },
      Pick<SearchRow, 'id' | 'query' | 'scope' | 'selection' | 'actor' | 'createdAt'>
    >('read', ({ deviceId, now, limit }) =>
      db
        .selectFrom('waiting_searches as waiting')
        .innerJoin('searches', 'searches.id', 'waiting.id')
        .select([
          'searches.id',
          'searches.query',
          'searches.scope',
          'searches.selection',
          'searches.actor',
          'searches.created_at as createdAt',
        ])
        .where('waiting.device_id', '=', deviceId)
        .where('waiting.expires_at', '>', now)
        .orderBy('waiting.created_at')
        .orderBy('waiting.id')
        .limit(limitTo(limit)),
    ),
    settle: compileStatement<SettleArgs, { groupId: string | null }>('write', (args) =>
      settling(args).where('selection', 'is', null),
    ),
    settleSelected: compileStatement<SettleArgs, { groupId: string | null }>('write', settling),
    findOutcome: compileStatement<
      { id: string; deviceId: string },
      Pick<SearchRow, 'status' | 'expiresAt' | 'error' | 'query' | 'selection'>
    >('read', ({ id, deviceId }) =>
      db
        .selectFrom('searches')
        .select(['status', 'expires_at as expiresAt', 'error', 'query', 'selection'])
        .where('id', '=', id)
        .where('device_id', '=', deviceId),
    ),
    ...expiryStatements(db, locks),
  }
}

/** Those that write down what has expired. */
function expiryStatements(db: Kysely<CloudTables>, locks: RowLocks) {
  return {
    findExpired: compileStatement<{ now: string; limit: number }, { id: string }>('read', ({ now, limit }) =>
      locks.whereFree(
        db
          .selectFrom('waiting_searches as waiting')
          .innerJoin('searches', 'searches.id', 'waiting.id')
          .select('searches.id')
          .where('waiting.expires_at', '<=', now)
          .orderBy('waiting.expires_at')
          .limit(limitTo(limit)),
      ),
    ),
    expire: compileStatement<{ id: string }, ExpiredWork['searches'][number]>('write', ({ id }) =>
      db
        .updateTable('searches')
        .set((eb) => ({ status: 'failed', error: expiredSearchError, completed_at: eb.ref('expires_at') }))
        .where('id', '=', id)
        .returning(['id', 'device_id as deviceId', 'group_id as groupId', 'owner']),
    ),
    findNext: compileStatement<object, { at: string | null }>('read', () =>
      db.selectFrom('waiting_searches').select((eb) => eb.fn.min('expires_at').as('at')),
    ),
  }
}

/** The listing of one shape. */
export function compileSearchList(
  db: Kysely<CloudTables>,
  shape: ListShape,
  status: SearchStatus | undefined,
): Statement<ListArgs, NamedSearchRow> {
  return compileStatement<ListArgs, NamedSearchRow>('read', (slots) =>
    db
      .selectFrom(newestOfRanges('searches', shape, searchRanges(status, slots), slots).as('newest'))
      .innerJoin('searches', 'searches.id', 'newest.id')
      .innerJoin('devices', 'devices.id', 'searches.device_id')
      .select([...searchColumns, 'devices.name as deviceName', 'devices.catalog_blob_id as catalogBlobId'])
      .where('devices.owner', '=', slots.owner)
      .orderBy('searches.created_at', 'desc')
      .orderBy('searches.id', 'desc'),
  )
}

function searchRanges(status: SearchStatus | undefined, { now }: ListArgs): readonly StatusRange[] {
  if (status === undefined) return [{}]
  if (status === 'completed') return [{ status }]
  const waiting = 'waiting_searches'
  if (status === 'pending') return [{ table: waiting, condition: sql`expires_at > ${now}` }]
  // Exactly those that failed have an error, and it is what their index goes by.
  return [{ condition: sql`error is not null` }, { table: waiting, condition: sql`expires_at <= ${now}` }]
}
