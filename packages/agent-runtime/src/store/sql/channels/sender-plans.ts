import type { Kysely } from 'kysely'
import { all, buildOnce, change, each, first, emit } from '@homeward/kit/sql'
import type { SenderDecision, SenderRequest, StoredSender } from '../../ports/channel-sender.ts'
import type { JournalPlans } from '../journal/journal-plans.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'
import { toStoredChat } from './chat-plans.ts'
import { createChatStatements } from './chat-statements.ts'
import { createAddMessage } from './message-plans.ts'
import { createLinkPlans, type MemoryMoves } from './link-plans.ts'
import { createSenderStatements, type SenderRow, toPendingRow, toStoredSender } from './sender-statements.ts'

/** The verbs of `ChannelStore` on senders as plans. */
export function createSenderPlans(
  db: Kysely<RuntimeTables>,
  { addEvents, moveMemories }: Pick<JournalPlans, 'addEvents'> & MemoryMoves,
) {
  const { link, findSenderByCode } = createLinkPlans(db, { moveMemories })
  const senders = buildOnce(db, createSenderStatements)
  const chats = buildOnce(db, createChatStatements)
  const addMessage = createAddMessage(db)

  function* sayWelcome({ channel, id, welcome, now }: SenderDecision): Plan<void> {
    const found = welcome && (yield* first(chats.findOfPerson, { channel, id }))
    if (welcome === undefined || found === undefined) return
    const { id: conversationId, target } = toStoredChat(found)
    const { text } = welcome
    yield* addMessage({
      id: welcome.id,
      channel,
      conversationId,
      text,
      answer: text,
      target,
      receivedAt: now,
    })
    yield* emit({ topic: 'task' })
  }

  return {
    findSenderByCode,

    *findChannelSenders(channel: string, ids: readonly string[]): Plan<readonly StoredSender[]> {
      if (ids.length === 0) return []
      const rows = yield* each(
        senders.find,
        [...new Set(ids)].map((id) => ({ channel, id })),
      )
      return rows.map(toStoredSender)
    },

    *listChannelSenders(channel: string): Plan<readonly StoredSender[]> {
      const rows = yield* all(senders.list, { channel })
      return rows.map(toStoredSender).toSorted((a, b) => (a.lastSeenAt > b.lastSeenAt ? -1 : 1))
    },

    *decideChannelSender(decision: SenderDecision): Plan<StoredSender | undefined> {
      const { channel, id, kind, code, now, journal, link: linked } = decision
      const known = yield* first(senders.find, { channel, id })
      const status = decision.status ?? known?.status
      if (status === undefined) return undefined
      if (code !== undefined && !isValidCode(known, code, now)) return undefined
      const row = {
        channel,
        id,
        kind: known?.kind ?? kind ?? null,
        name: known?.name ?? null,
        status,
        code: decision.status === undefined ? (known?.code ?? null) : null,
        code_until: decision.status === undefined ? (known?.code_until ?? null) : null,
        first_seen_at: known?.first_seen_at ?? now,
        last_seen_at: known?.last_seen_at ?? now,
      }
      yield* change(senders.put, row)
      const couldNotWrite = known !== undefined && known.status !== 'allowed' && row.kind !== 'group'
      if (status === 'allowed' && couldNotWrite) yield* sayWelcome(decision)
      if (linked) {
        const { own, userId } = linked
        yield* link({ peer: { channel, id, kind: 'person' }, own, change: { userId } }, now)
      }
      yield* addEvents(journal)
      return toStoredSender((yield* first(senders.find, { channel, id })) ?? { ...row, user_id: null })
    },
  }
}

/** Stores an unknown sender. @returns whether there is something to say: it is new, or gets another code. */
export function createKnockPlan(db: Kysely<RuntimeTables>) {
  const senders = buildOnce(db, createSenderStatements)
  const chats = buildOnce(db, createChatStatements)

  function* makeRoom({ peer, maxPending }: SenderRequest, now: string): Plan<boolean> {
    const { channel, kind } = peer
    const counted = yield* first(senders.countPending, { channel, kind })
    if ((counted?.count ?? 0) < maxPending) return true
    const stale = yield* first(senders.findStale, { channel, kind, now })
    if (stale === undefined) return false
    yield* change(senders.delete, { channel, id: stale.id })
    yield* change(chats.deleteUnused, { channel, id: stale.id })
    return true
  }

  return function* knock(given: SenderRequest, now: string): Plan<boolean> {
    const { peer, pairing } = given
    const known = yield* first(senders.find, { channel: peer.channel, id: peer.id })
    if (known !== undefined) {
      // what the operator has decided stays, also for a person with the id of a group
      const isPending = known.status === 'pending'
      if (!isPending || pairing === undefined || (known.code_until ?? '') > now) return false
      const row = toPendingRow(peer, pairing, now)
      yield* change(senders.put, { ...row, first_seen_at: known.first_seen_at })
      return true
    }
    if (!(yield* makeRoom(given, now))) return false
    yield* change(senders.put, toPendingRow(peer, pairing, now))
    return true
  }
}

function isValidCode(row: SenderRow | undefined, code: string, now: string): boolean {
  return row?.status === 'pending' && row.code === code && (row.code_until ?? '') > now
}
