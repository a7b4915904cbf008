import { createMemoryStore } from '@homeward/cloud-core/memory'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createTestCloud, storeKinds, type Answer, type TestCloud } from './test-cloud.ts'

const searchPath = '/api/devices/search/pending'
const uploadPath = '/api/devices/files/upload-requests/pending'

afterEach(() => void vi.useRealTimers())

type Device = Awaited<ReturnType<TestCloud['register']>>

function poll(test: TestCloud, { headers }: Device, prefer: string, path = searchPath): Promise<Answer> {
  return test.send('GET', path, { headers: { ...headers, prefer } })
}

function ask(test: TestCloud, deviceIds: readonly string[]): Promise<Answer> {
  return test.send('POST', '/api/devices/search/query', { body: { query: 'a', scope: ['files'], deviceIds } })
}

/** Resolves when the cloud has read the pending list `count` times: those polls are held then. */
function pollsHeld(test: TestCloud, count: number): Promise<void> {
  const list = test.store.listPendingSearches
  return new Promise((resolve) => {
    let reads = 0
    test.store.listPendingSearches = async (...input) => {
      const rows = await list(...input)
      reads += 1
      if (reads === count) queueMicrotask(resolve)
      return rows
    }
  })
}

const applied = (answer: Answer) => answer.headers.get('preference-applied')

describe.each(storeKinds)('held polls over %s', (kind) => {
  it('C22: wakes hundreds of held polls as soon as there is work for them, each with its own', async () => {
    await using test = await createTestCloud(kind)
    const devices: Device[] = []
    for (let index = 0; index < 300; index += 1) devices.push(await test.register(`d${index}`))
    const held = pollsHeld(test, devices.length)
    const answers = Promise.all(devices.map((device) => poll(test, device, 'wait=60')))
    await held
    const created = await ask(
      test,
      devices.map((device) => device.id),
    )
    const byDevice = new Map(created.body.searchQueries!.map((row) => [row['deviceId'], row.id]))
    for (const [index, answer] of (await answers).entries()) {
      expect(answer.body.requests!.map((row) => row.id)).toEqual([byDevice.get(devices[index]!.id)])
      expect(applied(answer)).toBe('wait=60')
    }
  })

  it('C15, C22: a held poll ends with its key, and gets no work that comes behind that', async () => {
    await using test = await createTestCloud(kind)
    const [rotated, deleted] = [await test.register('rotated'), await test.register('deleted')]
    const held = pollsHeld(test, 2)
    const old = poll(test, rotated, 'wait=60')
    const gone = poll(test, deleted, 'wait=60')
    await held
    const { body } = await test.send('POST', `/api/devices/${rotated.id}/rotate-key`)
    const headers = { authorization: `Bearer ${body.apiKey}` }
    const heldAgain = pollsHeld(test, 1)
    const fresh = poll(test, { ...rotated, headers }, 'wait=60')
    await heldAgain
    expect(await old).toMatchObject({ status: 200, body: { requests: [] } })
    expect((await poll(test, rotated, 'wait=60')).status).toBe(401)
    expect((await test.send('DELETE', `/api/devices/${deleted.id}`)).status).toBe(200)
    expect(await gone).toMatchObject({ status: 200, body: { requests: [] } })
    await ask(test, [rotated.id])
    expect(await fresh).toMatchObject({ status: 200, body: { requests: [{ query: 'a' }] } })
  })

  it('C22: holds four polls of a device, and answers a fifth at once without claiming to have held it', async () => {
    await using test = await createTestCloud(kind)
    const device = await test.register()
    const held = pollsHeld(test, 4)
    const four = Array.from({ length: 4 }, () => poll(test, device, 'wait=60'))
    await held
    const fifth = await poll(test, device, 'wait=60')
    expect(fifth.body).toEqual({ requests: [] })
    expect(applied(fifth)).toBeNull()
    await ask(test, [device.id])
    for (const answer of await Promise.all(four)) expect(answer.body.requests!).toHaveLength(1)
  })

  it('C22: lets a caller that went away make room for the next poll', async () => {
    await using test = await createTestCloud(kind)
    const device = await test.register()
    const controllers = Array.from({ length: 4 }, () => new AbortController())
    const held = pollsHeld(test, 4)
    const gone = controllers.map(({ signal }) =>
      test.cloud.fetch(
        new Request(`http://127.0.0.1:3000${searchPath}`, {
          headers: { ...device.headers, prefer: 'wait=60' },
          signal,
        }),
        { remoteAddress: '127.0.0.1' },
      ),
    )
    await held
    for (const controller of controllers) controller.abort()
    await Promise.all(gone)
    const next = poll(test, device, 'wait=60')
    await ask(test, [device.id])
    expect(applied(await next)).toBe('wait=60')
  })

  it('C22: wakes polls for uploads too, and no poll of another device', async () => {
    await using test = await createTestCloud(kind)
    const [device, other] = [await test.register('a'), await test.register('b')]
    const uploads = poll(test, device, 'wait=60', uploadPath)
    let otherAnswered = false
    const others = poll(test, other, 'wait=60').then(() => (otherAnswered = true))
    await test.send('POST', '/api/devices/files/upload-requests', {
      body: { deviceIds: [device.id], filePath: '/a', destination: 'cloud' },
    })
    expect((await uploads).body.requests!).toMatchObject([{ filePath: '/a' }])
    expect(otherAnswered).toBe(false)
    await test.cloud.close()
    await others
  })

  it.each([
    ['wait=600', 'wait=60'],
    ['respond-async, wait=5', 'wait=5'],
    ['WAIT = "7"; x=y', 'wait=7'],
    ['wait=0', 'wait=0'],
    ['wait', null],
    ['wait=', null],
    ['wait=-1', null],
    ['wait=1.5', null],
    ['wait=9999999999999999999999', null],
    ['wait=x', null],
    ['await=5', null],
    [',,;;"=', null],
    ['x'.repeat(5000), null],
  ])('C22: takes "Prefer: %.40s" for %s', async (prefer, expected) => {
    await using test = await createTestCloud(kind)
    const device = await test.register()
    await ask(test, [device.id])
    expect(applied(await poll(test, device, prefer))).toBe(expected)
  })
})

