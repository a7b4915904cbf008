import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { AgentRuntime } from '@homeward/agent-runtime'
import type { Agent, Graph } from '@homeward/contract/agent-platform'
import { openClient } from '../../backup/open-client.ts'
import type { Settings } from '../../settings/settings.ts'
import { error, type Finding } from './finding.ts'

/** Rows of a query on the database. All columns are texts. */
type Row = Readonly<Record<string, string>>
type Read = (table: string, columns: readonly string[]) => Promise<readonly Row[]>

/** Checks what stored agents, graphs, schedules, routes and settings refer to. Reads the database, and changes nothing. */
export async function checkReferences(runtime: AgentRuntime, settings: Settings): Promise<Finding[]> {
  return reading(settings, async (read) => {
    const texts = async (table: string, column: string) =>
      (await read(table, [column])).map((row) => JSON.parse(row[column] ?? '{}') as unknown)
    const agents = (await texts('agents', 'agent')) as Agent[]
    const graphs = (await texts('graphs', 'graph')) as Graph[]
    const ids = new Set(agents.map(({ id }) => id))
    return [
      ...(await checkModelsOf(runtime, agents)),
      ...(await checkToolsOf(runtime, agents)),
      ...(await checkReports(runtime, agents)),
      ...checkCollections(new Set((await read('collections', ['id'])).map(({ id = '' }) => id)), agents),
      ...missing(ids, await namedAgents(runtime, read, graphs)),
    ]
  })
}

/** A stored record and the agent that it refers to. */
type Named = readonly [where: string, agentId: string]

async function namedAgents(runtime: AgentRuntime, read: Read, graphs: readonly Graph[]): Promise<Named[]> {
  const values = Object.entries(await runtime.settings.read())
  const routes = await read('channel_routes', ['channel', 'conversation', 'agent_id'])
  const schedules = await read('own_schedules', ['id', 'subject'])
  return [
    ...values.flatMap(([key, value]): Named[] =>
      key.endsWith('_default_agent_id') && value ? [[`The setting ${key}`, value]] : [],
    ),
    ...routes.map((row): Named => {
      return [`The route of ${row['conversation']} on ${row['channel']}`, row['agent_id'] ?? '']
    }),
    ...schedules.flatMap(({ id, subject = '' }): Named[] =>
      subject.startsWith('agent:') ? [[`The schedule ${id}`, subject.slice('agent:'.length)]] : [],
    ),
    ...graphs.flatMap(({ id, nodes }) =>
      nodes.flatMap((node): Named[] =>
        'agent' in node && typeof node.agent === 'string'
          ? [[`The node ${node.id} of the graph ${id}`, node.agent]]
          : [],
      ),
    ),
  ]
}

const missing = (ids: ReadonlySet<string>, named: readonly Named[]): Finding[] =>
  named
    .filter(([, agentId]) => !ids.has(agentId))
    .map(([where, agentId]) => {
      return error(
        `${where} names the agent ${agentId}, which does not exist.`,
        'Create it, or name another.',
      )
    })

async function checkModelsOf(runtime: AgentRuntime, agents: readonly Agent[]): Promise<Finding[]> {
  const { models, problems } = await runtime.models.list()
  const own = (await runtime.models.listProviders()).filter(
    ({ built_in, has_api_key }) => !built_in || has_api_key,
  )
  const known = new Set([
    'test',
    ...own.map(({ name }) => name),
    ...[...models, ...problems].map(({ provider }) => provider),
  ])
  return agents.flatMap(({ id, model, fallback_models: others = [] }) =>
    [model, ...others.map((other) => (typeof other === 'string' ? other : other.model))].flatMap((name) => {
      const provider = name?.split('/')[0]
      if (provider === undefined || known.has(provider)) return []
      const problem = `The agent ${id} uses the model ${name}, but the provider ${provider} has no key.`
      return [error(problem, `Set the key of ${provider}, or give the agent another model.`)]
    }),
  )
}

async function checkToolsOf(runtime: AgentRuntime, agents: readonly Agent[]): Promise<Finding[]> {
  const servers = new Set((await runtime.mcp.list()).map(({ name }) => name))
  return agents.flatMap(({ id, mcp_servers: names = [] }) =>
    names
      .filter((name) => !servers.has(name))
      .map((name) => {
        const problem = `The agent ${id} uses the MCP server ${name}, which does not exist.`
        return error(problem, 'Add it, or remove it from the agent.')
      }),
  )
}

const checkCollections = (known: ReadonlySet<string>, agents: readonly Agent[]): Finding[] =>
  agents.flatMap(({ id, collections: names = [] }) =>
    names
      .filter((name) => !known.has(name))
      .map((name) => {
        const problem = `The agent ${id} searches the collection ${name}, which does not exist.`
        return error(problem, 'Create it, or remove it from the agent.')
      }),
  )

async function checkReports(runtime: AgentRuntime, agents: readonly Agent[]): Promise<Finding[]> {
  const targets = agents.flatMap(({ id, report_to: chats = [] }) =>
    chats.map(({ channel }) => ({ id, channel })),
  )
  const channels = [...new Set(targets.map(({ channel }) => channel))]
  const lacking = new Map<string, readonly string[]>()
  for (const channel of channels) lacking.set(channel, (await runtime.channels.status(channel)).missing)
  return targets.flatMap(({ id, channel }) => {
    const names = lacking.get(channel) ?? []
    if (names.length === 0) return []
    const problem = `The agent ${id} reports to ${channel}, which is not set up.`
    return [error(problem, `Set ${names.join(' and ')}, or remove the channel from "report_to".`)]
  })
}

/** Nothing is found in a database that is not there yet, or has a table of another release. */
async function reading(
  { home, databaseUrl }: Settings,
  check: (read: Read) => Promise<Finding[]>,
): Promise<Finding[]> {
  if (databaseUrl !== undefined) {
    const client = await openClient(databaseUrl)
    try {
      return await check(async (table, columns) => {
        const exists = await client.query<Row>('select to_regclass($1) as name', [`homeward.${table}`])
        if (!exists.rows[0]?.['name']) return []
        return (await client.query<Row>(`select ${columns.join(', ')} from homeward.${table}`)).rows
      })
    } finally {
      await client.end()
    }
  }
  const path = join(home, 'agents.db')
  if (!existsSync(path)) return check(async () => [])
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
  try {
    const tables = new Set(
      database
        .prepare("select name from sqlite_master where type = 'table'")
        .all()
        .map(({ name }) => name),
    )
    return await check(async (table, columns) => {
      if (!tables.has(table)) return []
      return database.prepare(`select ${columns.join(', ')} from ${table}`).all() as Row[]
    })
  } finally {
    database.close()
  }
}
