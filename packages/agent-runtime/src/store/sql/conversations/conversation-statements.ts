import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { compileStatement, type Statement } from '@homeward/kit/sql'
import { isInList } from '../id-list.ts'
import type { ConversationsTable, MessagesTable, RuntimeTables } from '../schema.ts'

/** A conversation that gets messages. */
interface AppendArgs {
  id: string
  agentId: string
  userId: string | null
  chosenId: string | null
  title: string | null
  count: number
  now: string
}

/** The conversation behind that. */
export interface Appended {
  messageCount: number
  createdAt: string
}

interface SummaryArgs {
  id: string
  createdAt: string
  summary: string
  throughSeq: number
}

/** What a list of conversations filters by. */
export interface ConversationListShape extends Record<string, boolean> {
  readonly byAgent: boolean
  readonly byUser: boolean
  readonly byChosenId: boolean
  readonly byAgents: boolean
  readonly bySources: boolean
  readonly after: boolean
}

/** Arguments of a list; which of them count depends on its shape. */
interface ConversationListArgs {
  agentId: string
  userId: string
  chosenId: string
  agentIds: string
  sources: string
  afterTime: string
  afterId: string
  limit: number
}

/** Inserts many rows in one statement: each statement costs more than a row does. */
export function compileMessageInsert(
  db: Kysely<RuntimeTables>,
  count: number,
): Statement<readonly MessagesTable[], unknown> {
  const row: MessagesTable = {
    conversation_id: '',
    seq: 0,
    id: '',
    run_id: null,
    created_at: '',
    message: '',
  }
  const rows = Array.from({ length: count }, () => row)
  return {
    kind: 'write',
    sql: db.insertInto('messages').values(rows).compile().sql,
    bind: (messages) =>
      messages.flatMap((message) => [
        // in the order of the columns above
        message.conversation_id,
        message.seq,
        message.id,
        message.run_id,
        message.created_at,
        message.message,
      ]),
  }
}

/** Statements that append messages to a conversation. */
export function createAppendStatements(db: Kysely<RuntimeTables>) {
  const laterTime = sql<string>`case when excluded.updated_at > conversations.updated_at
    then excluded.updated_at else conversations.updated_at end`
  const isOwn = sql<boolean>`conversations.agent_id = excluded.agent_id and (conversations.user_id is null
    or excluded.user_id is null or conversations.user_id = excluded.user_id)`
  return {
    // Counts and numbers the messages in one statement: no two appends get the same numbers. It looks whose the
    // conversation is, too, by the rule of `isOwnConversation`: whoever looked before may have been overtaken.
    append: compileStatement<AppendArgs, Appended>('write', (args) =>
      db
        .insertInto('conversations')
        .values({
          id: args.id,
          agent_id: args.agentId,
          user_id: args.userId,
          chosen_id: args.chosenId,
          title: args.title,
          summary: null,
          summarized_seq: 0,
          message_count: args.count,
          created_at: args.now,
          updated_at: args.now,
        })
        .onConflict((conflict) =>
          conflict
            .column('id')
            .doUpdateSet({
              message_count: sql<number>`conversations.message_count + excluded.message_count`,
              updated_at: laterTime,
            })
            .where(isOwn),
        )
        .returning(['message_count as messageCount', 'created_at as createdAt']),
    ),
    /** The same for a conversation that was there: none is made in its place. */
    goOn: compileStatement<AppendArgs & { createdAt: string }, Appended>(
      'write',
      ({ id, agentId, userId, count, now, createdAt }) =>
        db
          .updateTable('conversations')
          .set({
            message_count: sql<number>`message_count + ${count}`,
            updated_at: sql<string>`case when updated_at < ${now} then ${now} else updated_at end`,
          })
          .where('id', '=', id)
          .where('created_at', '=', createdAt)
          .where('agent_id', '=', agentId)
          .where(sql<boolean>`coalesce(user_id, ${userId}, '') = coalesce(${userId}, user_id, '')`)
          .returning(['message_count as messageCount', 'created_at as createdAt']),
    ),
  }
}

