import type { Kysely } from 'kysely'
import { all, compileStatement, each, type Statement } from '@homeward/kit/sql'
import type { RememberedCall } from '../../ports/approval.ts'
import { fromJson } from '../json.ts'
import type { Plan } from '../plan.ts'
import { rememberStatements } from '../remember-statements.ts'
import type { RuntimeTables } from '../schema.ts'
import { places, toGroups } from '../to-groups.ts'

/** Most remembered decisions of one agent. */
const maxRemembered = 1000

interface RememberedRow {
  id: string
  agentId: string
  conversationId: string
  callHash: string
  call: string
}

/** Decisions that apply to later calls as plans. */
export function createRememberedPlans(db: Kysely<RuntimeTables>) {
  const statements = createStatements(db)
  const findOf = rememberStatements(({ count }: { readonly count: number }) => compileFind(db, count))
  return {
    *rememberCall(call: RememberedCall): Plan<void> {
      const { id, agentId, conversationId = '', callHash } = call
      const row = { id, agentId, conversationId, callHash, call: JSON.stringify(call) }
      yield* all(statements.replace, row)
      yield* all(statements.insert, row)
      const seqs = yield* all(statements.listSeqs, { agentId })
      yield* each(statements.forgetSeq, seqs.slice(maxRemembered))
    },
    *findRememberedCalls({
      agentId,
      conversationId,
      callHashes,
    }: {
      readonly agentId: string
      readonly conversationId: string
      readonly callHashes: readonly string[]
    }): Plan<RememberedCall[]> {
      const found: { call: string }[] = []
      for (const hashes of toGroups(callHashes)) {
        found.push(...(yield* all(findOf({ count: hashes.length }), [agentId, conversationId, ...hashes])))
      }
      return found.map(toCall)
    },
    *listRememberedCalls(agentId: string): Plan<RememberedCall[]> {
      return (yield* all(statements.list, { agentId })).map(toCall)
    },
    *forgetRememberedCalls(agentId: string, id?: string): Plan<number> {
      const gone =
        id === undefined
          ? yield* all(statements.forgetAll, { agentId })
          : yield* all(statements.forget, { agentId, id })
      return gone.length
    },
  }
}

const toCall = ({ call }: { readonly call: string }) => fromJson<RememberedCall>(call)

/** Decisions about so many calls, in a conversation or in all of them. */
function compileFind(
  db: Kysely<RuntimeTables>,
  count: number,
): Statement<readonly string[], { call: string }> {
  const query = db
    .selectFrom('remembered_calls')
    .select('call')
    .where('agent_id', '=', '')
    .where('conversation_id', 'in', ['', ''])
    .where('call_hash', 'in', places(count))
  const { sql } = query.compile()
  return {
    kind: 'read',
    sql,
    bind: ([agentId = '', conversationId = '', ...hashes]) => [agentId, '', conversationId, ...hashes],
  }
}

function createStatements(db: Kysely<RuntimeTables>) {
  const ofAgent = (agentId: string) => db.deleteFrom('remembered_calls').where('agent_id', '=', agentId)
  return {
    replace: compileStatement<RememberedRow, unknown>('write', (row) =>
      ofAgent(row.agentId)
        .where('call_hash', '=', row.callHash)
        .where('conversation_id', '=', row.conversationId),
    ),
    insert: compileStatement<RememberedRow, unknown>('write', (row) =>
      db.insertInto('remembered_calls').values({
        id: row.id,
        agent_id: row.agentId,
        conversation_id: row.conversationId,
        call_hash: row.callHash,
        call: row.call,
      }),
    ),
    list: compileStatement<{ agentId: string }, { call: string }>('read', ({ agentId }) =>
      db.selectFrom('remembered_calls').select('call').where('agent_id', '=', agentId).orderBy('seq', 'desc'),
    ),
    listSeqs: compileStatement<{ agentId: string }, { seq: number }>('read', ({ agentId }) =>
      db.selectFrom('remembered_calls').select('seq').where('agent_id', '=', agentId).orderBy('seq', 'desc'),
    ),
    forgetSeq: compileStatement<{ seq: number }, unknown>('write', ({ seq }) =>
      db.deleteFrom('remembered_calls').where('seq', '=', seq),
    ),
    forget: compileStatement<{ agentId: string; id: string }, { seq: number }>('write', ({ agentId, id }) =>
      ofAgent(agentId).where('id', '=', id).returning('seq'),
    ),
    forgetAll: compileStatement<{ agentId: string }, { seq: number }>('write', ({ agentId }) =>
      ofAgent(agentId).returning('seq'),
    ),
  }
}
