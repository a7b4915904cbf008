import type { Compilable, Kysely } from 'kysely'
import { sql } from 'kysely'
import { buildWebhookTables, type Migration } from '@homeward/kit/sql'
import { buildCatalogs } from './catalog-plans.ts'
import { buildEnrollments } from './enrollment-tables.ts'
import { buildGroupCounts } from './group-counts.ts'
import { buildGroups } from './group-tables.ts'
import type { CloudTables } from './schema.ts'
import { buildRetention } from './retention-tables.ts'
import { buildApiTokens, buildFilters } from './token-table.ts'
import { buildWebhookTriggers, rebuildSettledTriggers } from './webhook-triggers.ts'

/** Everything that every SQL database has. */
export const buildTables = (db: Kysely<CloudTables>): readonly Compilable[] => [
  ...buildDevices(db),
  ...buildLabels(db),
  ...buildPresence(db),
  ...buildSearches(db),
  ...buildUploads(db),
  ...buildGroups(db),
  ...buildCreations(db),
  ...buildAudit(db),
  ...buildEnrollments(db),
  ...buildApiTokens(db),
  ...buildRetention(db),
  ...buildWebhookTables(db),
]

/** All steps on SQLite, oldest first. Versions 1 and 2 were never released. */
export const sqliteMigrations: readonly Migration<CloudTables>[] = [
  {
    version: 3,
    name: 'everything of the first release',
    build: (db) => [...buildTables(db), ...buildWebhookTriggers('sqlite')],
  },
  { version: 4, name: 'what a search selects', build: buildSelections },
  {
    version: 5,
    name: 'devices that tokens and webhooks reach, and how work ended',
    build: (db) => [...buildFilters(db), ...rebuildSettledTriggers('sqlite')],
  },
  { version: 6, name: 'counts of groups', build: (db) => buildGroupCounts(db, 'sqlite') },
  { version: 7, name: 'who asked', build: buildActors },
  { version: 8, name: 'catalogs of devices', build: buildCatalogs },
]

/** Columns for who asked, which devices read with their work. */
export function buildActors({ schema }: Kysely<CloudTables>): readonly Compilable[] {
  const tables = ['searches', 'uploads', 'work_groups'] as const
  return tables.map((table) => schema.alterTable(table).addColumn('actor', 'text'))
}

/** Columns for what a search wants of all that its text matches. */
export function buildSelections({ schema }: Kysely<CloudTables>): readonly Compilable[] {
  const tables = ['searches', 'work_groups', 'saved_searches'] as const
  return tables.map((table) => schema.alterTable(table).addColumn('selection', 'text'))
}

