import type { Compilable, Kysely } from 'kysely'
import { sql } from 'kysely'
import type { RuntimeTables } from '../schema.ts'

/** Bytes of files, by their hash. */
export interface FileContentsTable {
  sha256: string
  content: Uint8Array
}

/** Files, without their bytes. */
export interface FilesTable {
  id: string
  /** Kind and id of the owner: see `toOwnerKey`. */
  owner: string
  conversation_id: string | null
  name: string
  media_type: string
  bytes: number
  sha256: string
  created_at: string
}

/** The tables of files. */
export interface FileTables {
  file_contents: FileContentsTable
  files: FilesTable
}

/** Makes the tables of files. */
export function buildFileTables({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    schema
      .createTable('file_contents')
      .addColumn('sha256', 'text', (column) => column.primaryKey())
      .addColumn('content', 'blob', (column) => column.notNull()),
    schema
      .createTable('files')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('conversation_id', 'text')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('media_type', 'text', (column) => column.notNull())
      .addColumn('bytes', 'integer', (column) => column.notNull())
      .addColumn('sha256', 'text', (column) => column.notNull().references('file_contents.sha256'))
      .addColumn('created_at', 'text', (column) => column.notNull()),
    schema.createIndex('files_owner').on('files').column('owner'),
    schema
      .createIndex('files_conversation')
      .on('files')
      .column('conversation_id')
      .where(sql.ref('conversation_id'), 'is not', null),
    schema.createIndex('files_content').on('files').column('sha256'),
  ]
}
