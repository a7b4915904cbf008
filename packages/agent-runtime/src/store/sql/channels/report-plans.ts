import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { all, buildOnce, change, compileStatement, first } from '@homeward/kit/sql'
import type { NewChannelMessage } from '../../ports/channel-store.ts'
import type { NewTask } from '../../ports/task-store.ts'
import { repeatableId } from '../../repeatable-id.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'
import { toNewChannelMessage } from './channel-changes.ts'
import { toChannelRowChange } from './channel-row.ts'
import { createMessageStatements } from './channel-statements.ts'
import { createFindChat } from './chat-plans.ts'
import { createAddMessage } from './message-plans.ts'

const unknownChat = {
  code: 'not_found',
  message: 'The report was not sent: the channel does not know this conversation anymore.',
}

function createReportStatements(db: Kysely<RuntimeTables>) {
  return {
    /** Reports that nobody has begun to deliver. */
    listWaiting: compileStatement<{ taskId: string }, { conversation_id: string }>('read', ({ taskId }) =>
      db
        .selectFrom('channel_messages')
        .select('conversation_id')
        .where('task_id', '=', taskId)
        .where('is_report', '=', sql.lit(1))
        .where('status', '=', sql.lit('waiting')),
    ),
  }
}

/**
 * Stores the messages that report a task, as part of another plan. A message that waits for the end of the task already is
 * not stored again.
 */
export function createAddReports(db: Kysely<RuntimeTables>) {
  const messages = buildOnce(db, createMessageStatements)
  const reports = buildOnce(db, createReportStatements)
  const findChat = createFindChat(db)
  const addMessage = createAddMessage(db)

  function* fail(message: NewChannelMessage): Plan<void> {
    const row = yield* first(messages.find, { id: message.id })
    if (row === undefined) return
    const failed = { ...toNewChannelMessage(message), status: 'failed', failure: unknownChat } as const
    yield* change(messages.change, toChannelRowChange(row.seq, failed))
  }

  /** @param runCount tells the reports of a task that was begun again from those before */
  return function* addReports(
    { id: taskId, reportTo = [] }: NewTask,
    runCount: number,
    now: string,
  ): Plan<void> {
    if (reportTo.length === 0) return
    const waiting = yield* all(reports.listWaiting, { taskId })
    // one chat may be named in several ways
    const reported = new Set(waiting.map(({ conversation_id }) => conversation_id))
    for (const { channel, conversationId } of reportTo) {
      const chat = yield* findChat(channel, conversationId)
      const chatId = chat?.id ?? conversationId
      if (reported.has(chatId)) continue
      reported.add(chatId)
      const message: NewChannelMessage = {
        id: repeatableId(taskId, ['report', channel, conversationId, runCount]),
        channel,
        conversationId: chatId,
        text: '',
        target: chat?.target ?? { data: {} },
        taskId,
        isReport: true,
        receivedAt: now,
      }
      yield* addMessage(message)
      if (chat === undefined) yield* fail(message)
    }
  }
}
