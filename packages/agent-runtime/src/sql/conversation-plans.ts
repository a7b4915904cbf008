import type { Kysely } from 'kysely'
import type {
  ConversationAppend,
  ConversationFilter,
  StoredConversation,
  StoredMessage,
} from '../ports/conversation-store.ts'
import type { Page, PageRequest } from '../ports/page.ts'
import { numberPositionOf, timePositionOf, toPage } from '../paging/cursor.ts'
import {
  compileConversationList,
  compileMessageInsert,
  createAppendStatements,
  createConversationChanges,
  createConversationReads,
} from './conversation-statements.ts'
import type { ConversationListShape } from './conversation-statements.ts'
import { fromJson } from './json.ts'
import type { Plan } from './plan.ts'
import { all, change, first } from './plan.ts'
import { rememberStatements } from './remember-statements.ts'
import type { ConversationsTable, MessagesTable, RuntimeTables } from './schema.ts'

/** Most messages in one statement. */
const insertedAtOnce = 16

/** The verbs of `ConversationStore` as plans. Appending costs one statement, and one more for 16 messages. */
export function createConversationPlans(db: Kysely<RuntimeTables>) {
  const statements = {
    ...createAppendStatements(db),
    ...createConversationChanges(db),
    ...createConversationReads(db),
  }
  const insertOf = rememberStatements(({ count }: { readonly count: number }) =>
    compileMessageInsert(db, count),
  )
  const listOf = rememberStatements((shape: ConversationListShape) => compileConversationList(db, shape))
  return {
    *appendMessages(append: ConversationAppend): Plan<void> {
      const { conversationId: id, agentId, userId = null, title = null, messages, now } = append
      const args = { id, agentId, userId, title, count: messages.length, now }
      const after = yield* first(statements.append, args)
      const firstSeq = (after?.messageCount ?? messages.length) - messages.length + 1
      const rows = toMessageRows(append, firstSeq)
      for (let start = 0; start < rows.length; start += insertedAtOnce) {
        const group = rows.slice(start, start + insertedAtOnce)
        yield* change(insertOf({ count: group.length }), group)
      }
    },
    *findConversation(id: string): Plan<StoredConversation | undefined> {
      const row = yield* first(statements.find, { id })
      return row === undefined ? undefined : toConversation(row)
    },
    *listConversations(filter: ConversationFilter, page: PageRequest): Plan<Page<StoredConversation>> {
      const { agentId, userId } = filter
      const after = timePositionOf(page)
      const shape = {
        byAgent: agentId !== undefined,
        byUser: userId !== undefined,
        after: after !== undefined,
      }
      const [afterTime, afterId] = after ?? ['', '']
      const args = { agentId: agentId ?? '', userId: userId ?? '', afterTime, afterId, limit: page.limit + 1 }
      const rows = yield* all(listOf(shape), args)
      return toPage(rows, page.limit, toConversation, (row) => [row.updated_at, row.id])
    },
    *listMessages(id: string, page: PageRequest): Plan<Page<StoredMessage>> {
      const before = numberPositionOf(page) ?? Number.MAX_SAFE_INTEGER
      const rows = yield* all(statements.listMessages, { id, before, limit: page.limit + 1 })
      return toPage(rows, page.limit, toMessage, ({ seq }) => [seq])
    },
    *setConversationTitle(id: string, title: string, now: string): Plan<boolean> {
      return (yield* first(statements.setTitle, { id, title, now })) !== undefined
    },
    *saveSummary(id: string, summary: string, throughSeq: number): Plan<boolean> {
      return (yield* first(statements.saveSummary, { id, summary, throughSeq })) !== undefined
    },
    *deleteConversation(id: string): Plan<boolean> {
      return (yield* first(statements.delete, { id })) !== undefined
    },
  }
}

/** See {@link createConversationPlans}. */
export type ConversationPlans = ReturnType<typeof createConversationPlans>

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

function toConversation(row: ConversationsTable): StoredConversation {
  return {
    id: row.id,
    agentId: row.agent_id,
    ...(row.user_id !== null && { userId: row.user_id }),
    ...(row.title !== null && { title: row.title }),
    ...(row.summary !== null && { summary: row.summary }),
    summarizedSeq: row.summarized_seq,
    messageCount: row.message_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
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
