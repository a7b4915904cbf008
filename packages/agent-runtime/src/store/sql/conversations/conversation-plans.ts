import type { Kysely } from 'kysely'
import { buildOnce, all, first, rememberStatements } from '@homeward/kit/sql'
import type {
  ConversationAppend,
  ConversationFilter,
  StoredConversation,
  StoredMessage,
} from '../../ports/conversation-store.ts'
import type { Page, PageRequest } from '../../ports/page.ts'
import { chosenIdOf, notOwnConversation } from '../../own-conversation.ts'
import { numberPositionOf, timePositionOf, toPage } from '../../cursor.ts'
import {
  compileConversationList,
  createAppendStatements,
  createConversationChanges,
  createConversationReads,
} from './conversation-statements.ts'
import type {
  Appended,
  ConversationListShape,
  ConversationRow,
  ListedConversationRow,
} from './conversation-statements.ts'
import type { MessageRows } from './message-rows.ts'
import { toList } from '../id-list.ts'
import type { FilePlans } from '../files/file-plans.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'

const same = (message: StoredMessage) => message
const bySeq = ({ seq }: StoredMessage) => [seq]

/** The verbs of `ConversationStore` as plans. Appending costs one statement, and what `rows` needs for the messages. */
export function createConversationPlans(
  db: Kysely<RuntimeTables>,
  rows: MessageRows,
  files: Pick<FilePlans, 'deleteConversationFiles'>,
) {
  const statements = {
    ...buildOnce(db, createAppendStatements),
    ...createConversationChanges(db),
    ...createConversationReads(db),
  }
  const listOf = rememberStatements((shape: ConversationListShape) => compileConversationList(db, shape))
  /** @returns the conversation behind that. */
  function* goOn(append: ConversationAppend): Plan<Appended> {
    const { conversationId: id, agentId, userId = null, title = null, messages, now } = append
    const chosenId = userId === null ? null : (chosenIdOf(id) ?? null)
    const args = { id, agentId, userId, chosenId, title, count: messages.length, now }
    const { conversationCreatedAt: createdAt } = append
    const after =
      createdAt === undefined
        ? yield* first(statements.append, args)
        : yield* first(statements.goOn, { ...args, createdAt })
    if (after === undefined) throw notOwnConversation('Appending messages')
    yield* rows.append(append, after.messageCount - messages.length + 1)
    return after
  }

  return {
    appendQuestion: goOn,
    *appendMessages(append: ConversationAppend): Plan<void> {
      yield* goOn(append)
    },
    *findConversation(id: string): Plan<StoredConversation | undefined> {
      const row = yield* first(statements.find, { id })
      return row === undefined ? undefined : toConversation(row)
    },
    *listConversations(filter: ConversationFilter, page: PageRequest): Plan<Page<StoredConversation>> {
      const { agentId, userId, chosenId, agentIds, sources } = filter
      const after = timePositionOf(page)
      const shape = {
        byAgent: agentId !== undefined,
        byUser: userId !== undefined,
        byChosenId: chosenId !== undefined,
        byAgents: agentIds !== undefined,
        bySources: sources !== undefined,
        after: after !== undefined,
      }
      const [afterTime, afterId] = after ?? ['', '']
      const found = yield* all(listOf(shape), {
        agentId: agentId ?? '',
        userId: userId ?? '',
        chosenId: chosenId ?? '',
        agentIds: toList(agentIds),
        sources: toList(sources),
        afterTime,
        afterId,
        limit: page.limit + 1,
      })
      return toPage(found, page.limit, toListed, (row) => [row.updated_at, row.id])
    },
    *listMessages(id: string, page: PageRequest): Plan<Page<StoredMessage>> {
      const before = numberPositionOf(page) ?? Number.MAX_SAFE_INTEGER
      const found = yield* rows.list(id, before, page.limit + 1)
      return toPage(found, page.limit, same, bySeq)
    },
    *setConversationTitle(id: string, title: string | null, now: string): Plan<boolean> {
      return (yield* first(statements.setTitle, { id, title, now })) !== undefined
    },
    *saveSummary(
      { id, createdAt }: Pick<StoredConversation, 'id' | 'createdAt'>,
      summary: string,
      throughSeq: number,
    ): Plan<boolean> {
      return (yield* first(statements.saveSummary, { id, createdAt, summary, throughSeq })) !== undefined
    },
    *cutConversation(
      { id, createdAt }: Pick<StoredConversation, 'id' | 'createdAt'>,
      fromSeq: number,
      now: string,
    ): Plan<boolean> {
      if ((yield* first(statements.cut, { id, createdAt, fromSeq, now })) === undefined) return false
      yield* rows.cut(id, fromSeq)
      return true
    },
    *deleteConversation(id: string): Plan<boolean> {
      if ((yield* first(statements.delete, { id })) === undefined) return false
      yield* files.deleteConversationFiles(id)
      yield* all(statements.forgetCalls, { id })
      return true
    },
  }
}

/** See {@link createConversationPlans}. */
export type ConversationPlans = ReturnType<typeof createConversationPlans>

function toListed(row: ListedConversationRow): StoredConversation {
  const { active_run_status: status } = row
  return { ...toConversation(row), ...(status !== null && { activeRunStatus: status }) }
}

function toConversation(row: ConversationRow): StoredConversation {
  return {
    id: row.id,
    agentId: row.agent_id,
    ...(row.user_id !== null && { userId: row.user_id }),
    ...(row.title !== null && { title: row.title }),
    ...(row.summary !== null && { summary: row.summary }),
    summarizedSeq: row.summarized_seq,
    messageCount: row.message_count,
    ...(row.active_run_id !== null && { activeRunId: row.active_run_id }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
