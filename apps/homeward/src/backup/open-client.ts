import type { Client } from 'pg'

/**
 * Opens one connection to Postgres. Statements may take as long as they need.
 *
 * @throws {Error} that says why, without the password.
 */
export async function openClient(databaseUrl: string): Promise<Client> {
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    throw new Error('Opening Postgres failed: the package "pg" is not installed. Run "npm install pg".', {
      cause,
    })
  })
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {}) // queries fail as well
  try {
    await client.connect()
    return client
  } catch (cause) {
    throw new Error('Opening Postgres failed: the server cannot be reached. Check DATABASE_URL.', { cause })
  }
}
