import { describe, expect, it, vi } from 'vitest'
import { createTestCloud, storeKinds, type Answer, type TestCloud } from './test-cloud.ts'

const path = '/api/devices/work'
const windowMs = 150_000
type Device = Awaited<ReturnType<TestCloud['register']>>

/** Timers on the clock that the test moves. */
function createTimers() {
  const waiting = new Map<object, { readonly atMs: number; readonly run: () => void }>()
  let nowMs = Date.UTC(2026, 0, 1)
  return {
    now: () => nowMs,
    timers: {
      setTimeout(run: () => void, ms: number) {
        const timer = {}
        waiting.set(timer, { atMs: nowMs + ms, run })
        return timer
      },
      clearTimeout: (timer: unknown) => void waiting.delete(timer as object),
    },
    async pass(ms: number) {
      const endMs = nowMs + ms
      for (;;) {
        for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve))
        const [due] = [...waiting].toSorted(([, a], [, b]) => a.atMs - b.atMs)
        if (due === undefined || due[1].atMs > endMs) break
        waiting.delete(due[0])
        nowMs = Math.max(nowMs, due[1].atMs)
        due[1].run()
      }
      nowMs = endMs
    },
  }
}

function work(
  test: TestCloud,
  { headers }: Device,
  working: readonly string[] = [],
  prefer = '',
): Promise<Answer> {
  return test.send('POST', path, {
    headers: { ...headers, prefer },
    body: { metadata: { os: 'Linux' }, working },
  })
}

async function ask(test: TestCloud, { id }: Device, query = 'a'): Promise<string> {
  const body = { query, scope: ['files'], deviceIds: [id] }
  const { body: made } = await test.send('POST', '/api/devices/search/query', { body })
  return made.searchQueries![0]!.id
}

async function request(test: TestCloud, { id }: Device): Promise<string> {
  const body = { filePath: '/a', destination: 'cloud', deviceIds: [id] }
  const { body: made } = await test.send('POST', '/api/devices/files/upload-requests', { body })
  return made.uploadRequests![0]!.id
}

const rowsOf = ({ body }: Answer) => [body['searches'], body['uploads']] as { readonly id: string }[][]
const idsOf = (answer: Answer) => rowsOf(answer).map((rows) => rows.map(({ id }) => id))

