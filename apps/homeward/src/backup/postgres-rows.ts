import { Readable } from 'node:stream'
import type { Client } from 'pg'
import type { PostgresSchema } from './manifest.ts'

/** Rows that are read, and written, at a time; of a table with contents of files, fewer. */
const rowsAtOnce = 500
const filesAtOnce = 4
/** Characters of rows that are written at a time. */
const mostCharacters = 4_000_000

/**
 * Opens a transaction that sees one state of the whole database, however long it takes and whatever is written
 * meanwhile.
 */
export async function openSnapshot(client: Client): Promise<void> {
  await client.query('begin transaction isolation level repeatable read, read only')
}

/** What a schema holds; undefined when there is no such schema. */
export async function describeSchema(client: Client, name: string): Promise<PostgresSchema | undefined> {
  const tables = await tablesInOrder(client, name)
  if (!tables.includes('migrations')) return undefined
  const versions = await client.query<{ version: number }>(
    `select max(version) as version from ${quote(name)}.migrations`,
  )
  const found = await client.query<{ sequencename: string }>(
    'select sequencename from pg_sequences where schemaname = $1 order by sequencename',
    [name],
  )
  const sequences: PostgresSchema['sequences'] = []
  for (const { sequencename } of found.rows) {
    const { rows } = await client.query<{ value: string; called: boolean }>(
      `select last_value::text as value, is_called as called from ${quote(name)}.${quote(sequencename)}`,
    )
    const [row] = rows
    if (row) sequences.push({ name: sequencename, value: row.value, isCalled: row.called })
  }
  return { name, version: versions.rows[0]?.version ?? 0, tables, sequences }
}

/** Tables of a schema, each one after those that its rows refer to. */
async function tablesInOrder(client: Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string; needs: string[] }>(
    `select t.relname::text as name,
       array(select f.relname::text from pg_constraint c join pg_class f on f.oid = c.confrelid
         where c.conrelid = t.oid and c.contype = 'f' and c.confrelid <> t.oid) as needs
     from pg_class t join pg_namespace n on n.oid = t.relnamespace
     where n.nspname = $1 and t.relkind = 'r' order by t.relname`,
    [schema],
  )
  const waiting = [...rows]
  const ordered: string[] = []
  while (waiting.length > 0) {
    const next = waiting.findIndex(({ needs }) => needs.every((need) => ordered.includes(need)))
    const [table] = waiting.splice(Math.max(next, 0), 1)
    if (table) ordered.push(table.name)
  }
  return ordered
}

/** All rows of a table as JSON, one a line, in the transaction of {@link openSnapshot}. */
export function readRows(client: Client, schema: string, table: string): Readable {
  return Readable.from(linesOf(client, schema, table))
}

async function* linesOf(client: Client, schema: string, table: string): AsyncGenerator<string> {
  const { rows: binary } = await client.query(
    "select 1 from pg_attribute where attrelid = $1::regclass and atttypid = 'bytea'::regtype limit 1",
    [`${quote(schema)}.${quote(table)}`],
  )
  const atOnce = binary.length > 0 ? filesAtOnce : rowsAtOnce
  await client.query(
    `declare rows no scroll cursor for select row_to_json(t)::text as line from ${quote(schema)}.${quote(table)} t`,
  )
  try {
    for (;;) {
      const { rows } = await client.query<{ line: string }>(`fetch ${atOnce} from rows`)
      if (rows.length === 0) return
      yield rows.map(({ line }) => `${line}\n`).join('')
    }
  } finally {
    await client.query('close rows')
  }
}

/** Empties the tables of a schema that was just made, and keeps its triggers from acting until {@link finishSchema}. */
export async function prepareSchema(client: Client, { name, tables }: PostgresSchema): Promise<void> {
  const names = tables.map((table) => `${quote(name)}.${quote(table)}`)
  await client.query(`truncate ${names.join(', ')}`)
  for (const table of names) await client.query(`alter table ${table} disable trigger user`)
}

/**
 * Adds rows as {@link readRows} gave them.
 *
 * @param openLines asked for right before the first line is read
 */
export async function writeRows(
  client: Client,
  schema: string,
  table: string,
  openLines: () => AsyncIterable<string>,
): Promise<void> {
  const target = `${quote(schema)}.${quote(table)}`
  const columns = await client.query<{ name: string }>(
    `select a.attname::text as name from pg_attribute a
     where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''`,
    [target],
  )
  const list = columns.rows.map(({ name }) => quote(name)).join(', ')
  const sql = `insert into ${target} (${list}) overriding system value
    select ${list} from jsonb_populate_recordset(null::${target}, $1::jsonb)`
  const insert = (rows: readonly string[]) => client.query(sql, [`[${rows.join(',')}]`])
  let waiting: string[] = []
  let characters = 0
  for await (const line of openLines()) {
    waiting.push(line)
    characters += line.length
    if (waiting.length < rowsAtOnce && characters < mostCharacters) continue
    await insert(waiting)
    waiting = []
    characters = 0
  }
  if (waiting.length > 0) await insert(waiting)
}

/** Lets triggers act again, and sequences go on where they were. */
export async function finishSchema(client: Client, schema: PostgresSchema): Promise<void> {
  for (const table of schema.tables) {
    await client.query(`alter table ${quote(schema.name)}.${quote(table)} enable trigger user`)
  }
  for (const { name, value, isCalled } of schema.sequences) {
    const sequence = `${quote(schema.name)}.${quote(name)}`
    await client.query('select setval($1::regclass, $2::bigint, $3)', [sequence, value, isCalled])
  }
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`
