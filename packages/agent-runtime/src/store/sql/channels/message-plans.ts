import type { Kysely } from 'kysely'
import { buildOnce, change, emit } from '@homeward/kit/sql'
import type { NewChannelMessage, StoredChannelMessage } from '../../ports/channel-store.ts'
import type { FilePlans } from '../files/file-plans.ts'
import type { WithContents } from '../../ports/file-store.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'
import { toNewChannelMessage } from './channel-changes.ts'
import type { ChannelReads } from './channel-reads.ts'
import { createMessageStatements } from './channel-statements.ts'

/** Storing a message, as part of another plan. */
export function createAddMessage(db: Kysely<RuntimeTables>) {
  const messages = buildOnce(db, createMessageStatements)
  return function* addMessage(message: NewChannelMessage): Plan<void> {
    yield* change(messages.insert, {
      id: message.id,
      channel: message.channel,
      conversation_id: message.conversationId,
      task_id: message.taskId ?? null,
      is_report: message.isReport ? 1 : 0,
      updated_at: message.receivedAt,
      message: JSON.stringify(message),
    })
  }
}

/** The verb of `ChannelStore` that sends messages which start with the agent, as a plan. */
export function createSendPlans(
  db: Kysely<RuntimeTables>,
  { findChannelMessage, saveFiles }: Pick<ChannelReads, 'findChannelMessage'> & Pick<FilePlans, 'saveFiles'>,
) {
  const addMessage = createAddMessage(db)
  return {
    *sendChannelMessage({ contents, ...message }: WithContents<NewChannelMessage>): Plan<{
      readonly message: StoredChannelMessage
      readonly created: boolean
    }> {
      const known = yield* findChannelMessage(message.id)
      if (known !== undefined) return { message: known, created: false }
      yield* addMessage(message)
      if (message.sentFiles !== undefined) {
        const owner = { kind: 'message', id: message.id } as const
        yield* saveFiles({ owner, files: message.sentFiles, contents, now: message.receivedAt })
      }
      yield* emit({ topic: 'task' })
      return { message: toNewChannelMessage(message), created: true }
    },
  }
}
