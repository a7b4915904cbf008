import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { compileStatement } from '@homeward/kit/sql'
import type { RuntimeTables } from '../schema.ts'
import type { FileContentsTable, FilesTable } from './file-tables.ts'

type Hash = Pick<FilesTable, 'sha256'>

/** Statements on files. */
export function createFileStatements(db: Kysely<RuntimeTables>) {
  /** Files whose owner is gone, unless messages of their conversation may refer to them. */
  const deleteUnused = () =>
    db
      .deleteFrom('files')
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('conversations')
              .select('id')
              .whereRef('conversations.id', '=', 'files.conversation_id'),
          ),
        ),
      )
      .returning('sha256')
  return {
    insertContent: compileStatement<FileContentsTable, unknown>('write', ({ sha256, content }) =>
      db
        .insertInto('file_contents')
        .values({ sha256, content })
        .onConflict((conflict) => conflict.column('sha256').doNothing()),
    ),
    hasContent: compileStatement<Hash, Hash>('read', ({ sha256 }) =>
      db.selectFrom('file_contents').select('sha256').where('sha256', '=', sha256),
    ),
    insert: compileStatement<FilesTable, unknown>('write', (row) =>
      db
        .insertInto('files')
        .values({
          id: row.id,
          owner: row.owner,
          conversation_id: row.conversation_id,
          name: row.name,
          media_type: row.media_type,
          bytes: row.bytes,
          sha256: row.sha256,
          created_at: row.created_at,
        })
        .onConflict((conflict) => conflict.column('id').doNothing()),
    ),
    find: compileStatement<{ id: string }, FilesTable & FileContentsTable>('read', ({ id }) =>
      db
        .selectFrom('files')
        .innerJoin('file_contents', 'file_contents.sha256', 'files.sha256')
        .selectAll('files')
        .select('file_contents.content')
        .where('files.id', '=', id),
    ),
    deleteOfOwner: compileStatement<{ owner: string }, Hash>('write', ({ owner }) =>
      deleteUnused().where('owner', '=', owner),
    ),
    deleteOfConversation: compileStatement<{ id: string }, Hash>('write', ({ id }) =>
      db.deleteFrom('files').where('conversation_id', '=', id).returning('sha256'),
    ),
    deleteContent: compileStatement<Hash, unknown>('write', ({ sha256 }) =>
      db
        .deleteFrom('file_contents')
        .where('sha256', '=', sha256)
        .where(sql<boolean>`not exists (select 1 from files where files.sha256 = file_contents.sha256)`),
    ),
  }
}
