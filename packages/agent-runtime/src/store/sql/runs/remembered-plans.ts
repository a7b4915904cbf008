import { sql, type Kysely } from 'kysely'
import { all, compileStatement, each, type Statement, rememberStatements } from '@homeward/kit/sql'
import type { RememberedCall, RememberedFilter } from '../../ports/remembered-call.ts'
import { fromJson } from '../json.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'
import { places, toGroups } from '../to-groups.ts'

/** Most remembered decisions of one user of an agent. */
const maxRemembered = 1000

interface RememberedRow {
  id: string
  agentId: string
  userId: string
  conversationId: string
  callHash: string
  call: string
}

/** Decisions that apply to later calls as plans. */
export function createRememberedPlans(db: Kysely<RuntimeTables>) {
  const statements = createStatements(db)
  const forgetOf = rememberStatements((shape: ForgetShape) => compileForget(db, shape))
  const findOf = rememberStatements(({ count }: { readonly count: number }) => compileFind(db, count))
  return {
    *rememberCall(call: RememberedCall): Plan<void> {
      const { id, agentId, userId = '', conversationId = '', callHash } = call
      const row = { id, agentId, userId, conversationId, callHash, call: JSON.stringify(call) }
      yield* all(statements.replace, row)
      yield* all(statements.insert, row)
      const seqs = yield* all(statements.listSeqs, { agentId, userId })
      yield* each(statements.forgetSeq, seqs.slice(maxRemembered))
    },
    *findRememberedCalls({
      agentId,
      userId = '',
      conversationId,
      callHashes,
    }: {
      readonly agentId: string
      readonly userId?: string | undefined
      readonly conversationId: string
      readonly callHashes: readonly string[]
    }): Plan<RememberedCall[]> {
      const found: StoredCall[] = []
      for (const hashes of toGroups(callHashes)) {
        found.push(
          ...(yield* all(findOf({ count: hashes.length }), [agentId, userId, conversationId, ...hashes])),
        )
      }
      return found.map(toCall)
    },
    *listRememberedCalls({ agentId, userId }: RememberedFilter): Plan<RememberedCall[]> {
      const rows =
        userId === undefined
          ? yield* all(statements.list, { agentId })
          : yield* all(statements.listOfUser, { agentId, userId })
      return rows.map(toCall)
    },
    *forgetRememberedCalls({
      agentId,
      userId,
      id,
    }: RememberedFilter & { readonly id?: string }): Plan<number> {
      const shape = { byUser: userId !== undefined, byId: id !== undefined }
      return (yield* all(forgetOf(shape), { agentId, userId: userId ?? '', id: id ?? '' })).length
    },
  }
}

/** A decision as it is read. The JSON of decisions of older versions has no user. */
interface StoredCall {
  readonly call: string
  readonly userId: string
}

const toCall = ({ call, userId }: StoredCall): RememberedCall => ({
  ...fromJson<RememberedCall>(call),
  ...(userId !== '' && { userId }),
})

/** Decisions about so many calls, in a conversation or in all of them. */
function compileFind(db: Kysely<RuntimeTables>, count: number): Statement<readonly string[], StoredCall> {
  const query = selectCalls(db)
    .where('agent_id', '=', '')
    .where('user_id', '=', '')
    .where('conversation_id', 'in', ['', ''])
    .where('call_hash', 'in', places(count))
  const compiled = query.compile()
  return {
    kind: 'read',
    sql: compiled.sql,
    bind: ([agentId = '', userId = '', conversationId = '', ...hashes]) => [
      agentId,
      userId,
      '',
      conversationId,
      ...hashes,
    ],
  }
}

const selectCalls = (db: Kysely<RuntimeTables>) =>
  db.selectFrom('remembered_calls').select(['call', 'user_id as userId'])

interface ForgetShape {
  readonly byUser: boolean
  readonly byId: boolean
  readonly [field: string]: boolean
}

