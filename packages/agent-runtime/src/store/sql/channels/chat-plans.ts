import type { Kysely } from 'kysely'
import { all, buildOnce, change, each, first } from '@homeward/kit/sql'
import type { ReplyTarget } from '../../../ports/channel.ts'
import type { ChatWork, ChatRecord, StoredChat } from '../../ports/channel-chat.ts'
import { fromJson } from '../json.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'
import type { TaskPlans } from '../tasks/task-plans.ts'
import { channelRowsAtOnce } from './channel-statements.ts'
import { createChatStatements, type ChatRow } from './chat-statements.ts'

/** Looking for a chat, as a plan that others are made of. */
export function createFindChat(db: Kysely<RuntimeTables>) {
  const chats = buildOnce(db, createChatStatements)
  return function* findChat(channel: string, conversationId: string): Plan<StoredChat | undefined> {
    const found =
      (yield* first(chats.find, { chat: conversationId })) ??
      (yield* first(chats.find, { chat: `${channel}:${conversationId}` })) ??
      (yield* first(chats.findBegun, { conversationId })) ??
      (yield* first(chats.findUsed, { conversationId }))
    return found?.channel === channel ? toStoredChat(found) : undefined
  }
}

/** The verbs of `ChannelStore` on chats as plans. */
export function createChatPlans(db: Kysely<RuntimeTables>, { findTask }: Pick<TaskPlans, 'findTask'>) {
  const chats = buildOnce(db, createChatStatements)
  return {
    findChat: createFindChat(db),

    *findChatConversation(chat: string): Plan<string | undefined> {
      return (yield* first(chats.find, { chat }))?.conversation_id ?? undefined
    },

    *findChatWork(chat: string): Plan<ChatWork> {
      const rows = yield* all(chats.listWork, { chat })
      const [oldest] = rows
      const task = oldest && (yield* findTask(oldest.task_id))
      return { ...(task && { task }), count: rows.length }
    },

    /** Removes old chats of which no message is stored, if there are too many. @returns whether there may be more. */
    *pruneChats(): Plan<boolean> {
      const surplus = yield* all(chats.listSurplus, {})
      if (surplus.length === 0) return false
      yield* each(chats.delete, surplus)
      return surplus.length === channelRowsAtOnce
    },
  }
}

/** Stores the chat of a message, as part of another plan. */
export function createSeeChat(db: Kysely<RuntimeTables>) {
  const chats = buildOnce(db, createChatStatements)
  return function* see({ id, channel, target, peer, conversationId }: ChatRecord, now: string): Plan<void> {
    const known = yield* first(chats.find, { chat: id })
    const row = {
      chat: id,
      channel,
      target: JSON.stringify(target),
      peer_kind: peer.kind,
      peer_id: peer.id,
      used_conversation_id: conversationId ?? known?.used_conversation_id ?? null,
      last_seen_at: now,
    }
    // an insert that finds a conflict would use up a number of the table
    yield* change(known === undefined ? chats.insert : chats.touch, row)
  }
}

/** A chat from its row. */
export function toStoredChat(row: ChatRow): StoredChat {
  return {
    id: row.chat,
    channel: row.channel,
    target: fromJson<ReplyTarget>(row.target),
    peer: { kind: row.peer_kind, id: row.peer_id },
    lastSeenAt: row.last_seen_at,
  }
}
