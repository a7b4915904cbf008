import type { Statement } from '@homeward/kit/sql'

/** Messages of a run that follow each other in a conversation, as a row of `turn_messages`. */
export interface TurnRow {
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
export const insertTurn: Statement<TurnRow, unknown> = {
  kind: 'write',
  sql: `insert into turn_messages (conversation_id, run_id, first_seq, count, created_at, messages)
    values (?, ?, ?, ?, ?, ?)`,
  bind: (row) => [row.conversationId, row.runId, row.firstSeq, row.count, row.createdAt, row.messages],
}

/** How many messages a conversation has of a run. */
export const countOfTurn: Statement<Pick<TurnRow, 'conversationId' | 'runId'>, Pick<TurnRow, 'count'>> = {
  kind: 'read',
  sql: 'select count from turn_messages where conversation_id = ? and run_id = ?',
  bind: ({ conversationId, runId }) => [conversationId, runId],
}

/** Turns that begin before a number, the newest first. */
export const listTurns: Statement<
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
export const listMessageIds: Statement<
  { readonly conversationId: string; readonly first: string; readonly end: string },
  { readonly id: string }
> = {
  kind: 'read',
  sql: 'select id from messages where conversation_id = ? and id >= ? and id < ?',
  bind: ({ conversationId, first, end }) => [conversationId, first, end],
}
