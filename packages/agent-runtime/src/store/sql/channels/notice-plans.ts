import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { all, buildOnce, change, compileStatement, first } from '@homeward/kit/sql'
import type {
  ApprovalNoticeInput,
  ApprovalNoticeClose,
  NoticeStep,
  StoredApprovalNotice,
} from '../../ports/approval-notice.ts'
import type { StoredWait } from '../../ports/wait.ts'
import type { Plan } from '../plan.ts'
import { toWait, type WaitPlans, type WaitRow } from '../runs/wait-plans.ts'
import type { RuntimeTables } from '../schema.ts'
import { createAddMessage } from './message-plans.ts'
import type { ApprovalNoticesTable } from './notice-tables.ts'

/** A notice with its approval, as it is read. */
type NoticeRow = WaitRow & Pick<ApprovalNoticesTable, 'channel' | 'chat' | 'code' | 'message_id' | 'blocking'>

interface Key {
  runId: string
  approvalId: string
}

/** Announcements of calls that wait for a person, as plans. */
export function createNoticePlans(db: Kysely<RuntimeTables>) {
  const statements = buildOnce(db, createStatements)
  const addMessage = createAddMessage(db)

  return {
    *listUnannounced(limit: number): Plan<StoredWait[]> {
      return (yield* all(statements.listUnannounced, { limit })).map(toWait)
    },
    *announceApproval({ runId, approvalId, notices }: ApprovalNoticeInput): Plan<boolean> {
      if ((yield* first(statements.markAnnounced, { runId, approvalId })) === undefined) return false
      for (const { notice, message } of notices) {
        yield* change(statements.insert, {
          runId,
          approvalId,
          channel: message.channel,
          chat: message.conversationId,
          code: notice.code,
          messageId: message.id,
          blocking: notice.isBlocking ? 1 : 0,
        })
        yield* addMessage(message)
      }
      return true
    },
    *listClosableNotices(limit: number): Plan<StoredApprovalNotice[]> {
      return (yield* all(statements.listClosable, { limit })).map(toNotice)
    },
    *closeNotice({ runId, approvalId, chat, message }: ApprovalNoticeClose): Plan<boolean> {
      if ((yield* first(statements.close, { runId, approvalId, chat })) === undefined) return false
      if (message) yield* addMessage(message)
      return true
    },
    *findChatNotices(chat: string, code?: string): Plan<StoredApprovalNotice[]> {
      const open = (yield* all(statements.listOfChat, { chat })).map(toNotice)
      if (code === undefined) return open
      const named = (yield* all(statements.findByCode, { chat, code })).map(toNotice)
      return [...open, ...named.filter(({ wait }) => wait.status !== 'open')]
    },
  }
}

/** What messages of people do to questions, as part of another plan. */
export function createTakeStep(db: Kysely<RuntimeTables>, { settleWait }: Pick<WaitPlans, 'settleWait'>) {
  const statements = buildOnce(db, createStatements)
  const addMessage = createAddMessage(db)
  return {
    /** Whether the question is as it was when the message was judged. */
    *isCurrent({ approvalId, chat, code }: NoticeStep): Plan<boolean> {
      const rows = yield* all(statements.findByCode, { chat, code })
      return rows.some(({ id, status }) => id === approvalId && status === 'open')
    },
    *take({ runId, approvalId, chat, settles, next, replacement }: NoticeStep): Plan<void> {
      if (replacement) yield* addMessage(replacement)
      if (next) {
        const { code, message } = next
        yield* change(statements.move, { runId, approvalId, chat, code, messageId: message.id })
        yield* addMessage(message)
      }
      if (!settles) return
      yield* settleWait(settles)
      yield* first(statements.close, { runId, approvalId, chat })
    },
  }
}

function toNotice(row: NoticeRow): StoredApprovalNotice {
  return {
    runId: row.run_id,
    approvalId: row.id,
    channel: row.channel,
    chat: row.chat,
    code: row.code,
    messageId: row.message_id,
    isBlocking: row.blocking === 1,
    wait: toWait(row),
  }
}

type NewNotice = Key & { channel: string; chat: string; code: string; messageId: string; blocking: number }

function createStatements(db: Kysely<RuntimeTables>) {
  const notices = () =>
    db
      .selectFrom('approval_notices as n')
      .innerJoin('waits as a', (join) =>
        join.onRef('a.run_id', '=', 'n.run_id').onRef('a.id', '=', 'n.approval_id'),
      )
      .selectAll('a')
      .select(['n.channel', 'n.chat', 'n.code', 'n.message_id', 'n.blocking'])
  return {
    listUnannounced: compileStatement<{ limit: number }, WaitRow>('read', ({ limit }) =>
      db
        .selectFrom('waits')
        .selectAll()
        .where(sql<boolean>`status = 'open' and announced = 0`)
        .orderBy('seq')
        .limit(limit),
    ),
    markAnnounced: compileStatement<Key, { id: string }>('write', ({ runId, approvalId }) =>
      db
        .updateTable('waits')
        .set({ announced: sql.lit(1) })
        .where('run_id', '=', runId)
        .where('id', '=', approvalId)
        .where(sql<boolean>`status = 'open' and announced = 0`)
        .returning('id'),
    ),
    insert: compileStatement<NewNotice, unknown>('write', (row) =>
      db.insertInto('approval_notices').values({
        run_id: row.runId,
        approval_id: row.approvalId,
        channel: row.channel,
        chat: row.chat,
        code: row.code,
        message_id: row.messageId,
        blocking: row.blocking,
        open: sql.lit(1),
      }),
    ),
    listClosable: compileStatement<{ limit: number }, NoticeRow>('read', ({ limit }) =>
      notices()
        .where(sql<boolean>`n.open = 1`)
        .where('a.status', '<>', sql.lit('open'))
        .limit(limit),
    ),
    close: compileStatement<Key & { chat: string }, { code: string }>(
      'write',
      ({ runId, approvalId, chat }) =>
        db
          .updateTable('approval_notices')
          .set({ open: sql.lit(0) })
          .where('run_id', '=', runId)
          .where('approval_id', '=', approvalId)
          .where('chat', '=', chat)
          .where(sql<boolean>`open = 1`)
          .returning('code'),
    ),
    move: compileStatement<Omit<NewNotice, 'channel' | 'blocking'>, unknown>('write', (row) =>
      db
        .updateTable('approval_notices')
        .set({ code: row.code, message_id: row.messageId })
        .where('run_id', '=', row.runId)
        .where('approval_id', '=', row.approvalId)
        .where('chat', '=', row.chat),
    ),
    listOfChat: compileStatement<{ chat: string }, NoticeRow>('read', ({ chat }) =>
      notices()
        .where('n.chat', '=', chat)
        .where(sql<boolean>`n.open = 1`)
        .where('a.status', '=', sql.lit('open'))
        .orderBy('a.seq'),
    ),
    findByCode: compileStatement<{ chat: string; code: string }, NoticeRow>('read', ({ chat, code }) =>
      notices().where('n.chat', '=', chat).where('n.code', '=', code),
    ),
  }
}
