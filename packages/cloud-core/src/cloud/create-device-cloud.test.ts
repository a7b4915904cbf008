import { describe, expect, it } from 'vitest'
import { createMemoryBlobs } from '../blobs/memory/index.ts'
import type { DeviceCloudOptions } from './cloud-options.ts'
import { createDeviceCloud } from './create-device-cloud.ts'
import { createMemoryStore } from '../memory/index.ts'
import { createSingleUserSessions } from '../sessions/single-user-sessions.ts'

const ann = { userId: 'ann' }
const laptop = { name: 'laptop', type: 'laptop', platform: 'linux', metadata: {} }

function open(options: Partial<DeviceCloudOptions> = {}) {
  const given = {
    store: createMemoryStore(),
    blobs: createMemoryBlobs(),
    sessions: createSingleUserSessions(),
  }
  return createDeviceCloud({ ...given, ...options })
}

describe('options', () => {
  const sameStore = createMemoryBlobs()
  it.each<[string, Partial<DeviceCloudOptions>]>([
    ['keyPrefix', { keyPrefix: 'HW' }],
    ['keySecret', { keySecret: 'too short' }],
    ['publicUrl', { publicUrl: 'cloud.example' }],
    ['publicUrl', { publicUrl: 'https://cloud.example?a=b' }],
    ['chunkBytes', { chunkBytes: 1000 }],
    ['chunks', { blobs: sameStore, chunks: sameStore }],
    ['maxJsonBytes', { maxJsonBytes: Number.NaN }],
    ['maxUploadBytes', { maxUploadBytes: -1 }],
    ['onlineWindowMs', { onlineWindowMs: 0 }],
    ['heartbeatIntervalSeconds', { heartbeatIntervalSeconds: 0 }],
    ['auditRetentionDays', { auditRetentionDays: 0 }],
    ['keySecret', { keySecret: 5 as never }],
    ['chunks', { chunks: {} as never }],
    // it would mean "interval", and a host that stops between requests would lose what it was told
    ['flush', { flush: 'synch' as never }],
    ['trustedProxies', { trustedProxies: '10.0.0.1' as never }],
    ['onError', { onError: console as never }],
    ['now', { now: 5 as never }],
    ['checkReplies', { checkReplies: 'false' as never }],
  ])('%s that cannot be used is refused, and named', (name, options) => {
    const secret = options.keySecret ?? 'none'
    expect(() => open(options)).toThrow(new RegExp(`^Creating the cloud failed: "${name}" must .*\\.$`))
    expect(() => open(options)).not.toThrow(secret)
  })
})

it('an option that there is not is refused, and those there are named', () => {
  const misspelt: object = { publicUlr: 'https://cloud.example' }
  expect(() => open(misspelt)).toThrow(/^Creating the cloud failed: "publicUlr" is unknown. Use .*publicUrl/)
})

it.each(['store', 'blobs', 'sessions'] as const)(
  'a cloud without %s, or with what makes one, is refused',
  (name) => {
    const refused = new RegExp(`^Creating the cloud failed: "${name}" must `)
    for (const given of [undefined, null, createMemoryStore, Promise.resolve({})]) {
      expect(() => open({ [name]: given })).toThrow(refused)
    }
    for (const none of [undefined, null])
      expect(() => createDeviceCloud(none as never)).toThrow('Creating the cloud failed: "store" must')
  },
)

it.each([
  ['tracer', {}],
  ['tracer', 5],
  ['timers', {}],
  ['timers', null],
])('refuses a %s that is none, which requests would fail on: %j', (name, given) => {
  expect(() => open({ [name]: given })).toThrow(`Creating the cloud failed: "${name}" must `)
})

it('registers a device whose metadata nobody gives', async () => {
  const cloud = open()
  const { name, type, platform } = { ...laptop, type: 'laptop' as const, platform: 'linux' as const }
  const { device } = await cloud.registerDevice(ann, { name, type, platform })
  expect((await cloud.listDevices(ann)).devices).toEqual([expect.objectContaining({ id: device.id })])
  await cloud.close()
})

