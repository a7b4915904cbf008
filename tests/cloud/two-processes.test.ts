// What each process of a cloud keeps to itself: docs/guides/scaling.md, "The device cloud".
import { createHash } from 'node:crypto'
import type { CloudOptions } from '@homeward/cloud-core'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createMemoryStore } from '@homeward/cloud-core/memory'
import { expect, it } from 'vitest'
import { createTestCloud, type TestCloud } from './test-cloud.ts'

/** Two clouds on one store, as two processes behind a load balancer are. */
async function createTwo(of: (index: number) => Partial<CloudOptions> = () => ({})) {
  const store = { ...createMemoryStore(), close: async () => {} }
  await using stack = new AsyncDisposableStack()
  const here = stack.use(await createTestCloud('memory', { store, ...of(0) }))
  const there = stack.use(await createTestCloud('memory', { store, ...of(1) }))
  const owned = stack.move()
  return { here, there, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

const beat = { metadata: { os: 'Linux', version: '6.1', hardware: 'x86' } }

it('C12: each counts rates and failed authentications by itself', async () => {
  await using clouds = await createTwo()
  const { headers } = await clouds.here.register()
  const answers = async (test: TestCloud, headersOf: (index: number) => Record<string, string>) => {
    const statuses: number[] = []
    for (let index = 0; index < 80; index += 1) {
      const given = headersOf(index)
      statuses.push(
        (await test.send('POST', '/api/devices/heartbeat', { body: beat, headers: given })).status,
      )
    }
    return [200, 401, 429].map((status) => statuses.filter((each) => each === status).length)
  }
  const bad = (index: number) => ({ authorization: `Bearer hw_${String(index).padStart(43, 'x')}` })
  for (const test of [clouds.here, clouds.there]) {
    expect(await answers(test, () => headers)).toEqual([10, 0, 70])
    expect(await answers(test, bad)).toEqual([0, 60, 20])
  }
})

it('C2: each tells its own host what happens there, and of a device that comes online once each, until one has written it', async () => {
  await using clouds = await createTwo((index) => ({ flush: index === 0 ? 'sync' : 'interval' }))
  const { here, there } = clouds
  const told: string[] = []
  for (const [name, { cloud }] of Object.entries({ here, there })) {
    cloud.events.on('device:registered', () => told.push(`${name}: registered`))
    cloud.events.on('device:online', () => told.push(`${name}: online`))
  }
  const [first, second] = [await here.register(), await here.register()]
  expect(told).toEqual(['here: registered', 'here: registered'])
  told.length = 0
  const send = (test: TestCloud, { headers }: typeof first) =>
    test.send('POST', '/api/devices/heartbeat', { body: beat, headers })
  await send(there, first) // written within five seconds
  await send(here, first)
  expect(told).toEqual(['there: online', 'here: online'])
  await send(here, second) // written at once
  await send(there, second)
  expect(told).toEqual(['there: online', 'here: online', 'here: online'])
})

it('C25: with chunks of its own none knows what another one began; with the same chunks any of them goes on', async () => {
  const file = new Uint8Array(65_536 + 7).fill(1)
  const pieces = [file.slice(0, 65_536), file.slice(65_536)]
  const digests = pieces.map((piece) => createHash('sha256').update(piece).digest('base64'))
  const plan = { fileName: 'a.bin', size: file.length, chunkBytes: 65_536, digests }
  const shared = createMemoryBlobs()
  const statuses: unknown[] = []
  for (const chunksOf of [createMemoryBlobs, () => shared]) {
    await using clouds = await createTwo(() => ({ chunks: chunksOf(), chunkBytes: 65_536 }))
    const { here, there } = clouds
    const { id, headers } = await here.register()
    const { body } = await here.send('POST', '/api/devices/files/upload-requests', {
      body: { deviceIds: [id], filePath: '/a.bin' },
    })
    const path = `/api/devices/files/uploads/${body.uploadRequests?.[0]?.id}`
    expect((await here.send('PUT', path, { body: plan, headers })).status).toBe(200)
    const progress = async (test: TestCloud) =>
      (await test.send('GET', '/api/devices/files/upload-requests')).body.results?.[0]?.['totalBytes']
    expect([await progress(here), await progress(there)]).toEqual([file.length, undefined])
    statuses.push((await there.send('GET', path, { headers })).status)
  }
  expect(statuses).toEqual([404, 200])
})
