import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { all, buildOnce, change, compileStatement, each, first } from '@homeward/kit/sql'
import type { SenderLink, StoredSender } from '../../ports/channel-sender.ts'
import type { StoredTask } from '../../ports/task-store.ts'
import { fromJson } from '../json.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'
import { createSenderStatements, type SenderRow, toPendingRow, toStoredSender } from './sender-statements.ts'

/** Gives memories of one user to another one. Each database finds them by an index of its own. */
export interface MemoryMoves {
  moveMemories(from: string, to: string): Plan<void>
}

/** Linking the chats of one person, as plans that others are made of. */
export function createLinkPlans(db: Kysely<RuntimeTables>, { moveMemories }: MemoryMoves) {
  const senders = buildOnce(db, createSenderStatements)
  const links = buildOnce(db, createLinkStatements)

  /** Runs that are under way write into the conversation as the user that they have: theirs stay. */
  function* moveConversations(from: string, to: string): Plan<void> {
    const tasks = yield* all(links.openTasks, { userId: from })
    const busy = new Set(tasks.map(({ task }) => fromJson<StoredTask>(task).conversationId))
    const idle = (yield* all(links.idleConversations, { userId: from })).filter(({ id }) => !busy.has(id))
    if (idle.length > 0)
      yield* each(
        links.moveConversation,
        idle.map(({ id }) => ({ id, userId: to })),
      )
  }

  return {
    /** Whether the code of a change is still the one by which it was judged. */
    *isLinkable({ change: changed }: SenderLink, now: string): Plan<boolean> {
      const code = changed?.code
      if (code === undefined) return true
      const row = yield* first(links.findByCode, { code: code.text, now })
      const { channel, id, userId = null } = code.sender
      return row?.channel === channel && row.id === id && row.user_id === userId
    },

    *link({ peer, own, offer, change: changed }: SenderLink, now: string): Plan<void> {
      const { channel, id } = peer
      const known = yield* first(senders.find, { channel, id })
      // pending says nothing: whoever may write by the settings still may
      if (known === undefined) yield* change(senders.put, toPendingRow(peer, undefined, now))
      if (offer) yield* change(links.offer, { channel, id, code: offer.code, until: offer.until })
      if (!changed) return
      const { userId, code } = changed
      if (code) yield* change(links.offer, { ...code.sender, code: null, until: null })
      if (userId === null) {
        if ((known?.user_id ?? own) === own) yield* change(links.release, { userId: own })
        yield* change(links.setUser, { channel, id, userId: null })
        return
      }
      // those who joined this person come along
      yield* change(links.follow, { userId: own, to: userId })
      yield* change(links.setUser, { channel, id, userId: userId === own ? null : userId })
      if (userId === own) return
      yield* moveMemories(own, userId)
      yield* moveConversations(own, userId)
    },

    *findSenderByCode(code: string, now: string): Plan<StoredSender | undefined> {
      const row = yield* first(links.findByCode, { code, now })
      return row && toStoredSender(row)
    },
  }
}

function createLinkStatements(db: Kysely<RuntimeTables>) {
  type Key = { readonly channel: string; readonly id: string }
  return {
    findByCode: compileStatement<{ code: string; now: string }, SenderRow>('read', ({ code, now }) =>
      db
        .selectFrom('channel_senders')
        .selectAll()
        .where('link_code', '=', code)
        .where('link_until', '>', now)
        .where('status', '<>', sql.lit('blocked')),
    ),
    offer: compileStatement<Key & { code: string | null; until: string | null }, unknown>(
      'write',
      ({ channel, id, code, until }) =>
        db
          .updateTable('channel_senders')
          .set({ link_code: code, link_until: until })
          .where('channel', '=', channel)
          .where('id', '=', id),
    ),
    setUser: compileStatement<Key & { userId: string | null }, unknown>('write', ({ channel, id, userId }) =>
      db
        .updateTable('channel_senders')
        .set({ user_id: userId })
        .where('channel', '=', channel)
        .where('id', '=', id),
    ),
    follow: compileStatement<{ userId: string; to: string }, unknown>('write', ({ userId, to }) =>
      db.updateTable('channel_senders').set({ user_id: to }).where('user_id', '=', userId),
    ),
    release: compileStatement<{ userId: string }, unknown>('write', ({ userId }) =>
      db.updateTable('channel_senders').set({ user_id: null }).where('user_id', '=', userId),
    ),
    openTasks: compileStatement<{ userId: string }, { task: string }>('read', ({ userId }) =>
      db.selectFrom('tasks').select('task').where('user_id', '=', userId).where('finished_at', 'is', null),
    ),
    idleConversations: compileStatement<{ userId: string }, { id: string }>('read', ({ userId }) =>
      db
        .selectFrom('conversations')
        .select('id')
        .where('user_id', '=', userId)
        .where(
          sql<boolean>`not exists (select 1 from runs
            where runs.conversation_id = conversations.id and runs.finished_at is null)`,
        ),
    ),
    moveConversation: compileStatement<{ id: string; userId: string }, unknown>('write', ({ id, userId }) =>
      db.updateTable('conversations').set({ user_id: userId }).where('id', '=', id),
    ),
  }
}

/** Lets senders be linked to a user. */
export const addLinkColumns = (): readonly string[] => [
  'alter table channel_senders add column user_id text',
  'alter table channel_senders add column link_code text',
  'alter table channel_senders add column link_until text',
  'create index channel_senders_user on channel_senders (user_id) where user_id is not null',
  'create index channel_senders_link on channel_senders (link_code) where link_code is not null',
]
