import { createHash, randomBytes } from 'node:crypto'
import { createPostgresStore } from '@homeward/cloud-core/postgres'
import { Client } from 'pg'
import type { RegisteredDevice } from '../http/subject-server.ts'

const atOnce = 5000
const insert = `insert into homeward_cloud.devices
  (id, owner, name, type, platform, metadata, created_at, key_hash, key_hint)
  select id, 'local', 'device', 'server', 'linux', '{}', '2026-01-01T00:00:00.000Z', hash, 'hw_'
  from unnest($1::text[], $2::text[]) as device (id, hash)`

/** Puts registered devices into an empty database, as if each had been registered, only faster. */
export async function seedDevices(
  connectionString: string,
  count: number,
): Promise<readonly RegisteredDevice[]> {
  // Makes the tables.
  await (await createPostgresStore({ connectionString })).close()
  const devices = Array.from({ length: count }, () => ({
    id: crypto.randomUUID(),
    apiKey: `hw_${randomBytes(32).toString('base64url')}`,
  }))
  const client = new Client({ connectionString })
  await client.connect()
  for (let start = 0; start < count; start += atOnce) {
    const part = devices.slice(start, start + atOnce)
    const hashes = part.map(({ apiKey }) => createHash('sha256').update(apiKey).digest('base64url'))
    await client.query(insert, [part.map(({ id }) => id), hashes])
  }
  await client.query('vacuum analyze homeward_cloud.devices')
  await client.end()
  return devices
}
