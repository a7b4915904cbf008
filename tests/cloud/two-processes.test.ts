// What each process of a cloud keeps to itself: docs/guides/scaling.md, "The device cloud".
import { createHash } from 'node:crypto'
import type { DeviceCloudOptions } from '@homeward/cloud-core'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createMemoryStore } from '@homeward/cloud-core/memory'
import { describe, expect, it } from 'vitest'
import { createTestCloud, type TestCloud } from './test-cloud.ts'

/** Two clouds on one store, as two processes behind a load balancer are. */
async function createTwo(of: (index: number) => Partial<DeviceCloudOptions> = () => ({})) {
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

describe('C25: a plan that another process began in place of one that is remembered', () => {
  const pieces = [1, 2, 3, 4].map((value) => new Uint8Array(65_536).fill(value))
  const digestOf = (piece: Uint8Array) => createHash('sha256').update(piece).digest('base64')

  /** Both know a plan of the first two pieces; then the file changes, and only `here` is told of it. */
  async function start(changed: readonly Uint8Array[]) {
    const chunks = createMemoryBlobs()
    await using stack = new AsyncDisposableStack()
    const blobs = createMemoryBlobs()
    const { here, there } = stack.use(await createTwo(() => ({ chunks, blobs, chunkBytes: 65_536 })))
    const { id, headers } = await here.register()
    const { body } = await here.send('POST', '/api/devices/files/upload-requests', {
      body: { deviceIds: [id], filePath: '/a.bin' },
    })
    const path = `/api/devices/files/uploads/${body.uploadRequests?.[0]?.id}`
    const begin = (content: readonly Uint8Array[]) => {
      const size = content.length * 65_536
      const plan = { fileName: 'a.bin', size, chunkBytes: 65_536, digests: content.map(digestOf) }
      return here.send('PUT', path, { body: plan, headers })
    }
    const send = async ({ cloud }: TestCloud, index: number, piece: Uint8Array) => {
      const request = new Request(`http://127.0.0.1:3000${path}/chunks/${index}`, {
        method: 'PUT',
        headers: {
          ...headers,
          'content-type': 'application/octet-stream',
          'content-digest': `sha-256=:${digestOf(piece)}:`,
        },
        body: new Uint8Array(piece),
      })
      return (await cloud.fetch(request, { remoteAddress: '127.0.0.1' })).status
    }
    await begin(pieces.slice(0, 2))
    expect(await send(there, 0, pieces[0]!)).toBe(200)
    expect((await begin(changed)).body).toMatchObject({ received: [] })
    const owned = stack.move()
    return {
      here,
      there,
      send,
      received: async (test: TestCloud) => (await test.send('GET', path, { headers })).body['received'],
      complete: (test: TestCloud) => test.send('POST', `${path}/complete`, { headers }),
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    }
  }

  it('takes its chunks, also at places that the old one did not have', async () => {
    const changed = [pieces[2]!, pieces[3]!, pieces[0]!]
    await using clouds = await start(changed)
    const { there, send, received, complete } = clouds
    for (const index of [2, 0, 1]) expect(await send(there, index, changed[index]!)).toBe(200)
    expect(await received(there)).toEqual([0, 1, 2])
    expect((await complete(there)).body).toMatchObject({ success: true })
  })

  it('tells how far it is, and completes it', async () => {
    const changed = [pieces[2]!, pieces[3]!]
    await using clouds = await start(changed)
    const { here, there, send, received, complete } = clouds
    for (const [index, piece] of changed.entries()) expect(await send(here, index, piece)).toBe(200)
    expect(await received(there)).toEqual([0, 1])
    expect((await complete(there)).body).toMatchObject({ success: true })
  })

  it('completes it also where nothing was asked before', async () => {
    const changed = [pieces[2]!, pieces[3]!]
    await using clouds = await start(changed)
    const { here, there, send, complete } = clouds
    for (const [index, piece] of changed.entries()) await send(here, index, piece)
    expect((await complete(there)).body).toMatchObject({ success: true })
  })

  it('keeps a chunk that both plans have where the other process finds it', async () => {
    const changed = [pieces[0]!, pieces[1]!, pieces[2]!]
    await using clouds = await start(changed)
    const { here, there, send, received, complete } = clouds
    expect(await send(there, 0, changed[0]!)).toBe(200)
    expect(await received(here)).toEqual([0])
    for (const index of [1, 2]) expect(await send(here, index, changed[index]!)).toBe(200)
    expect((await complete(here)).body).toMatchObject({ success: true })
  })
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

it('C25: a chunk that breaks off takes nothing from another one that a second process takes', async () => {
  const chunks = createMemoryBlobs()
  await using clouds = await createTwo(() => ({ chunks, chunkBytes: 65_536 }))
  const { here, there } = clouds
  const { id, headers } = await here.register()
  const asked = { deviceIds: [id], filePath: '/a.bin' }
  const { body } = await here.send('POST', '/api/devices/files/upload-requests', { body: asked })
  const path = `/api/devices/files/uploads/${body.uploadRequests?.[0]?.id}`
  const digest = createHash('sha256').update(new Uint8Array(65_536)).digest('base64')
  const plan = { fileName: 'a.bin', size: 131_072, chunkBytes: 65_536, digests: [digest, digest] }
  expect((await here.send('PUT', path, { body: plan, headers })).status).toBe(200)

  /** A chunk whose bytes come once it is told so, or whose connection breaks off. */
  const open = ({ cloud }: TestCloud, index: number) => {
    const pipe = new TransformStream<Uint8Array>()
    const bytes = pipe.writable.getWriter()
    const request = new Request(`http://127.0.0.1:3000${path}/chunks/${index}`, {
      method: 'PUT',
      headers: {
        ...headers,
        'content-type': 'application/octet-stream',
        'content-digest': `sha-256=:${digest}:`,
      },
      body: pipe.readable,
      duplex: 'half', // Node wants it with a stream; the types do not know it
    } as RequestInit)
    const answer = cloud.fetch(request, { remoteAddress: '127.0.0.1' })
    return { bytes, status: async () => (await answer).status }
  }
  const status = async () =>
    (await here.send('GET', '/api/devices/files/upload-requests')).body.results?.[0]?.['status']

  const first = open(here, 0)
  await first.bytes.write(new Uint8Array(100))
  const second = open(there, 1)
  await second.bytes.write(new Uint8Array(100))
  await first.bytes.abort(new Error('cut off')).catch(() => {})
  expect(await first.status()).toBe(400)
  expect(await status()).toBe('uploading')
  await second.bytes.write(new Uint8Array(65_436))
  await second.bytes.close()
  expect(await second.status()).toBe(200)
})
