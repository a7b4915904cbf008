import type { Agent } from '@homeward/contract/agent-platform'
import type { Kysely } from 'kysely'
import { fromJson } from './json.ts'
import type { Plan } from './plan.ts'
import { all, first, tell } from './plan.ts'
import type { AgentsTable, RuntimeTables } from './schema.ts'
import { compileStatement } from './statement.ts'

/** The verbs of `AgentStore` as plans: one statement each. */
export function createAgentPlans(db: Kysely<RuntimeTables>) {
  const statements = createAgentStatements(db)
  return {
    *insertAgent(agent: Agent): Plan<boolean> {
      return yield* told(yield* first(statements.insert, toRow(agent)))
    },
    *replaceAgent(agent: Agent): Plan<boolean> {
      return yield* told(yield* first(statements.replace, toRow(agent)))
    },
    *deleteAgent(id: string): Plan<boolean> {
      return yield* told(yield* first(statements.delete, { id }))
    },
    *findAgent(id: string): Plan<Agent | undefined> {
      const row = yield* first(statements.find, { id })
      return row === undefined ? undefined : fromJson<Agent>(row.agent)
    },
    *listAgents(): Plan<Agent[]> {
      return (yield* all(statements.list, {})).map(({ agent }) => fromJson<Agent>(agent))
    },
  }
}

/** Tells of a change, when there was one. */
function* told(row: object | undefined): Plan<boolean> {
  if (row !== undefined) yield* tell({ topic: 'definition' })
  return row !== undefined
}

function createAgentStatements(db: Kysely<RuntimeTables>) {
  return {
    insert: compileStatement<AgentsTable, { id: string }>('write', ({ id, created_at, agent }) =>
      db
        .insertInto('agents')
        .values({ id, created_at, agent })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returning('id'),
    ),
    replace: compileStatement<AgentsTable, { id: string }>('write', ({ id, created_at, agent }) =>
      db.updateTable('agents').set({ created_at, agent }).where('id', '=', id).returning('id'),
    ),
    delete: compileStatement<{ id: string }, { id: string }>('write', ({ id }) =>
      db.deleteFrom('agents').where('id', '=', id).returning('id'),
    ),
    find: compileStatement<{ id: string }, { agent: string }>('read', ({ id }) =>
      db.selectFrom('agents').select('agent').where('id', '=', id),
    ),
    list: compileStatement<object, { agent: string }>('read', () =>
      db.selectFrom('agents').select('agent').orderBy('created_at').orderBy('id'),
    ),
  }
}

function toRow(agent: Agent): AgentsTable {
  return { id: agent.id, created_at: agent.created_at, agent: JSON.stringify(agent) }
}
