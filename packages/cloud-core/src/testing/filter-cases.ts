import { expectSame, expectTrue } from '@homeward/kit/testing'
import type { CloudStore } from '../ports/cloud-store.ts'
import type { DeviceCondition } from '../ports/device-store.ts'
import type { PagePosition } from '../ports/page.ts'
import type { CloudStoreCase } from './store-harness.ts'
import { at, deviceOf, online, storeCase, withDevices } from './store-harness.ts'

/** Three heartbeats: one that counts, one that is too old, one of a clock that was put back since. */
const beats = [at(500), at(-1), at(1001), null]
const metadata = [
  { os: 'Debian 13', tags: ['Rack 7', { slot: 42 }] },
  { os: '100%_sure', hardware: 'O\'Neil "x" \\ 5' },
  { os: 'STRASSE ÄÖÜ ΟΔΟΣ', free: true, none: null },
]

/** Devices of every kind: twelve of `ann`, which differ in all that can be filtered by, and one of `bob`. */
const fleet = Array.from({ length: 12 }, (_, index) =>
  deviceOf(`r${index.toString(16)}`, {
    name: index % 5 === 0 ? `Kasse ${index}` : `Tür ${index}`,
    type: index % 2 === 0 ? 'server' : 'iot',
    platform: index % 3 === 0 ? 'linux' : 'windows',
    metadata: metadata[index % 3]!,
    lastSeenAt: beats[index % 4]!,
    createdAt: at(Math.floor(index / 3)),
    labels: ['all', ...(index % 2 === 0 ? ['even'] : []), ...(index % 3 === 0 ? ['site:berlin/1'] : [])],
  }),
)

const ids = (indices: readonly number[]) => indices.map((index) => `r${index.toString(16)}`).toReversed()

const expected: readonly (readonly [DeviceCondition, readonly number[]])[] = [
  [{}, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]],
  [{ labels: ['all'] }, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]],
  [{ labels: ['even'] }, [0, 2, 4, 6, 8, 10]],
  [{ labels: ['site:berlin/1', 'all', 'even'] }, [0, 6]],
  [{ labels: ['even', 'nobody'] }, []],
  [{ labels: ['eve'] }, []],
  [{ type: 'iot' }, [1, 3, 5, 7, 9, 11]],
  [{ ids: ['r1', 'rb', 'R2', "r3' or 1=1"] }, [1, 11]],
  [{ ids: ['r1', 'r2', 'r6'], labels: ['all', 'even'], status: 'offline' }, [2, 6]],
  [{ ids: [] }, []],
  [{ type: 'IoT' }, []],
  [{ platform: 'linux' }, [0, 3, 6, 9]],
  [{ type: 'iot', platform: 'linux' }, [3, 9]],
  [{ status: 'online' }, [0, 4, 8]],
  [{ status: 'offline' }, [1, 2, 3, 5, 6, 7, 9, 10, 11]],
  [{ status: 'offline', labels: ['even'], type: 'server' }, [2, 6, 10]],
  [{ text: 'kasse' }, [0, 5, 10]],
  [{ text: 'TÜR 1' }, [1, 11]],
  [{ text: 'rb' }, [11]],
  [{ text: 'rack 7' }, [0, 3, 6, 9]],
  [{ text: '42' }, [0, 3, 6, 9]],
  [{ text: '%' }, [1, 4, 7, 10]],
  [{ text: '%_S' }, [1, 4, 7, 10]],
  [{ text: `o'neil "X" \\` }, [1, 4, 7, 10]],
  [{ text: 'äöü' }, [2, 5, 8, 11]],
  [{ text: 'aou' }, []],
  [{ text: 'οδος' }, [2, 5, 8, 11]],
  [{ text: 'true' }, [2, 5, 8, 11]],
  [{ text: 'null' }, []],
  [{ text: 'linux' }, []],
  [{ text: '13rack' }, []],
  [{ text: 'tür', status: 'online', labels: ['even', 'all'], type: 'server', platform: 'windows' }, [4, 8]],
]

async function walk(
  store: CloudStore,
  filter: DeviceCondition,
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<string[]> {
  const seen: string[] = []
  let after: PagePosition | undefined
  do {
    const page = await store.listDevices('ann', filter, { limit: 2, ...(after && { after }) }, online)
    expectTrue(page.rows.length <= 2, 'that a page keeps to its limit')
    seen.push(...page.rows.map(({ id }) => id))
    after = page.next
    await meanwhile()
  } while (after !== undefined && seen.length < 99)
  return seen
}

/** Promises of `CloudStore` about lists of devices by a filter. */
export const filterCases: readonly CloudStoreCase[] = [
  storeCase('C29: lists and counts the devices that a filter matches, page by page', async ({ store }) => {
    await withDevices(store, [...fleet, deviceOf('bob', { owner: 'bob', labels: ['all', 'even'] })])
    for (const [filter, indices] of expected) {
      const what = JSON.stringify(filter)
      expectSame(await walk(store, filter), ids(indices), `the pages of ${what}`)
      expectSame(await store.countDevices('ann', filter, online), indices.length, `the count of ${what}`)
      expectSame(await store.countDevices('nobody', filter, online), 0, `what nobody has of ${what}`)
    }
  }),
  storeCase('C29: shows a device at most once, however labels change between pages', async ({ store }) => {
    await withDevices(store, fleet)
    let round = 0
    const relabel = async () => {
      round += 1
      for (const [index, { id }] of fleet.entries())
        await store.updateDevice('ann', id, { labels: (index + round) % 2 === 0 ? ['even'] : [] })
    }
    await relabel()
    await relabel()
    const seen = await walk(store, { labels: ['even'] }, relabel)
    expectSame(seen.length, new Set(seen).size, 'how many different devices there are')
    expectTrue(seen.length > 2, 'that there are several pages')
  }),
  storeCase('C29: finds a device by nothing that it no longer has', async ({ store }) => {
    await withDevices(store, [deviceOf('d1', { name: 'Old', labels: ['old'] })])
    await store.updateDevice('ann', 'd1', { name: 'New', type: 'iot', labels: ['new'] })
    const count = (filter: DeviceCondition) => store.countDevices('ann', filter, online)
    const gone = [{ text: 'old' }, { labels: ['old'] }, { type: 'laptop' }]
    const there = [{ text: 'new' }, { labels: ['new'] }, { type: 'iot' }]
    for (const filter of gone) expectSame(await count(filter), 0, JSON.stringify(filter))
    for (const filter of there) expectSame(await count(filter), 1, JSON.stringify(filter))
    await store.deleteDevice('ann', 'd1')
    for (const filter of there)
      expectSame(await count(filter), 0, `a deleted one by ${JSON.stringify(filter)}`)
  }),
  storeCase('C29: keeps as many labels as a device may have', async ({ store }) => {
    const labels = Array.from({ length: 32 }, (_, index) => `label-${31 - index}`)
    await withDevices(store, [deviceOf('d1', { labels }), deviceOf('d2', { labels: labels.slice(1) })])
    expectSame((await store.findDevice('ann', 'd1'))?.labels, labels, 'the labels, in their order')
    const { rows } = await store.listDevices('ann', { labels }, { limit: 9 }, online)
    expectSame(
      rows.map(({ id }) => id),
      ['d1'],
      'the device with all of them',
    )
  }),
]
