import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'

/** A Postgres server that writes as one in earnest does. */
interface PostgresServer extends AsyncDisposable {
  readonly connectionString: string
  /** @returns the connection string of a new and empty database. */
  createDatabase(): Promise<string>
}

/** Starts one over an empty folder; it ends with this process, however that ends. */
export async function startPostgresServer(): Promise<PostgresServer> {
  const program = fileURLToPath(new URL('../../tests/postgres/run-server.ts', import.meta.url))
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, TEST_POSTGRES_FSYNC: 'on' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  if (!line.startsWith('postgres://')) throw new Error(`Starting Postgres ${line}`)
  let databases = 0
  return {
    connectionString: line,
    async createDatabase() {
      const name = `bench_${(databases += 1)}`
      const client = new Client({ connectionString: line })
      await client.connect()
      await client.query(`create database ${name}`)
      await client.end()
      return Object.assign(new URL(line), { pathname: name }).href
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.stdin.end()
      await ended
    },
  }
}
