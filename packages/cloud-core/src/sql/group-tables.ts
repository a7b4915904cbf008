import type { Compilable, Kysely } from 'kysely'
import { sql } from 'kysely'
import type { GroupKind } from '../ports/group-store.ts'
import type { CloudTables } from './schema.ts'

/** What one request asked of several devices (C32). */
export interface GroupsTable {
  id: string
  owner: string
  kind: GroupKind
  query: string
  /** What a filter by text looks through: the query, folded. */
  search_text: string
  /** JSON. */
  scope: string
  /** JSON. */
  selection: string | null
  /** Who asked; null: the owner. */
  actor: string | null
  created_at: string
  expires_at: string
  /** JSON. */
  filter: string | null
  saved_search_id: string | null
  unmade: number
  after_created_at: string | null
  after_id: string | null
  /** What is still to be done for it. */
  task: 'make' | 'remove' | null
  lease_id: string | null
  lease_until: string | null
  /** When the last of its searches ended. */
  settled_at: string | null
}

/** Searches that can be run again (C32). */
export interface SavedSearchesTable {
  id: string
  owner: string
  name: string
  query: string
  /** JSON. */
  scope: string
  /** JSON. */
  selection: string | null
  /** JSON. */
  filter: string
  schedule: string | null
  timezone: string | null
  created_at: string
  updated_at: string
  next_at: string | null
}

/** Tables of groups and of saved searches. */
export function buildGroups({ schema }: Kysely<CloudTables>): readonly Compilable[] {
  return [
    ...buildSavedSearches({ schema }),
    schema
      .createTable('work_groups')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('query', 'text', (column) => column.notNull())
      .addColumn('search_text', 'text', (column) => column.notNull())
      .addColumn('scope', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'text', (column) => column.notNull())
      .addColumn('filter', 'text')
      .addColumn('saved_search_id', 'text')
      .addColumn('unmade', 'integer', (column) => column.notNull())
      .addColumn('after_created_at', 'text')
      .addColumn('after_id', 'text')
      .addColumn('task', 'text')
      .addColumn('lease_id', 'text')
      .addColumn('lease_until', 'text')
      .addColumn('settled_at', 'text'),
    schema
      .createIndex('work_groups_open')
      .on('work_groups')
      .columns(['expires_at', 'id'])
      .where(sql.ref('settled_at'), 'is', null)
      .where(sql.ref('kind'), '=', sql.lit('search')),
    schema.createIndex('work_groups_owner').on('work_groups').columns(['owner', 'kind', 'created_at', 'id']),
    schema
      .createIndex('work_groups_saved')
      .on('work_groups')
      .columns(['saved_search_id', 'created_at', 'id'])
      .where(sql.ref('saved_search_id'), 'is not', null),
    schema
      .createIndex('work_groups_task')
      .on('work_groups')
      .columns(['created_at', 'id'])
      .where(sql.ref('task'), 'is not', null),
  ]
}

function buildSavedSearches({ schema }: Pick<Kysely<CloudTables>, 'schema'>): readonly Compilable[] {
  return [
    schema
      .createTable('saved_searches')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('query', 'text', (column) => column.notNull())
      .addColumn('scope', 'text', (column) => column.notNull())
      .addColumn('filter', 'text', (column) => column.notNull())
      .addColumn('schedule', 'text')
      .addColumn('timezone', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'text', (column) => column.notNull())
      .addColumn('next_at', 'text'),
    schema.createIndex('saved_searches_owner').on('saved_searches').columns(['owner', 'created_at', 'id']),
    schema
      .createIndex('saved_searches_due')
      .on('saved_searches')
      .columns(['next_at', 'id'])
      .where(sql.ref('next_at'), 'is not', null),
  ]
}
