import type { Compilable, Kysely } from 'kysely'
import { sql } from 'kysely'
import type { CloudTables } from './schema.ts'

/** Where devices wait to be let in, and the tokens that let them in. */
export function buildEnrollments({ schema }: Kysely<CloudTables>): readonly Compilable[] {
  return [
    schema
      .createTable('enrollments')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('key_hash', 'text', (column) => column.notNull())
      .addColumn('key_hint', 'text', (column) => column.notNull())
      .addColumn('code_hash', 'text')
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('metadata', 'text', (column) => column.notNull())
      .addColumn('address', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'text', (column) => column.notNull())
      .addColumn('purge_at', 'text')
      .addColumn('owner', 'text')
      // A device that is deleted may enroll again.
      .addColumn('device_id', 'text', (column) => column.references('devices.id').onDelete('cascade'))
      // Without a reference: a token that is deleted later is no reason to forget who came with it.
      .addColumn('token_id', 'text'),
    schema.createIndex('enrollments_key').unique().on('enrollments').column('key_hash'),
    schema.createIndex('enrollments_code').unique().on('enrollments').column('code_hash'),
    schema.createIndex('enrollments_device').on('enrollments').column('device_id'),
    schema
      .createIndex('enrollments_pending')
      .on('enrollments')
      .columns(['status', 'expires_at'])
      .where(sql.ref('status'), '=', sql.lit('pending')),
    schema
      .createIndex('enrollments_purge')
      .on('enrollments')
      .column('purge_at')
      .where(sql.ref('purge_at'), 'is not', null),
    ...buildTokens({ schema }),
    schema
      .createTable('secrets')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull()),
  ]
}

function buildTokens({ schema }: Pick<Kysely<CloudTables>, 'schema'>): readonly Compilable[] {
  return [
    schema
      .createTable('enrollment_tokens')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('secret_hash', 'text', (column) => column.notNull())
      .addColumn('label', 'text', (column) => column.notNull())
      .addColumn('max_devices', 'integer')
      .addColumn('expires_at', 'text')
      .addColumn('labels', 'text', (column) => column.notNull())
      .addColumn('approval', 'text', (column) => column.notNull())
      .addColumn('used', 'integer', (column) => column.notNull())
      .addColumn('last_used_at', 'text')
      .addColumn('last_device_id', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('revoked_at', 'text'),
    schema.createIndex('enrollment_tokens_secret').unique().on('enrollment_tokens').column('secret_hash'),
    schema
      .createIndex('enrollment_tokens_owner')
      .on('enrollment_tokens')
      .columns(['owner', 'created_at', 'id'])
      .where(sql.ref('revoked_at'), 'is', null),
    schema
      .createIndex('enrollment_tokens_revoked')
      .on('enrollment_tokens')
      .columns(['owner', 'revoked_at'])
      .where(sql.ref('revoked_at'), 'is not', null),
  ]
}