describe('fileUrl', () => {
  it.each([
    ['the publicUrl of the cloud', {}, 'https://cloud.example/sub'],
    ['the origin of the call, where it names one', { origin: 'http://nas.local' }, 'http://nas.local'],
  ])("starts in the host's own calls with %s", async (_, from, start) => {
    const cloud = open({ publicUrl: 'https://cloud.example/sub/' })
    const { device, apiKey } = await cloud.registerDevice(ann, laptop)
    const wish = { deviceIds: [device.id], filePath: '/a', destination: 'cloud' as const }
    const { uploadRequests } = await cloud.createUploads(ann, wish)
    const body = new FormData()
    body.set('requestId', uploadRequests[0]!.id)
    body.set('file', new Blob(['hello']), 'a.txt')
    const sent = { method: 'POST', headers: { authorization: `Bearer ${apiKey}` }, body }
    await cloud.fetch(new Request('http://127.0.0.1/api/devices/files/upload', sent))
    const { results } = await cloud.listUploads({ ...ann, ...from })
    expect(results[0]?.fileUrl).toMatch(new RegExp(`^${start}/api/devices/files/[\\w-]{43}/a\\.txt$`))
    await cloud.close()
  })
})

describe('events', () => {
  it('reach every listener, whatever another one does', async () => {
    const errors: unknown[] = []
    const cloud = open({ onError: (error) => errors.push(error) })
    const heard: string[] = []
    cloud.events.on('device:registered', () => {
      throw new Error('one that throws')
    })
    // oxlint-disable-next-line typescript/no-misused-promises -- what hosts do all the same
    cloud.events.on('device:registered', () => Promise.reject(new Error('one that rejects')))
    cloud.events.on('device:registered', ({ deviceId }) => heard.push(deviceId))
    const { device } = await cloud.registerDevice(ann, laptop)
    await Promise.resolve()
    expect(heard).toEqual([device.id])
    expect(errors.map(String)).toEqual(['Error: one that throws', 'Error: one that rejects'])
    await cloud.close()
  })

  it('reach a listener of `once` once', async () => {
    const cloud = open()
    const heard: string[] = []
    cloud.events.once('device:registered', () => heard.push('once'))
    cloud.events.on('device:registered', () => heard.push('always'))
    await cloud.registerDevice(ann, laptop)
    await cloud.registerDevice(ann, laptop)
    expect(heard).toEqual(['once', 'always', 'always'])
    await cloud.close()
  })
})

/** A cloud with one stored file of three chunks, that its test may break. */
async function openWithFile() {
  const order: string[] = []
  const source = { break: () => {} }
  const content = () => {
    let left = 3
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (source.break = () => controller.error(new Error('the disk is gone'))),
        pull(controller) {
          if (left === 0) controller.close()
          else controller.enqueue(Uint8Array.of(left))
          left -= 1
        },
        cancel: () => void order.push('canceled'),
      },
      { highWaterMark: 0 },
    )
  }
  const cloud = open({
    store: { ...createMemoryStore(), findFile: async () => file },
    blobs: {
      ...createMemoryBlobs(),
      open: async () => ({ size: 3, content: content() }),
      close: async () => void order.push('blobs closed'),
    },
  })
  const path = '/api/devices/files/b/a.txt'
  const download = async (method = 'GET') => {
    const request = new Request(`http://127.0.0.1${path}`, { method })
    return cloud.fetch(request, { remoteAddress: '127.0.0.1' })
  }
  const respond = () => {
    const header = (name: string) => (name === 'host' ? '127.0.0.1' : undefined)
    const { signal } = new AbortController()
    const body = async function* () {}
    const from = { origin: 'http://127.0.0.1', remoteAddress: '127.0.0.1', header, signal, body }
    return cloud.respond({ method: 'GET', path, search: '', ...from })
  }
  return { cloud, order, source, download, respond }
}

const file = { deviceId: 'd', blobId: 'b', fileName: 'a.txt', size: 3, links: {} }
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

type Ending = (reader: ReadableStreamDefaultReader<Uint8Array>, source: { break(): void }) => Promise<unknown>

