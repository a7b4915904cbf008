import type { Compilable, Kysely } from 'kysely'
import { sql } from 'kysely'
import type { CloudTables } from './schema.ts'

/** Files whose rows are gone, until they are removed themselves. */
export interface BlobRemovalsTable {
  blob_id: string
}

/** Owners that are being erased. */
export interface ErasuresTable {
  owner: string
  /** JSON: the entry of the audit that stays. */
  entry: string
}

/** `owner` of a device that was deleted while rows of it are left: no user has it. */
export const nobody = ''

/** Tables of what goes, and the indices that find what is old. */
export function buildRetention({ schema }: Kysely<CloudTables>): readonly Compilable[] {
  return [
    schema.createTable('blob_removals').addColumn('blob_id', 'text', (column) => column.primaryKey()),
    schema
      .createTable('erasures')
      .addColumn('owner', 'text', (column) => column.primaryKey())
      .addColumn('entry', 'text', (column) => column.notNull()),
    schema
      .createIndex('searches_ended')
      .on('searches')
      .columns(['results_state', 'completed_at'])
      .where(sql.ref('completed_at'), 'is not', null),
    schema
      .createIndex('uploads_ended')
      .on('uploads')
      .column('completed_at')
      .where(sql.ref('completed_at'), 'is not', null),
  ]
}
