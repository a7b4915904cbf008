// Records a data home and a Postgres dump of this landing for tests/upgrades:
//   npm run record-upgrade -- 2026-11-29
// Landings that are recorded stay: each later release has to open them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { gzipSync } from 'node:zlib'
import { postgresMigrations as agentMigrations } from '../packages/agent-runtime/src/store/postgres/migrations.ts'
import { postgresMigrations as cloudMigrations } from '../packages/cloud-core/src/postgres/migrations.ts'
import { createPostgresBuilder } from '../packages/kit/src/postgres/index.ts'
import { type Migration, toScript } from '../packages/kit/src/sql/index.ts'
import { snapshotSqlite } from '../apps/homeward/src/backup/sqlite-snapshot.ts'
import { openClient } from '../apps/homeward/src/backup/open-client.ts'
import { describeSchema } from '../apps/homeward/src/backup/postgres-rows.ts'
import { sourceProgram, startServer } from '../tests/server/server-process.ts'
import { fillServer, readAnswers } from '../tests/upgrades/data-home.ts'
import { workspaceFolder } from './workspace-packages.ts'

type Client = Awaited<ReturnType<typeof openClient>>

async function recordSqlite(folder: string, home: string): Promise<void> {
  await recordServer(home, {}, join(folder, 'sqlite.json'))
  for (const file of ['cloud.db', 'agents.db']) {
    snapshotSqlite(join(home, file), join(home, `${file}.copy`))
    await writeFile(
      join(folder, `${file}.gz`),
      gzipSync(await readFile(join(home, `${file}.copy`)), { level: 9 }),
    )
  }
}

async function recordPostgres(folder: string, home: string): Promise<void> {
  const child = spawn(process.execPath, [join(workspaceFolder, 'tests/postgres/run-server.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  try {
    const [address] = (await once(createInterface(child.stdout), 'line')) as [string]
    await recordServer(home, { DATABASE_URL: address }, join(folder, 'postgres.json'))
    const client = await openClient(address)
    const parts = [
      await dumpSchema(client, 'homeward_cloud', cloudMigrations),
      await dumpSchema(client, 'homeward', agentMigrations),
    ]
    await client.end()
    await writeFile(join(folder, 'postgres.sql.gz'), gzipSync(parts.join('\n'), { level: 9 }))
  } finally {
    child.stdin.end()
    await once(child, 'exit')
  }
}

async function recordServer(
  home: string,
  environment: Readonly<Record<string, string>>,
  file: string,
): Promise<void> {
  await using server = await startServer(home, environment, sourceProgram)
  await fillServer(server)
  await writeFile(file, `${JSON.stringify(await readAnswers(server), undefined, 2)}\n`)
  await server.end('SIGTERM')
}

/** The statements that make a schema, and its rows. Triggers do not fire while rows are written. */
async function dumpSchema<Tables>(
  client: Client,
  name: string,
  migrations: readonly Migration<Tables>[],
): Promise<string> {
  const schema = await describeSchema(client, name)
  if (schema === undefined) throw new Error(`The schema "${name}" is missing.`)
  const builder = createPostgresBuilder<Tables>()
  const lines = [
    `create schema ${name};`,
    `set search_path = ${name};`,
    'set session_replication_role = origin;',
    'create table migrations (version integer primary key, name text not null);',
    ...migrations.map((migration) => `${toScript(migration, builder, name)};`),
    'set session_replication_role = replica;',
  ]
  for (const table of schema.tables) lines.push(...(await dumpTable(client, name, table)))
  for (const { name: sequence, value, isCalled } of schema.sequences)
    lines.push(`select setval('${sequence}', ${value}, ${isCalled});`)
  return [...lines, 'set session_replication_role = origin;', ''].join('\n')
}

async function dumpTable(client: Client, schema: string, table: string): Promise<string[]> {
  const { rows } = await client.query<{ row: unknown }>(
    `select to_json(t) as row from ${schema}."${table}" t`,
  )
  if (rows.length === 0) return []
  const found = await client.query<{ column_name: string }>(
    `select column_name from information_schema.columns
     where table_schema = $1 and table_name = $2 and is_generated = 'NEVER' order by ordinal_position`,
    [schema, table],
  )
  const columns = found.rows.map(({ column_name }) => `"${column_name}"`).join(', ')
  const json = JSON.stringify(rows.map(({ row }) => row)).replaceAll('$homeward$', '')
  return [
    `delete from "${table}";`,
    `insert into "${table}" (${columns}) overriding system value select ${columns} from json_populate_recordset(null::"${table}", $homeward$${json}$homeward$);`,
  ]
}

const [name = ''] = process.argv.slice(2)
if (!/^[\w.-]+$/.test(name)) throw new Error('Name the landing: npm run record-upgrade -- 2026-11-29')
const folder = join(workspaceFolder, 'tests/upgrades/landings', name)
await mkdir(folder, { recursive: true })
for (const record of [recordSqlite, recordPostgres]) {
  const home = await mkdtemp(join(tmpdir(), 'homeward-record-'))
  await record(folder, home)
  await rm(home, { recursive: true })
}