describe('close, while a file is downloaded', () => {
  const endings: Record<string, Ending> = {
    'is read to its end': async (reader) => {
      expect((await reader.read()).value).toEqual(Uint8Array.of(2))
      expect((await reader.read()).value).toEqual(Uint8Array.of(1))
      expect((await reader.read()).done).toBe(true)
    },
    'is given up': (reader) => reader.cancel(),
    breaks: async (reader, source) => {
      source.break()
      await expect(reader.read()).rejects.toThrow('the disk is gone')
    },
  }

  it.each(Object.entries(endings))('waits until its body %s', async (_, end) => {
    const { cloud, order, source, download } = await openWithFile()
    const answer = await download()
    expect(answer.headers.get('content-length')).toBe('3')
    const reader = answer.body!.getReader()
    expect((await reader.read()).value).toEqual(Uint8Array.of(3))
    const closed = cloud.close({ graceMs: 60_000 }).then(() => order.push('closed'))
    await turn()
    expect(order).toEqual([])
    await end(reader, source)
    await closed
    expect(order.filter((each) => each !== 'canceled')).toEqual(['blobs closed', 'closed'])
  })

  it('waits for the body of a plain reply, too', async () => {
    const { cloud, order, respond } = await openWithFile()
    const { body } = await respond()
    const closed = cloud.close({ graceMs: 60_000 })
    await turn()
    expect(order).toEqual([])
    expect([...(await new Response(body).bytes())]).toEqual([3, 2, 1])
    await closed
    expect(order).toEqual(['blobs closed'])
  })

  it('waits no longer than its time for a body that nobody reads', async () => {
    const { cloud, order, download } = await openWithFile()
    await download()
    await cloud.close({ graceMs: 1 })
    expect(order).toEqual(['blobs closed'])
  })

  it('does not wait for the body that an answer to HEAD does not have', async () => {
    const { cloud, order, download } = await openWithFile()
    const answer = await download('HEAD')
    expect(answer.headers.get('content-length')).toBe('3')
    expect(answer.body).toBeNull()
    await cloud.close({ graceMs: 60_000 })
    expect(order).toEqual(['canceled', 'blobs closed'])
  })
})

describe('close', () => {
  it.each([Number.NaN, -1, Infinity, '5'])(
    'refuses %j as its time, and leaves the cloud open',
    async (ms) => {
      const cloud = open()
      const graceMs = ms as number
      await expect(cloud.close({ graceMs })).rejects.toThrow(/^Closing the cloud failed: "graceMs" must be /)
      expect((await cloud.listDevices(ann)).devices).toEqual([])
      await cloud.close()
    },
  )

  it('answers 503 to requests that come later, and refuses calls by name', async () => {
    const errors: unknown[] = []
    const cloud = open({ onError: (error) => errors.push(error) })
    const { apiKey } = await cloud.registerDevice(ann, laptop)
    const poll = () =>
      cloud.fetch(
        new Request('http://127.0.0.1/api/devices/search/pending', {
          headers: { authorization: `Bearer ${apiKey}` },
        }),
      )
    expect((await poll()).status).toBe(200)
    const closed = cloud.close()
    for (const answer of [await poll(), await closed.then(poll)]) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
      const message = 'The server is stopping. Send the request again.'
      expect(await answer.json()).toEqual({ error: 'Service unavailable', message })
    }
    const refused = { name: 'CloudStoreError', code: 'CLOSED' }
    await expect(cloud.listDevices(ann)).rejects.toMatchObject(refused)
    await expect(cloud.registerDevice(ann, laptop)).rejects.toMatchObject(refused)
    await cloud.close()
    expect(errors).toEqual([])
  })

  it('ends everything, also where one of the adapters fails', async () => {
    const closed: string[] = []
    const failing = (name: string) => () => {
      closed.push(name)
      return Promise.reject(new Error(`${name} failed`))
    }
    const store = createMemoryStore()
    const writeHeartbeats = store.writeHeartbeats.bind(store)
    const cloud = open({
      store: {
        ...store,
        writeHeartbeats: (...beats) => {
          closed.push('heartbeats')
          return writeHeartbeats(...beats)
        },
        close: failing('store'),
      },
      blobs: { ...createMemoryBlobs(), close: failing('blobs') },
      chunks: { ...createMemoryBlobs(), close: failing('chunks') },
    })
    const { apiKey } = await cloud.registerDevice(ann, laptop)
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const beat = { method: 'POST', headers, body: '{"metadata":{}}' }
    const answer = await cloud.fetch(new Request('http://127.0.0.1/api/devices/heartbeat', beat))
    expect(answer.status).toBe(200)
    await expect(cloud.close()).rejects.toThrow('chunks failed')
    expect(closed).toEqual(['chunks', 'heartbeats', 'blobs', 'store'])
  })
})
