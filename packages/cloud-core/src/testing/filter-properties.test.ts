import type { DeviceFilter } from '@homeward/contract/device-cloud'
import * as fc from 'fast-check'
import { afterAll, expect, it, vi } from 'vitest'
import type { TestDatabase } from '../../../../tests/postgres/test-database.ts'
import { createTestDatabase } from '../../../../tests/postgres/test-database.ts'
import { createMemoryStore } from '../memory/index.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
import type { StoredDevice } from '../ports/device-store.ts'
import type { PagePosition } from '../ports/page.ts'
import { createPostgresStore } from '../postgres/index.ts'
import { createSqliteStore } from '../sqlite/index.ts'
import { at, deviceOf, keyOf, online } from './store-harness.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

let database: TestDatabase | undefined
afterAll(() => database?.drop())

const stores: Record<string, () => CloudStore | Promise<CloudStore>> = {
  memory: createMemoryStore,
  sqlite: () => createSqliteStore({ path: ':memory:' }),
  postgres: async () => {
    database ??= await createTestDatabase()
    return createPostgresStore({ connectionString: database.connectionString })
  },
}

// Letters of several cases and lengths, and everything that a pattern or a quote could mean.
const letters = [...'aAbBäÄßẞıİσςΣ%_\\\'"*?[]- 1😀', 'é', 'e\u0301']
const word = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength }).map((text) => text)
const label = fc.constantFrom('a', 'b', 'site:1')
const kind = fc.constantFrom('iot', 'IOT', 'server')
const oneDevice = fc.record({
  name: word(6),
  type: kind,
  platform: kind,
  labels: fc.uniqueArray(label),
  second: fc.nat(3),
  lastSeenAt: fc.constantFrom(null, at(-1), at(0), at(500), at(1000), at(1001)),
  metadata: fc.dictionary(
    fc.constantFrom('os', 'k'),
    fc.oneof(word(4), fc.nat(20), fc.array(word(2), { maxLength: 2 })),
  ),
})
const oneFilter = fc.record(
  {
    labels: fc.uniqueArray(label, { minLength: 1 }),
    type: kind,
    platform: kind,
    status: fc.constantFrom('online', 'offline'),
    text: word(2),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<DeviceFilter>

const fold = (text: string) => text.toLowerCase().replaceAll('ς', 'σ')
const isOnline = ({ lastSeenAt }: StoredDevice) =>
  lastSeenAt !== null && lastSeenAt >= online.from && lastSeenAt <= online.until

/** The filter, said once more in the plainest way. */
function isMatch(device: StoredDevice, { labels = [], type, platform, status, text }: DeviceFilter): boolean {
  const values = Object.values(device.metadata).flat().map(String)
  return (
    labels.every((each) => device.labels.includes(each)) &&
    (type === undefined || device.type === type) &&
    (platform === undefined || device.platform === platform) &&
    (status === undefined || isOnline(device) === (status === 'online')) &&
    (text === undefined ||
      [device.name, device.id, ...values].some((value) => fold(value).includes(fold(text))))
  )
}

async function readAll(store: CloudStore, owner: string, filter: DeviceFilter): Promise<string[]> {
  const ids: string[] = []
  let after: PagePosition | undefined
  do {
    const page = await store.listDevices(owner, filter, { limit: 3, ...(after && { after }) }, online)
    ids.push(...page.rows.map(({ id }) => id))
    after = page.next
  } while (after !== undefined)
  return ids
}

it.each(Object.keys(stores))('C29: every filter finds what it says, in order, on %s', async (name) => {
  const store = await (stores[name] ?? createMemoryStore)()
  let round = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(oneDevice, { maxLength: 12 }),
      fc.array(oneFilter, { minLength: 1, maxLength: 8 }),
      async (drawn, filters) => {
        round += 1
        const owner = `owner ${round}`
        const devices = drawn.map(({ second, ...device }, index) => {
          const id = `${round}-${index}`
          return deviceOf(id, { ...device, owner, createdAt: at(second), key: keyOf(id) })
        })
        await Promise.all(devices.map((device) => store.insertDevice(device, undefined)))
        const all = await readAll(store, owner, {})
        expect(all.toSorted()).toEqual(devices.map(({ id }) => id).toSorted())
        for (const filter of filters) {
          const expected = all.filter((id) =>
            isMatch(
              devices.find((device) => device.id === id)!,
              filter,
            ),
          )
          expect(await readAll(store, owner, filter), JSON.stringify(filter)).toEqual(expected)
          expect(await store.countDevices(owner, filter, online)).toBe(expected.length)
        }
      },
    ),
    { numRuns: name === 'postgres' ? 40 : 150 },
  )
  await store.close()
})
