import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CloudStore } from '@homeward/cloud-core'
import { createPostgresStore } from '@homeward/cloud-core/postgres'
import { createSqliteStore } from '@homeward/cloud-core/sqlite'
import type { DeviceFilter } from '@homeward/contract/device-cloud'
import { Client } from 'pg'
import { startPostgresServer } from '../durable-queue/postgres-server.ts'
import type { Measurement } from '../measurement.ts'
import { addFleet, filters, online } from './fleet-of-many-kinds.ts'

const maxP99Ms = 50

/** Size of a measurement. */
interface FilterLoad {
  readonly devices: number
  /** How often each filter is asked with. */
  readonly times: number
}

/** Lists of one owner's devices by a filter: the first 100 that match, and how many match. */
export async function measureDeviceFilters(load: FilterLoad): Promise<readonly Measurement[]> {
  return [...(await measureSqlite(load)), ...(await measurePostgres(load))]
}

async function measureSqlite(load: FilterLoad): Promise<readonly Measurement[]> {
  const home = await mkdtemp(join(tmpdir(), 'homeward-bench-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(home, { recursive: true, force: true }))
  const store = createSqliteStore({ path: join(home, 'cloud.db') })
  stack.defer(() => store.close())
  await addFleet(store, load.devices)
  return await measureStore('sqlite', store, load)
}

async function measurePostgres(load: FilterLoad): Promise<readonly Measurement[]> {
  await using server = await startPostgresServer()
  const connectionString = await server.createDatabase()
  const store = await createPostgresStore({ connectionString })
  await addFleet(store, load.devices)
  const client = new Client({ connectionString })
  await client.connect()
  await client.query('vacuum analyze') // as autovacuum does within a minute
  await client.end()
  const measured = await measureStore('postgres', store, load)
  await store.close()
  return measured
}

async function measureStore(
  kind: string,
  store: CloudStore,
  { devices, times }: FilterLoad,
): Promise<readonly Measurement[]> {
  const page = { limit: 100 }
  const ask = {
    list: (filter: DeviceFilter) => store.listDevices('local', filter, page, online),
    count: (filter: DeviceFilter) => store.countDevices('local', filter, online),
  }
  const measurements: Measurement[] = []
  for (const [what, call] of Object.entries(ask)) {
    let floor: number | undefined
    for (const [name, filter] of Object.entries(filters)) {
      const sorted = await measureCall(() => call(filter), times)
      const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? 0
      floor ??= p99
      measurements.push({
        name: `${what} of ${devices.toLocaleString('en')} devices, p99, ${kind}, ${name}`,
        value: round2(p99),
        floor: round2(floor),
        unit: 'ms',
        ratio: p99 / floor,
        target: { atMost: maxP99Ms },
        passed: p99 <= maxP99Ms,
        details: { p50: sorted[Math.floor(sorted.length / 2)] ?? 0 },
      })
    }
  }
  return measurements
}

/** Milliseconds of each call, sorted. */
async function measureCall(call: () => Promise<unknown>, times: number): Promise<readonly number[]> {
  for (let turn = 0; turn < 10; turn += 1) await call() // code is compiled, pages are read
  const spent: number[] = []
  for (let turn = 0; turn < times; turn += 1) {
    const startedAt = performance.now()
    await call()
    spent.push(performance.now() - startedAt)
  }
  return spent.toSorted((a, b) => a - b)
}

const round2 = (value: number) => Math.round(value * 100) / 100
