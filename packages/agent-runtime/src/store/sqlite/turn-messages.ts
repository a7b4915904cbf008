import type { Kysely } from 'kysely'
import { all, change, first, type Statement } from '@homeward/kit/sql'
import type { NewMessage, StoredMessage } from '../ports/conversation-store.ts'
import type { ModelMessage } from '../../ports/message.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { fromJson } from '../sql/json.ts'
import { createMessageRows, type MessageRows } from '../sql/conversations/message-rows.ts'
import type { Plan } from '../sql/plan.ts'
import type { RuntimeTables } from '../sql/schema.ts'
import { toTurnId } from '../sql/conversations/turn-id.ts'

/** Turns of the first read of a page; each further one reads four times as many, up to the most. */
const fewTurns = 4
const mostTurns = 64

/**
 * Keeps what a run adds to a conversation as one row, whatever it holds: in a table of messages each of them is entered
 * in two indexes. Other messages, and those that older releases wrote, are rows of their own.
 */
export function createTurnMessages(db: Kysely<RuntimeTables>): MessageRows {
  const singles = createMessageRows(db)
  return {
    *append(append, firstSeq) {
      const { conversationId, messages, turnOf: runId, now: createdAt } = append
      const isNew = firstSeq === 1
      if (runId === undefined) {
        if (!isNew) yield* assertNotInTurns(conversationId, messages)
        yield* singles.append(append, firstSeq)
        return
      }
      const count = messages.length
      if (!isNew) yield* assertNoSingles(conversationId, runId, count)
      const json = JSON.stringify(messages.map(({ message }) => message))
      yield* change(insertTurn, { conversationId, runId, firstSeq, count, createdAt, messages: json })
    },

    *list(id, before, limit) {
      const found = yield* singles.list(id, before, limit)
      found.push(...(yield* listOfTurns(id, before, limit)))
      return found.toSorted((a, b) => b.seq - a.seq).slice(0, limit)
    },

    *cut(conversationId, fromSeq) {
      yield* singles.cut(conversationId, fromSeq)
      yield* change(deleteTurns, { conversationId, fromSeq })
      const [last] = yield* all(listTurns, { conversationId, before: fromSeq, limit: 1 })
      if (last === undefined || last.firstSeq + last.count <= fromSeq) return
      const left = fromSeq - last.firstSeq
      const messages = JSON.stringify(fromJson<ModelMessage[]>(last.messages).slice(0, left))
      yield* change(shortenTurn, { ...last, count: left, messages })
    },
  }
}

/** Refuses a turn when a message of its own row has one of its ids. That the run has no other turn, the index sees to. */
function* assertNoSingles(conversationId: string, runId: string, count: number): Plan<void> {
  const range = { conversationId, first: `${runId}.`, end: `${runId}/` } // "/" comes behind "."
  for (const { id } of yield* all(listMessageIds, range)) {
    const place = placeInTurn(id)
    if (place && place.index < count) throw inUse()
  }
}

/** Refuses messages whose ids stand for messages of turns. */
function* assertNotInTurns(conversationId: string, messages: readonly NewMessage[]): Plan<void> {
  for (const { id } of messages) {
    const place = placeInTurn(id)
    if (!place) continue
    const turn = yield* first(countOfTurn, { conversationId, runId: place.runId })
    if (turn && place.index < turn.count) throw inUse()
  }
}

/** What a message's id would be in a turn. */
function placeInTurn(id: string): { readonly runId: string; readonly index: number } | undefined {
  const [, runId, number] = /^(.*)\.(0|[1-9]\d{0,14})$/s.exec(id) ?? []
  return runId === undefined ? undefined : { runId, index: Number(number) }
}

const inUse = () =>
  new RuntimeError(
    'conflict',
    'Appending messages failed: the conversation already has a message with this id. Create a new id.',
  )

/** The newest messages of turns before a number, newest first: `wanted` of them, if there are so many. */
function* listOfTurns(conversationId: string, before: number, wanted: number): Plan<StoredMessage[]> {
  const found: StoredMessage[] = []
  let place = before
  for (let limit = fewTurns; found.length < wanted; limit = Math.min(limit * 4, mostTurns)) {
    const turns = yield* all(listTurns, { conversationId, before: place, limit })
    for (const turn of turns) {
      found.push(...messagesOf(turn, before))
      place = turn.firstSeq
    }
    if (turns.length < limit) break
  }
  return found
}

/** Messages of a turn before a number, newest first. */
function messagesOf({ runId, firstSeq, createdAt, messages }: TurnRow, before: number): StoredMessage[] {
  return fromJson<ModelMessage[]>(messages)
    .map((message, index) => ({
      seq: firstSeq + index,
      id: toTurnId(runId, index),
      message,
      runId,
      createdAt,
    }))
    .filter(({ seq }) => seq < before)
    .toReversed()
}

/** Messages of a run that follow each other in a conversation, as a row of `turn_messages`. */
interface TurnRow {
  readonly conversationId: string
  readonly runId: string
  /** Number of the first message. */
  readonly firstSeq: number
  readonly count: number
  readonly createdAt: string
  /** JSON of `ModelMessage[]`. */
  readonly messages: string
}

/** Adds a turn. */
const insertTurn: Statement<TurnRow, unknown> = {
  kind: 'write',
  sql: `insert into turn_messages (conversation_id, run_id, first_seq, count, created_at, messages)
    values (?, ?, ?, ?, ?, ?)`,
  bind: (row) => [row.conversationId, row.runId, row.firstSeq, row.count, row.createdAt, row.messages],
}

/** Deletes turns from a number on. */
const deleteTurns: Statement<{ readonly conversationId: string; readonly fromSeq: number }, unknown> = {
  kind: 'write',
  sql: 'delete from turn_messages where conversation_id = ? and first_seq >= ?',
  bind: ({ conversationId, fromSeq }) => [conversationId, fromSeq],
}

/** Keeps the beginning of a turn. */
const shortenTurn: Statement<TurnRow, unknown> = {
  kind: 'write',
  sql: 'update turn_messages set count = ?, messages = ? where conversation_id = ? and run_id = ?',
  bind: ({ count, messages, conversationId, runId }) => [count, messages, conversationId, runId],
}

/** How many messages a conversation has of a run. */
const countOfTurn: Statement<Pick<TurnRow, 'conversationId' | 'runId'>, Pick<TurnRow, 'count'>> = {
  kind: 'read',
  sql: 'select count from turn_messages where conversation_id = ? and run_id = ?',
  bind: ({ conversationId, runId }) => [conversationId, runId],
}

/** Turns that begin before a number, the newest first. */
const listTurns: Statement<
  { readonly conversationId: string; readonly before: number; readonly limit: number },
  TurnRow
> = {
  kind: 'read',
  sql: `select conversation_id as conversationId, run_id as runId, first_seq as firstSeq, count,
    created_at as createdAt, messages
    from turn_messages where conversation_id = ? and first_seq < ? order by first_seq desc limit ?`,
  bind: ({ conversationId, before, limit }) => [conversationId, before, limit],
}

/** Ids of single messages that begin with a text: from `first` on, before `end`. */
const listMessageIds: Statement<
  { readonly conversationId: string; readonly first: string; readonly end: string },
  { readonly id: string }
> = {
  kind: 'read',
  sql: 'select id from messages where conversation_id = ? and id >= ? and id < ?',
  bind: ({ conversationId, first, end }) => [conversationId, first, end],
}
