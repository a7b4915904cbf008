import type { Kysely } from 'kysely'
import { compileStatement, limitTo } from '@homeward/kit/sql'
import type { SavedSearchRow } from './saved-search-row.ts'
import type { CloudTables } from './schema.ts'

interface ById {
  owner: string
  id: string
}
interface ListArgs extends ById {
  createdAt: string
  limit: number
}

const columns = [
  'id',
  'owner',
  'name',
  'query',
  'scope',
  'selection',
  'filter',
  'schedule',
  'timezone',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'next_at as nextAt',
] as const

/** Statements on saved searches. */
export function createSavedSearchStatements(db: Kysely<CloudTables>) {
  return { ...readStatements(db), ...writeStatements(db) }
}

function readStatements(db: Kysely<CloudTables>) {
  const own = (owner: string) => db.selectFrom('saved_searches').select(columns).where('owner', '=', owner)
  const listed = ({ owner, limit }: Pick<ListArgs, 'owner' | 'limit'>) =>
    own(owner).orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limitTo(limit))
  const scheduled = db.selectFrom('saved_searches').orderBy('next_at').orderBy('id')
  return {
    find: compileStatement<ById, SavedSearchRow>('read', ({ owner, id }) => own(owner).where('id', '=', id)),
    listNewest: compileStatement<ListArgs, SavedSearchRow>('read', listed),
    listAfter: compileStatement<ListArgs, SavedSearchRow>('read', ({ owner, limit, createdAt, id }) =>
      listed({ owner, limit }).where((eb) =>
        eb(eb.refTuple('created_at', 'id'), '<', eb.tuple(createdAt, id)),
      ),
    ),
    listIds: compileStatement<{ owner: string; limit: number }, { id: string }>('read', ({ owner, limit }) =>
      db.selectFrom('saved_searches').select('id').where('owner', '=', owner).limit(limitTo(limit)),
    ),
    listDue: compileStatement<{ now: string; limit: number }, SavedSearchRow>('read', ({ now, limit }) =>
      scheduled.select(columns).where('next_at', '<=', now).limit(limitTo(limit)),
    ),
    findNext: compileStatement<{ now: string; limit: number }, { nextAt: string | null }>(
      'read',
      ({ now, limit }) =>
        scheduled.select('next_at as nextAt').where('next_at', '>', now).limit(limitTo(limit)),
    ),
  }
}

function writeStatements(db: Kysely<CloudTables>) {
  const toColumns = (row: SavedSearchRow) => ({
    name: row.name,
    query: row.query,
    scope: row.scope,
    selection: row.selection,
    filter: row.filter,
    schedule: row.schedule,
    timezone: row.timezone,
    updated_at: row.updatedAt,
    next_at: row.nextAt,
  })
  return {
    insert: compileStatement<SavedSearchRow, never>('write', (row) =>
      db
        .insertInto('saved_searches')
        .values({ id: row.id, owner: row.owner, created_at: row.createdAt, ...toColumns(row) }),
    ),
    replace: compileStatement<SavedSearchRow, { id: string }>('write', (row) =>
      db
        .updateTable('saved_searches')
        .set(toColumns(row))
        .where('id', '=', row.id)
        .where('owner', '=', row.owner)
        .returning('id'),
    ),
    delete: compileStatement<ById, { id: string }>('write', ({ owner, id }) =>
      db.deleteFrom('saved_searches').where('id', '=', id).where('owner', '=', owner).returning('id'),
    ),
    moveOn: compileStatement<{ id: string; dueAt: string; nextAt: string | null }, { owner: string }>(
      'write',
      ({ id, dueAt, nextAt }) =>
        db
          .updateTable('saved_searches')
          .set({ next_at: nextAt })
          .where('id', '=', id)
          .where('next_at', '=', dueAt)
          .returning('owner'),
    ),
  }
}
