import type { ChannelMessageStatus } from '@homeward/contract/agent-platform'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { compileStatement } from '@homeward/kit/sql'
import type { ChannelMessageRow } from './channel-statements.ts'
import type { RuntimeTables } from '../schema.ts'

/** What a list of messages filters by. */
export interface ChannelListShape extends Record<string, boolean | string | undefined> {
  readonly byChannel: boolean
  readonly byConversation: boolean
  readonly status: ChannelMessageStatus | undefined
}

/** The conditions of the small indexes: of those that are not done with, and of those that a person decides about. */
export const isOpen = sql<boolean>`open = 1`
export const isInTrouble = sql<boolean>`status in ('failed', 'uncertain')`

/** The list of one shape, newest first. */
export function compileChannelList(
  db: Kysely<RuntimeTables>,
  { byChannel, byConversation, status }: ChannelListShape,
) {
  return compileStatement<
    { channel: string; conversation: string; before: number; limit: number },
    ChannelMessageRow
  >('read', ({ channel, conversation, before, limit }) => {
    let query = db.selectFrom('channel_messages').selectAll().where('seq', '<', before).limit(limit)
    if (byChannel) query = query.where('channel', '=', channel)
    if (byConversation) query = query.where('conversation_id', '=', conversation)
    if (status !== undefined) query = query.where('status', '=', sql.lit(status))
    // The condition of the small index again: that is how the planner sees that it will do.
    if (status === 'waiting' || status === 'delivering') query = query.where(isOpen)
    if (status === 'failed' || status === 'uncertain') query = query.where(isInTrouble)
    return query.orderBy('seq', 'desc')
  })
}
