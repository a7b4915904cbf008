import type { Kysely } from 'kysely'
import { all, buildOnce, each, first, rememberStatements } from '@homeward/kit/sql'
import { numberPositionOf, toPage } from '../../cursor.ts'
import type { ChannelMessageFilter, StoredChannelMessage } from '../../ports/channel-store.ts'
import type { Page, PageRequest } from '../../ports/page.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'
import { compileChannelList, type ChannelListShape } from './channel-list.ts'
import { toOutPart, toStoredChannelMessage } from './channel-row.ts'
import {
  createMessageStatements,
  createPartStatements,
  type ChannelMessageRow,
} from './channel-statements.ts'

/** The verbs of `ChannelStore` that read messages as plans. */
export function createChannelReads(db: Kysely<RuntimeTables>) {
  const messages = buildOnce(db, createMessageStatements)
  const parts = buildOnce(db, createPartStatements)
  const listOf = rememberStatements((shape: ChannelListShape) => compileChannelList(db, shape))

  return {
    *findChannelMessage(id: string): Plan<StoredChannelMessage | undefined> {
      const row = yield* first(messages.find, { id })
      if (row === undefined) return undefined
      return toStoredChannelMessage(row, (yield* all(parts.list, { seq: row.seq })).map(toOutPart))
    },

    *listChannelMessages(
      { channel, conversationId, status }: ChannelMessageFilter,
      page: PageRequest,
    ): Plan<Page<StoredChannelMessage>> {
      const before = numberPositionOf(page) ?? Number.MAX_SAFE_INTEGER
      const shape = {
        byChannel: channel !== undefined,
        byConversation: conversationId !== undefined,
        status,
      }
      const args = {
        channel: channel ?? '',
        conversation: conversationId ?? '',
        before,
        limit: page.limit + 1,
      }
      const rows = yield* all(listOf(shape), args)
      const partRows = yield* each(
        parts.list,
        rows.slice(0, page.limit).map(({ seq }) => ({ seq })),
      )
      const toMessage = (row: ChannelMessageRow) =>
        toStoredChannelMessage(
          row,
          partRows.filter(({ message_seq }) => message_seq === row.seq).map(toOutPart),
        )
      return toPage(rows, page.limit, toMessage, ({ seq }) => [seq])
    },

    *countChannelMessages(
      channel: string,
    ): Plan<{ readonly waiting: number; readonly failed: number; readonly uncertain: number }> {
      const counted = yield* first(messages.count, { channel })
      return {
        waiting: counted?.waiting ?? 0,
        failed: counted?.failed ?? 0,
        uncertain: counted?.uncertain ?? 0,
      }
    },
  }
}

/** See {@link createChannelReads}. */
export type ChannelReads = ReturnType<typeof createChannelReads>
