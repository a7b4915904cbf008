import type { Kysely } from 'kysely'
import { all, change, rememberStatements } from '@homeward/kit/sql'
import type { ConversationAppend, StoredMessage } from '../../ports/conversation-store.ts'
import { compileMessageInsert, createMessageChanges, createMessageReads } from './conversation-statements.ts'
import { fromJson } from '../json.ts'
import type { Plan } from '../plan.ts'
import type { MessagesTable, RuntimeTables } from '../schema.ts'

/** Most messages in one statement. */
const insertedAtOnce = 16

/** How the messages of conversations are kept. */
export interface MessageRows {
  /** Keeps the messages of an append, the first of them under this number. */
  append(append: ConversationAppend, firstSeq: number): Plan<void>
  /** The newest messages with smaller numbers than `before`, newest first. */
  list(conversationId: string, before: number, limit: number): Plan<StoredMessage[]>
  /** Deletes the messages from a number on. */
  cut(conversationId: string, fromSeq: number): Plan<void>
}

/** Each message as a row: one statement for 16 of them. */
export function createMessageRows(db: Kysely<RuntimeTables>): MessageRows {
  const { listMessages } = createMessageReads(db)
  const { cutMessages } = createMessageChanges(db)
  const insertOf = rememberStatements(({ count }: { readonly count: number }) =>
    compileMessageInsert(db, count),
  )
  return {
    *append(append, firstSeq) {
      const rows = toMessageRows(append, firstSeq)
      for (let start = 0; start < rows.length; start += insertedAtOnce) {
        const group = rows.slice(start, start + insertedAtOnce)
        yield* change(insertOf({ count: group.length }), group)
      }
    },
    *list(id, before, limit) {
      return (yield* all(listMessages, { id, before, limit })).map(toMessage)
    },
    *cut(id, fromSeq) {
      yield* change(cutMessages, { id, fromSeq })
    },
  }
}

function toMessageRows(
  { conversationId, messages, now }: ConversationAppend,
  firstSeq: number,
): MessagesTable[] {
  return messages.map(({ id, message, runId }, index) => ({
    conversation_id: conversationId,
    seq: firstSeq + index,
    id,
    run_id: runId ?? null,
    created_at: now,
    message: JSON.stringify(message),
  }))
}

function toMessage(row: MessagesTable): StoredMessage {
  return {
    seq: row.seq,
    id: row.id,
    message: fromJson<StoredMessage['message']>(row.message),
    ...(row.run_id !== null && { runId: row.run_id }),
    createdAt: row.created_at,
  }
}