function compileForget(db: Kysely<RuntimeTables>, { byUser, byId }: ForgetShape) {
  return compileStatement<{ agentId: string; userId: string; id: string }, { seq: number }>(
    'write',
    (row) => {
      let query = db.deleteFrom('remembered_calls').where('agent_id', '=', row.agentId)
      if (byUser) query = query.where('user_id', '=', row.userId)
      if (byId) query = query.where('id', '=', row.id)
      return query.returning('seq')
    },
  )
}

function createStatements(db: Kysely<RuntimeTables>) {
  return {
    replace: compileStatement<RememberedRow, unknown>('write', (row) =>
      db
        .deleteFrom('remembered_calls')
        .where('agent_id', '=', row.agentId)
        .where('user_id', '=', row.userId)
        .where('call_hash', '=', row.callHash)
        .where('conversation_id', '=', row.conversationId),
    ),
    insert: compileStatement<RememberedRow, unknown>('write', (row) =>
      db.insertInto('remembered_calls').values({
        id: row.id,
        agent_id: row.agentId,
        user_id: row.userId,
        conversation_id: row.conversationId,
        call_hash: row.callHash,
        call: row.call,
      }),
    ),
    list: compileStatement<{ agentId: string }, StoredCall>('read', ({ agentId }) =>
      selectCalls(db).where('agent_id', '=', agentId).orderBy('seq', 'desc').limit(sql.lit(maxRemembered)),
    ),
    listOfUser: compileStatement<{ agentId: string; userId: string }, StoredCall>(
      'read',
      ({ agentId, userId }) =>
        selectCalls(db).where('agent_id', '=', agentId).where('user_id', '=', userId).orderBy('seq', 'desc'),
    ),
    listSeqs: compileStatement<{ agentId: string; userId: string }, { seq: number }>(
      'read',
      ({ agentId, userId }) =>
        db
          .selectFrom('remembered_calls')
          .select('seq')
          .where('agent_id', '=', agentId)
          .where('user_id', '=', userId)
          .orderBy('seq', 'desc'),
    ),
    forgetSeq: compileStatement<{ seq: number }, unknown>('write', ({ seq }) =>
      db.deleteFrom('remembered_calls').where('seq', '=', seq),
    ),
  }
}

/** A field of a column of JSON, by the functions of a database. */
export type JsonField = (column: string, field: string) => string

/**
 * Gives each decision of an older version to the user of the run that asked. If that run is gone, a decision about a
 * conversation belongs to the user of the conversation. A decision about an agent then stays for runs without a user; if the
 * agent has conversations of users it is forgotten, because it may be the decision of one of them.
 */
export function giveRememberedCallsToUsers(field: JsonField): readonly string[] {
  const asked = `from approvals join runs on runs.id = approvals.run_id
    where approvals.decided_at = ${field('remembered_calls.call', 'createdAt')}
      and approvals.tool = ${field('remembered_calls.call', 'tool')}
      and runs.agent_id = remembered_calls.agent_id
      and (approvals.call_hash = remembered_calls.call_hash or approvals.edited_args is not null)`
  return [
    `alter table remembered_calls add column user_id text not null default ''`,
    'create index approvals_decided on approvals (decided_at)',
    `delete from remembered_calls where conversation_id = '' and not exists (select 1 ${asked}) and exists (
      select 1 from conversations
      where conversations.agent_id = remembered_calls.agent_id and conversations.user_id is not null)`,
    `update remembered_calls set user_id = coalesce(
      (select coalesce(${field('runs.run', 'userId')}, '') ${asked} limit 1),
      (select user_id from conversations where conversations.id = remembered_calls.conversation_id),
      '')`,
    'drop index approvals_decided',
    'drop index remembered_calls_hash',
    `create unique index remembered_calls_hash on remembered_calls (agent_id, user_id, call_hash, conversation_id)`,
    'create index remembered_calls_user on remembered_calls (agent_id, user_id, seq)',
  ]
}