/** Statements that change a conversation as a whole. */
export function createConversationChanges(db: Kysely<RuntimeTables>) {
  return {
    setTitle: compileStatement<{ id: string; title: string | null; now: string }, { id: string }>(
      'write',
      ({ id, title, now }) =>
        db
          .updateTable('conversations')
          .set({
            title,
            updated_at: sql<string>`case when updated_at < ${now} then ${now} else updated_at end`,
          })
          .where('id', '=', id)
          .returning('id'),
    ),
    saveSummary: compileStatement<SummaryArgs, { id: string }>(
      'write',
      ({ id, createdAt, summary, throughSeq }) =>
        db
          .updateTable('conversations')
          .set({
            summary: sql<string>`case when ${throughSeq} < summarized_seq then summary else ${summary} end`,
            // Never beyond what there is: messages to come are in no summary yet.
            summarized_seq: sql<number>`case when ${throughSeq} < summarized_seq then summarized_seq
              when ${throughSeq} > message_count then message_count else ${throughSeq} end`,
          })
          .where('id', '=', id)
          .where('created_at', '=', createdAt)
          .returning('id'),
    ),
    cut: compileStatement<{ id: string; createdAt: string; fromSeq: number; now: string }, { id: string }>(
      'write',
      ({ id, createdAt, fromSeq, now }) =>
        db
          .updateTable('conversations')
          .set({
            message_count: sql<number>`case when message_count < ${fromSeq} then message_count else ${fromSeq} - 1 end`,
            summary: sql<string | null>`case when summarized_seq < ${fromSeq} then summary else null end`,
            summarized_seq: sql<number>`case when summarized_seq < ${fromSeq} then summarized_seq else 0 end`,
            updated_at: sql<string>`case when updated_at < ${now} then ${now} else updated_at end`,
          })
          .where('id', '=', id)
          .where('created_at', '=', createdAt)
          .returning('id'),
    ),
    delete: compileStatement<{ id: string }, { id: string }>('write', ({ id }) =>
      db.deleteFrom('conversations').where('id', '=', id).returning('id'),
    ),
    /** Remembered decisions about the calls of a conversation. */
    forgetCalls: compileStatement<{ id: string }, unknown>('write', ({ id }) =>
      db.deleteFrom('remembered_calls').where('conversation_id', '=', id),
    ),
  }
}

/** A conversation as it is read. */
export interface ConversationRow extends ConversationsTable {
  readonly active_run_id: string | null
}

/** A conversation as a list reads it. */
export interface ListedConversationRow extends ConversationRow {
  readonly active_run_status: 'running' | 'waiting' | null
}

const activeRun = (db: Kysely<RuntimeTables>) =>
  db
    .selectFrom('runs')
    .where(sql<boolean>`runs.conversation_id = conversations.id`)
    .where('runs.finished_at', 'is', null)
    .orderBy('runs.created_at', 'desc')
    .orderBy('runs.id', 'desc')
    .limit(1)

const selectConversations = (db: Kysely<RuntimeTables>) =>
  db.selectFrom('conversations').selectAll().select(activeRun(db).select('runs.id').as('active_run_id'))

/** Statements that read conversations. */
export function createConversationReads(db: Kysely<RuntimeTables>) {
  return {
    find: compileStatement<{ id: string }, ConversationRow>('read', ({ id }) =>
      selectConversations(db).where('id', '=', id),
    ),
  }
}

/** Statements that change messages, each of them a row. */
export function createMessageChanges(db: Kysely<RuntimeTables>) {
  return {
    cutMessages: compileStatement<{ id: string; fromSeq: number }, unknown>('write', ({ id, fromSeq }) =>
      db.deleteFrom('messages').where('conversation_id', '=', id).where('seq', '>=', fromSeq),
    ),
  }
}

/** Statements that read messages, each of them a row. */
export function createMessageReads(db: Kysely<RuntimeTables>) {
  return {
    listMessages: compileStatement<{ id: string; before: number; limit: number }, MessagesTable>(
      'read',
      ({ id, before, limit }) =>
        db
          .selectFrom('messages')
          .selectAll()
          .where('conversation_id', '=', id)
          .where('seq', '<', before)
          .orderBy('seq', 'desc')
          .limit(limit),
    ),
  }
}

/**
 * Whether a conversation has a run of one of the sources in a list, or no run at all. With `exists`, Postgres would read all runs
 * into a hash table.
 */
const hasSource = (sources: string) => sql<boolean>`(
  (select 1 from runs where runs.conversation_id = conversations.id and ${isInList('runs.source', sources)} limit 1) is not null
  or (select 1 from runs where runs.conversation_id = conversations.id limit 1) is null)`

/** The list of one shape. */
export function compileConversationList(db: Kysely<RuntimeTables>, shape: ConversationListShape) {
  return compileStatement<ConversationListArgs, ListedConversationRow>('read', (args) => {
    const status = activeRun(db)
      .select(sql<'running' | 'waiting'>`runs.status`.as('status'))
      .as('active_run_status')
    let query = selectConversations(db).select(status).limit(args.limit)
    if (shape.byAgent) query = query.where('agent_id', '=', args.agentId)
    if (shape.byUser) query = query.where('user_id', '=', args.userId)
    if (shape.byChosenId) query = query.where('chosen_id', '=', args.chosenId)
    if (shape.byAgents) query = query.where(isInList('agent_id', args.agentIds))
    if (shape.bySources) query = query.where(hasSource(args.sources))
    if (shape.after) {
      query = query
        .where('updated_at', '<=', args.afterTime)
        .where((eb) => eb.or([eb('updated_at', '<', args.afterTime), eb('id', '>', args.afterId)]))
    }
    return query.orderBy('updated_at', 'desc').orderBy('id')
  })
}
