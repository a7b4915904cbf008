import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { serverSchemas, sqliteFiles } from '../../backup/create-backup.ts'
import { openClient } from '../../backup/open-client.ts'
import { describeSchema } from '../../backup/postgres-rows.ts'
import { readSchemaVersions, type SchemaVersions } from '../../backup/schema-versions.ts'
import { readSqliteVersion } from '../../backup/sqlite-snapshot.ts'
import { error, wordsOf, type Checked, type Finding } from './finding.ts'

/** Clocks that differ by more confuse leases of several servers. */
const clockToleranceMs = 30_000
const restoreFix =
  'Stop the server, and restore a backup into an empty data home: homeward restore <file> --home <folder>.'
const newerFix = 'Install that release again, or restore a backup that this one made.'

/** Whether the databases can be used by this release. */
export async function checkDatabases(
  home: string,
  databaseUrl: string | undefined,
  now: number,
): Promise<Checked> {
  const versions = await readSchemaVersions()
  if (databaseUrl !== undefined) {
    return { name: 'Database', ...(await checkPostgres(databaseUrl, versions, now)) }
  }
  const there = sqliteFiles.filter((file) => existsSync(join(home, file)))
  const checked = there.map((file) => checkSqlite(join(home, file), file, versions.sqlite[file] ?? 0))
  return {
    name: 'Database',
    about:
      there.length === 0
        ? 'none yet; the first start makes them'
        : checked.map(({ about }) => about).join(', '),
    findings: checked.flatMap(({ findings }) => findings),
  }
}

/** `cloud.db (schema 3)`; both versions if the next start upgrades it. */
const describeVersions = (name: string, version: number, supported: number) =>
  version === supported
    ? `${name} (schema ${version})`
    : `${name} (schema ${version}; this release has ${supported}${version < supported ? ', and its start upgrades it' : ''})`

const isNewer = (what: string, version: number, supported: number) =>
  error(`${what} has schema version ${version}, but this release supports at most ${supported}.`, newerFix)

function checkSqlite(
  path: string,
  file: string,
  supported: number,
): { readonly about: string; readonly findings: Finding[] } {
  const found = (...findings: Finding[]) => ({ about: file, findings })
  try {
    const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
    try {
      const [row] = database.prepare('pragma quick_check(1)').all()
      if (row?.['quick_check'] !== 'ok') return found(error(`The database ${path} is damaged.`, restoreFix))
    } finally {
      database.close()
    }
    const version = readSqliteVersion(path)
    return {
      about: describeVersions(file, version, supported),
      findings: version > supported ? [isNewer(`The database ${path}`, version, supported)] : [],
    }
  } catch (cause) {
    return found(error(`The database ${path} cannot be read: ${wordsOf(cause)}.`, restoreFix))
  }
}

async function checkPostgres(
  databaseUrl: string,
  { postgres }: SchemaVersions,
  now: number,
): Promise<Omit<Checked, 'name'>> {
  const failed = (problem: string, fix: string) => ({ about: 'Postgres', findings: [error(problem, fix)] })
  const client = await openClient(databaseUrl).catch((cause: unknown) => cause)
  if (client instanceof Error || !(client instanceof Object && 'query' in client)) {
    const why = client instanceof Error ? wordsOf(client.cause ?? client) : 'unknown'
    return failed(`Postgres cannot be reached: ${why}.`, 'Start it, and check DATABASE_URL and its password.')
  }
  const connection = client as Awaited<ReturnType<typeof openClient>>
  try {
    const findings: Finding[] = []
    const known: string[] = []
    for (const name of serverSchemas) {
      const schema = await describeSchema(connection, name)
      if (schema === undefined) continue
      const supported = postgres[name] ?? 0
      known.push(describeVersions(name, schema.version, supported))
      if (schema.version > supported)
        findings.push(isNewer(`The schema "${name}" of Postgres`, schema.version, supported))
    }
    const { rows } = await connection.query<{ now: Date }>('select now() as now')
    const apartMs = Math.abs((rows[0]?.now.getTime() ?? now) - now)
    if (apartMs > clockToleranceMs) {
      const problem = `The clocks of this machine and of Postgres differ by ${Math.round(apartMs / 1000)} s.`
      findings.push(error(problem, 'Set both clocks, for example by NTP.'))
    }
    return { about: ['Postgres', ...known].join(', '), findings }
  } catch (cause) {
    return failed(
      `Postgres cannot be read: ${wordsOf(cause)}.`,
      'Give the user of DATABASE_URL its rights back.',
    )
  } finally {
    await connection.end()
  }
}
