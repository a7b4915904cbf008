import type { Agent, AgentVersion } from '@homeward/contract/agent-platform'
import { all, buildOnce, change, compileStatement, first } from '@homeward/kit/sql'
import type { Compilable, Kysely } from 'kysely'
import { agentChanges } from '../agent-changes.ts'
import { numberPositionOf, toPage } from '../cursor.ts'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { Page, PageRequest } from '../ports/page.ts'
import type { createAudited } from './access/audit-plans.ts'
import { createDefinitionPlans } from './definition-plans.ts'
import { fromJson } from './json.ts'
import type { Plan } from './plan.ts'
import type { JsonField } from './runs/remembered-plans.ts'
import type { RuntimeTables } from './schema.ts'

/** Versions of an agent that are listed. One more is stored: without it nobody could say what the oldest changed. */
const maxVersions = 200

/** Versions of agents. */
interface AgentVersionsTable {
  agent_id: string
  version: number
  created_at: string
  actor: string | null
  /** JSON of the whole agent. */
  agent: string
}

/** The table of versions. */
export interface AgentVersionTables {
  agent_versions: AgentVersionsTable
}

/** Makes the table of versions. Agents that are there have the version 1. */
export function buildAgentVersions(
  db: Kysely<RuntimeTables>,
  field: JsonField,
): readonly (Compilable | string)[] {
  return [
    db.schema
      .createTable('agent_versions')
      .addColumn('agent_id', 'text', (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('actor', 'text')
      .addColumn('agent', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('agent_versions_pk', ['agent_id', 'version']),
    // the object begins with a brace and has fields
    `update agents set agent = '{"version":1,' || substr(agent, 2)`,
    `insert into agent_versions (agent_id, version, created_at, agent) select id, 1, ${field('agent', 'updated_at')}, agent from agents`,
  ]
}

/** The verbs of `AgentStore` and `AgentVersionStore` as plans. Deleting one is left to be audited. */
export function createAgentPlans(db: Kysely<RuntimeTables>, audited: ReturnType<typeof createAudited>) {
  const agents = createDefinitionPlans<Agent>(db, { table: 'agents', column: 'agent' })
  const statements = buildOnce(db, createStatements)

  function* add(agent: Agent, actor: string | undefined): Plan<void> {
    const { id, version, updated_at } = agent
    const row = { agent_id: id, version, created_at: updated_at, actor: actor ?? null }
    yield* change(statements.insert, { ...row, agent: JSON.stringify(agent) })
    yield* change(statements.prune, { id, before: version - maxVersions })
  }

  const insert = (actor?: string) =>
    function* (given: Agent): Plan<boolean> {
      const agent = { ...given, version: 1 }
      if (!(yield* agents.insert(agent))) return false
      // one with this id may have been in a file
      yield* change(statements.remove, { id: agent.id })
      yield* add(agent, actor)
      return true
    }

  const replace = (actor?: string) =>
    function* (given: Agent): Plan<number | undefined> {
      const before = yield* agents.find(given.id)
      if (!before) return undefined
      const isSame = agentChanges(before, given).length === 0
      const { version = before.version } = isSame ? {} : ((yield* first(statements.newest, given)) ?? {})
      const agent = { ...given, version: isSame ? version : version + 1 }
      yield* agents.replace(agent)
      if (!isSame) yield* add(agent, actor)
      return agent.version
    }

  return {
    insertAgent: (agent: Agent, entry?: NewAuditEntry) => audited(insert(entry?.actor))(agent, entry),
    replaceAgent: (agent: Agent, entry?: NewAuditEntry) => audited(replace(entry?.actor))(agent, entry),
    *deleteAgent(id: string): Plan<boolean> {
      yield* change(statements.remove, { id })
      return yield* agents.remove(id)
    },
    findAgent: agents.find,
    listAgents: agents.list,

    *listAgentVersions(id: string, page: PageRequest): Plan<Page<AgentVersion>> {
      const before = numberPositionOf(page) ?? Number.MAX_SAFE_INTEGER
      const rows = yield* all(statements.list, { id, before, limit: page.limit + 2 })
      const versions = rows.map(({ version, created_at, actor, agent }, index): VersionOrNone => {
        const earlier = rows[index + 1]?.agent
        if (earlier === undefined && version > 1) return undefined
        const changes = agentChanges(
          earlier === undefined ? undefined : fromJson<Agent>(earlier),
          fromJson<Agent>(agent),
        )
        return { version, created_at, ...(actor !== null && { actor }), changes }
      })
      const known = versions.filter((version) => version !== undefined)
      return toPage(
        known,
        page.limit,
        (row) => row,
        ({ version }) => [version],
      )
    },

    *findAgentVersion(id: string, version: number): Plan<Agent | undefined> {
      const row = yield* first(statements.find, { id, version })
      return row && fromJson<Agent>(row.agent)
    },

    *saveAgentVersion(agent: Agent, actor: string | undefined): Plan<number> {
      const newest = yield* first(statements.newest, agent)
      if (newest && agentChanges(fromJson<Agent>(newest.agent), agent).length === 0) return newest.version
      const version = (newest?.version ?? 0) + 1
      yield* add({ ...agent, version }, actor)
      return version
    },

    *deleteAgentVersions(id: string): Plan<void> {
      yield* change(statements.remove, { id })
    },
  }
}

type VersionOrNone = AgentVersion | undefined
type VersionRow = Pick<AgentVersionsTable, 'version' | 'created_at' | 'actor' | 'agent'>

function createStatements(db: Kysely<RuntimeTables>) {
  const rows = () => db.selectFrom('agent_versions').select(['version', 'created_at', 'actor', 'agent'])
  return {
    insert: compileStatement<AgentVersionsTable, unknown>(
      'write',
      ({ agent_id, version, created_at, actor, agent }) =>
        db.insertInto('agent_versions').values({ agent_id, version, created_at, actor, agent }),
    ),
    prune: compileStatement<{ id: string; before: number }, unknown>('write', ({ id, before }) =>
      db.deleteFrom('agent_versions').where('agent_id', '=', id).where('version', '<', before),
    ),
    remove: compileStatement<{ id: string }, unknown>('write', ({ id }) =>
      db.deleteFrom('agent_versions').where('agent_id', '=', id),
    ),
    newest: compileStatement<{ id: string }, VersionRow>('read', ({ id }) =>
      rows().where('agent_id', '=', id).orderBy('version', 'desc').limit(1),
    ),
    find: compileStatement<{ id: string; version: number }, VersionRow>('read', ({ id, version }) =>
      rows().where('agent_id', '=', id).where('version', '=', version),
    ),
    list: compileStatement<{ id: string; before: number; limit: number }, VersionRow>(
      'read',
      ({ id, before, limit }) =>
        rows()
          .where('agent_id', '=', id)
          .where('version', '<', before)
          .orderBy('version', 'desc')
          .limit(limit),
    ),
  }
}
