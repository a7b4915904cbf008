import type { Kysely } from 'kysely'
import { buildOnce, change, each, first } from '@homeward/kit/sql'
import { RuntimeError } from '../../../ports/runtime-error.ts'
import type { FileOwner, FileWrite, StoredFile } from '../../ports/file-store.ts'
import type { NewRun } from '../../ports/run-store.ts'
import { filesOf } from '../../files-of.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'
import { createFileStatements } from './file-statements.ts'
import type { FilesTable } from './file-tables.ts'

/** The verbs of `FileStore` as plans, and how files are deleted with what they belong to. */
export function createFilePlans(db: Kysely<RuntimeTables>) {
  const statements = buildOnce(db, createFileStatements)

  function* deleteContents(hashes: readonly { readonly sha256: string }[]): Plan<void> {
    const unique = [...new Set(hashes.map(({ sha256 }) => sha256))].toSorted()
    if (unique.length > 0)
      yield* each(
        statements.deleteContent,
        unique.map((sha256) => ({ sha256 })),
      )
  }

  function* saveFiles({ owner, files, contents = [], now }: FileWrite): Plan<void> {
    const given = new Map(contents.map(({ sha256, content }) => [sha256, content]))
    // Sorted, so that two writes of the same bytes do not wait for each other.
    for (const sha256 of [...new Set(files.map((file) => file.sha256))].toSorted()) {
      const content = given.get(sha256)
      if (content !== undefined) yield* change(statements.insertContent, { sha256, content })
      else if ((yield* first(statements.hasContent, { sha256 })) === undefined) throw missing()
    }
    for (const { id, name, media_type, bytes, sha256 } of files) {
      const file = { id, name, media_type, bytes, sha256 }
      const conversation_id = owner.conversationId ?? null
      yield* change(statements.insert, {
        ...file,
        owner: toOwnerKey(owner),
        conversation_id,
        created_at: now,
      })
    }
  }

  return {
    saveFiles,

    /** Stores the files of a new run, as part of another plan. */
    *saveRunFiles(run: NewRun, contents: FileWrite['contents']): Plan<void> {
      const files = run.kind === 'agent' ? filesOf(run) : []
      if (run.kind !== 'agent' || files.length === 0) return
      const conversationId = run.store ? run.conversationId : undefined
      const owner = { kind: 'run', id: run.id, conversationId } as const
      yield* saveFiles({ owner, files, contents, now: run.createdAt })
    },

    *findFile(id: string): Plan<StoredFile | undefined> {
      const row = yield* first(statements.find, { id })
      if (row === undefined) return undefined
      const { name, media_type, bytes, sha256, content, created_at: createdAt } = row
      const file = { id, name, media_type, bytes, sha256, createdAt }
      return { ...file, content: new Uint8Array(content), owner: toOwner(row) }
    },

    /** Deletes files of owners that are gone, as part of another plan. */
    *deleteFilesOf(owners: readonly FileOwner[]): Plan<void> {
      if (owners.length === 0) return
      const keys = owners.map((owner) => ({ owner: toOwnerKey(owner) }))
      yield* deleteContents(yield* each(statements.deleteOfOwner, keys))
    },

    /** Deletes files of a conversation that is gone, as part of another plan. */
    *deleteConversationFiles(id: string): Plan<void> {
      yield* deleteContents([...(yield* each(statements.deleteOfConversation, [{ id }]))])
    },
  }
}

/** See {@link createFilePlans}. */
export type FilePlans = ReturnType<typeof createFilePlans>

function toOwner({ owner, conversation_id: conversationId }: FilesTable): FileOwner {
  const end = owner.indexOf(':')
  return {
    kind: owner.slice(0, end) as FileOwner['kind'], // as it was written
    id: owner.slice(end + 1),
    ...(conversationId !== null && { conversationId }),
  }
}

const toOwnerKey = ({ kind, id }: FileOwner) => `${kind}:${id}`

const missing = () =>
  new RuntimeError(
    'not_found',
    'Storing files failed: the bytes of a file are not stored. Send the file again.',
  )