function buildDevices({ schema }: Kysely<CloudTables>): readonly Compilable[] {
  return [
    schema
      .createTable('devices')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('metadata', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('key_hash', 'text', (column) => column.notNull())
      .addColumn('key_hint', 'text', (column) => column.notNull())
      .addColumn('key_sealed', 'text')
      .addColumn('previous_hash', 'text')
      .addColumn('previous_until', 'text')
      .addColumn('labels', 'text', (column) => column.notNull().defaultTo('[]'))
      .addColumn('search_text', 'text', (column) => column.notNull().defaultTo('')),
    schema.createIndex('devices_key').unique().on('devices').column('key_hash'),
    schema.createIndex('devices_previous').unique().on('devices').column('previous_hash'),
    schema.createIndex('devices_owner').on('devices').columns(['owner', 'created_at', 'id']),
    // What users filter by changes rarely. When a device was last seen changes all the time: no index may hold it.
    schema.createIndex('devices_type').on('devices').columns(['owner', 'type', 'created_at', 'id']),
    schema.createIndex('devices_platform').on('devices').columns(['owner', 'platform', 'created_at', 'id']),
  ]
}

/** A list by label is read off the end of its key, as other lists are off an index. */
function buildLabels({ schema }: Kysely<CloudTables>): readonly Compilable[] {
  return [
    schema
      .createTable('device_labels')
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('label', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('device_id', 'text', (column) =>
        column.notNull().references('devices.id').onDelete('cascade'),
      )
      .addPrimaryKeyConstraint('device_labels_pk', ['owner', 'label', 'created_at', 'device_id']),
    schema.createIndex('device_labels_device').on('device_labels').column('device_id'),
  ]
}

/** Last-seen times and the gaps between them. They refer to no other table, so they can lie in another database. */
export const buildPresence = ({ schema }: Pick<Kysely<CloudTables>, 'schema'>): readonly Compilable[] => [
  schema
    .createTable('presence')
    .addColumn('device_id', 'text', (column) => column.primaryKey())
    .addColumn('last_seen_ms', 'bigint', (column) => column.notNull())
    .addColumn('first_seen_ms', 'bigint', (column) => column.notNull())
    .addColumn('offline_ms', 'bigint'),
  schema
    .createTable('presence_gaps')
    .addColumn('device_id', 'text', (column) => column.notNull())
    .addColumn('from_ms', 'bigint', (column) => column.notNull())
    .addColumn('to_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('presence_gaps_pk', ['device_id', 'from_ms']),
]

function buildSearches({ schema }: Kysely<CloudTables>): readonly Compilable[] {
  return [
    schema
      .createTable('searches')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('device_id', 'text', (column) =>
        column.notNull().references('devices.id').onDelete('cascade'),
      )
      .addColumn('group_id', 'text')
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('query', 'text', (column) => column.notNull())
      .addColumn('scope', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('error', 'text')
      .addColumn('completed_at', 'text')
      .addColumn('results_state', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('files_found', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('results_blob_id', 'text')
      .addColumn('results', 'text'),
    schema
      .createIndex('searches_results_file')
      .on('searches')
      .column('results_blob_id')
      .where(sql.ref('results_blob_id'), 'is not', null),
    // Only reports with files touch it.
    schema
      .createIndex('searches_found')
      .on('searches')
      .columns(['group_id', 'files_found'])
      .where(sql.ref('files_found'), '>', sql.lit(0)),
    ...buildWorkIndices('searches', { schema }, ['expires_at']),
  ]
}

function buildUploads({ schema }: Kysely<CloudTables>): readonly Compilable[] {
  return [
    schema
      .createTable('uploads')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('device_id', 'text', (column) =>
        column.notNull().references('devices.id').onDelete('cascade'),
      )
      .addColumn('group_id', 'text')
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('file_path', 'text', (column) => column.notNull())
      .addColumn('destination', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('lease_until', 'text')
      .addColumn('attempt_blob_id', 'text')
      .addColumn('file_blob_id', 'text')
      .addColumn('file_name', 'text')
      .addColumn('file_size', 'bigint')
      .addColumn('file_links', 'text')
      .addColumn('error', 'text')
      .addColumn('completed_at', 'text'),
    schema.createIndex('uploads_file').unique().on('uploads').column('file_blob_id'),
    ...buildWorkIndices('uploads', { schema }, ['expires_at', 'lease_until']),
  ]
}

/**
 * What lists of work read. Settling touches only the small indices of what waits or failed: an index of all rows by
 * status would cost every report twice as much, to speed up nothing but a search for a few completed rows among very
 * many others. `status` stands in them although it is always the same: it makes the planner prefer them.
 */
function buildWorkIndices(
  table: 'searches' | 'uploads',
  { schema }: Pick<Kysely<CloudTables>, 'schema'>,
  covered: readonly string[],
): readonly Compilable[] {
  const status = sql.ref('status')
  return [
    ...(['pending', 'failed'] as const).flatMap((value) =>
      (['owner', 'device_id', 'group_id'] as const).map((selector) =>
        schema
          .createIndex(`${table}_${value}_${selector}`)
          .on(table)
          .columns([selector, 'status', 'created_at', 'id', ...(value === 'pending' ? covered : [])])
          .where(status, '=', sql.lit(value)),
      ),
    ),
    schema.createIndex(`${table}_owner`).on(table).columns(['owner', 'created_at', 'id']),
    schema.createIndex(`${table}_device`).on(table).columns(['device_id', 'created_at', 'id']),
    schema.createIndex(`${table}_group`).on(table).columns(['group_id', 'created_at', 'id']),
    schema
      .createIndex(`${table}_expiring`)
      .on(table)
      .column('expires_at')
      .where(status, '=', sql.lit('pending')),
  ]
}

function buildCreations({ schema }: Kysely<CloudTables>): readonly Compilable[] {
  return [
    schema
      .createTable('creations')
      .addColumn('scope', 'text', (column) => column.notNull())
      .addColumn('key_hash', 'text', (column) => column.notNull())
      .addColumn('fingerprint', 'text', (column) => column.notNull())
      .addColumn('reply', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('creations_pk', ['scope', 'key_hash']),
    schema.createIndex('creations_expiring').on('creations').column('expires_at'),
  ]
}

function buildAudit({ schema }: Kysely<CloudTables>): readonly Compilable[] {
  return [
    schema
      .createTable('audit')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('actor', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'text')
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('outcome', 'text', (column) => column.notNull())
      .addColumn('reason', 'text')
      // What was deleted stays in the audit: nothing here refers to another table.
      .addColumn('device_id', 'text')
      .addColumn('devices', 'text')
      .addColumn('names_all', 'integer')
      .addColumn('subject_id', 'text')
      .addColumn('name', 'text')
      .addColumn('address', 'text'),
    schema.createIndex('audit_owner').on('audit').columns(['owner', 'created_at', 'id']),
    schema.createIndex('audit_device').on('audit').columns(['owner', 'device_id', 'created_at', 'id']),
    schema
      .createIndex('audit_many')
      .on('audit')
      .columns(['owner', 'created_at', 'id'])
      .where(sql.ref('devices'), 'is not', null),
    schema.createIndex('audit_action').on('audit').columns(['owner', 'action', 'created_at', 'id']),
    // most entries have no actor, and cost nothing here
    schema
      .createIndex('audit_actor')
      .on('audit')
      .columns(['owner', 'actor', 'created_at', 'id'])
      .where(sql.ref('actor'), 'is not', null),
    schema
      .createIndex('audit_expiring')
      .on('audit')
      .column('expires_at')
      .where(sql.ref('expires_at'), 'is not', null),
  ]
}

/** Newest version of the SQLite schema that this release supports: the largest `version` in the table `migrations`. */
export const sqliteSchemaVersion: number = Math.max(...sqliteMigrations.map(({ version }) => version))