it('C22: gives work that another process added when the time is over, at the latest', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const store = createMemoryStore()
  await using test = await createTestCloud('memory', { store })
  await using neighbour = await createTestCloud('memory', { store: { ...store, close: async () => {} } })
  const device = await test.register()
  const answer = poll(test, device, 'wait=30')
  await vi.advanceTimersByTimeAsync(1000)
  const created = await ask(neighbour, [device.id])
  await vi.advanceTimersByTimeAsync(29_000)
  expect((await answer).body.requests!.map((row) => row.id)).toEqual([created.body.searchQueries![0]!.id])
})

it('C22: leaves no timer behind, however a held poll ends', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  await using test = await createTestCloud('memory')
  const device = await test.register()
  const before = vi.getTimerCount() // the first look at silent devices is due
  const ended = poll(test, device, 'wait=30')
  await vi.advanceTimersByTimeAsync(30_000)
  expect((await ended).body).toEqual({ requests: [] })
  const woken = poll(test, device, 'wait=30')
  await ask(test, [device.id])
  await woken
  expect(vi.getTimerCount()).toBe(before)
})

it('C22: says how soon devices may return after a restart, while there are few', async () => {
  await using test = await createTestCloud('memory')
  const devices: Device[] = []
  for (let index = 0; index < 313; index += 1) devices.push(await test.register(`d${index}`))
  const toBeHeld = [...devices, ...devices, ...devices, ...devices].slice(0, 1251)
  const held = pollsHeld(test, toBeHeld.length)
  const polls = toBeHeld.map((device) => poll(test, device, 'wait=60'))
  await held
  const late = await poll(test, devices.at(-1)!, '')
  expect(late.headers.get('reconnect-within')).toBeNull()
  await test.cloud.close()
  const told = (await Promise.all(polls)).map(({ headers }) => headers.get('reconnect-within'))
  expect([told[0], told[100], told[101], told[500], told[1250]]).toEqual(['2', '2', '3', '10', '25'])
})