describe.each(storeKinds)('all work in one request, over %s', (kind) => {
  it('gives both lists without what the device has, and it all again to a device that has lost it', async () => {
    await using test = await createTestCloud(kind)
    const device = await test.register()
    expect(idsOf(await work(test, device))).toEqual([[], []])
    const [search, upload] = [await ask(test, device), await request(test, device)]
    const first = await work(test, device)
    expect(idsOf(first)).toEqual([[search], [upload]])
    expect(first.body['now']).toBe('2026-01-01T00:00:00.000Z')
    expect(rowsOf(first)[1]![0]).toMatchObject({ filePath: '/a', destination: 'cloud' })
    expect(idsOf(await work(test, device, [search]))).toEqual([[], [upload]])
    expect(idsOf(await work(test, device, [search, upload]))).toEqual([[], []])
    expect(idsOf(await work(test, device))).toEqual([[search], [upload]])
  })

  it('lists at most 20 of a kind that the device does not have, oldest first', async () => {
    await using test = await createTestCloud(kind)
    const device = await test.register()
    const ids: string[] = []
    for (let index = 0; index < 30; index += 1) {
      test.advance(1)
      ids.push(await ask(test, device))
    }
    expect(idsOf(await work(test, device))[0]).toEqual(ids.slice(0, 20))
    test.advance(10_000)
    expect(idsOf(await work(test, device, ids.slice(0, 20)))[0]).toEqual(ids.slice(20))
  })

  it('answers a held request as soon as there is work', async () => {
    await using test = await createTestCloud(kind)
    const device = await test.register()
    const held = work(test, device, [], 'wait=300')
    await vi.waitFor(async () => expect(await status(test, device)).toBe('online'))
    const search = await ask(test, device)
    const answer = await held
    expect(idsOf(answer)).toEqual([[search], []])
    expect(answer.headers.get('preference-applied')).toBe('wait=300')
  })

  it('keeps a device online while the request is held, and as long as the window after it', async () => {
    const clock = createTimers()
    await using test = await createTestCloud(kind, { now: clock.now, timers: clock.timers })
    const names: string[] = []
    test.cloud.events.on('device:online', () => names.push('online'))
    test.cloud.events.on('device:offline', () => names.push('offline'))
    const device = await test.register()
    const held = work(test, device, [], 'wait=300')
    for (let minutes = 1; minutes < 5; minutes += 1) {
      await clock.pass(60_000)
      expect(await status(test, device)).toBe('online')
    }
    await clock.pass(60_000)
    expect(idsOf(await held)).toEqual([[], []])
    await clock.pass(windowMs)
    expect(await status(test, device)).toBe('online')
    await clock.pass(20_000)
    expect(await status(test, device)).toBe('offline')
    await clock.pass(20_000)
    expect(names).toEqual(['online', 'offline'])
  })

  it('stores the metadata as a heartbeat does, and rejects what a heartbeat may not hold', async () => {
    await using test = await createTestCloud(kind)
    const device = await test.register()
    await work(test, device)
    const { body } = await test.send('GET', `/api/devices/${device.id}`)
    expect(body['device']).toMatchObject({ status: 'online', metadata: { os: 'Linux' } })
    const send = (given: object) => test.send('POST', path, { headers: device.headers, body: given })
    expect((await send({ metadata: { big: 'x'.repeat(100_000) } })).status).toBe(400)
    expect((await send({ metadata: {}, working: [''] })).status).toBe(400)
    expect((await send({})).status).toBe(400)
    expect((await test.send('POST', path, { body: { metadata: {} } })).status).toBe(401)
  })

  it('ends with the key, without work that comes after it', async () => {
    await using test = await createTestCloud(kind)
    const device = await test.register()
    const held = work(test, device, [], 'wait=300')
    await vi.waitFor(async () => expect(await status(test, device)).toBe('online'))
    await test.send('DELETE', `/api/devices/${device.id}`)
    expect(await held).toMatchObject({ status: 200, body: { searches: [], uploads: [] } })
  })

  it('streams the same as events, each once, with a ping every 25 seconds', async () => {
    const clock = createTimers()
    await using test = await createTestCloud(kind, { now: clock.now, timers: clock.timers })
    const device = await test.register()
    const search = await ask(test, device)
    const events = await openStream(test, device)
    expect(await events.next()).toMatchObject({ event: 'search', data: { id: search, query: 'a' } })
    const upload = await request(test, device)
    expect(await events.next()).toMatchObject({ event: 'upload', data: { id: upload, filePath: '/a' } })
    const ping = events.next()
    await clock.pass(25_000)
    expect(await ping).toEqual({ event: 'ping', data: { now: '2026-01-01T00:00:25.000Z' } })
    for (let minutes = 0; minutes < 4; minutes += 1) {
      const [one, other] = [events.next(), events.next()]
      await clock.pass(60_000)
      expect([(await one).event, (await other).event]).toEqual(['ping', 'ping'])
      expect(await status(test, device)).toBe('online')
    }
    await test.send('DELETE', `/api/devices/${device.id}`)
    const readOn = async () => {
      for (;;) await events.next()
    }
    await expect(readOn()).rejects.toThrow('The stream ended')
  })

  it('rejects a fifth stream of a device', async () => {
    await using test = await createTestCloud(kind)
    const device = await test.register()
    const streams = [1, 2, 3, 4].map(() => openStream(test, device))
    for (const stream of streams) (await stream).next().catch(() => {})
    await vi.waitFor(async () => {
      const { status: answered } = await test.send('GET', path, { headers: device.headers })
      expect(answered).toBe(429)
    })
    for (const stream of streams) await (await stream).cancel()
  })
})

async function status(test: TestCloud, { id }: Device): Promise<unknown> {
  const { body } = await test.send('GET', `/api/devices/${id}`)
  return (body['device'] as Record<string, unknown>)['status']
}

async function openStream(test: TestCloud, { headers }: Device) {
  const asked = new Request(`http://127.0.0.1:3000${path}`, {
    headers: { ...headers, accept: 'text/event-stream' },
  })
  const response = await test.cloud.fetch(asked, { remoteAddress: '127.0.0.1' })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const next = async (): Promise<{ event: string; data: Record<string, unknown> }> => {
    for (;;) {
      const found = /^event: (\w+)\ndata: (.*)\n\n/m.exec(text)
      if (found) {
        text = text.slice(found.index + found[0].length)
        return { event: found[1]!, data: JSON.parse(found[2]!) as Record<string, unknown> }
      }
      const { done, value } = await reader.read()
      if (done) throw new Error('The stream ended')
      text += value
    }
  }
  let turn: Promise<unknown> = Promise.resolve()
  return {
    next: () => {
      const one = turn.then(next)
      turn = one
      return one
    },
    cancel: () => reader.cancel(),
  }
}
