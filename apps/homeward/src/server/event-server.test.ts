import { once } from 'node:events'
import { createRuntime, type RuntimeStore } from '@homeward/agent-runtime'
import { createTestStore } from '@homeward/agent-runtime/testing'
import { createSqliteStore } from '@homeward/agent-runtime/sqlite'
import { createEventSockets, type EventSocketsOptions } from '@homeward/agent-runtime/server'
import { expect, it, vi } from 'vitest'
import { openRawWebSocket } from '../../../../tests/platform/raw-web-socket.ts'
import { createEventServer } from './event-server.ts'
import { openPort } from '../http/open-port.ts'

const path = '/api/events'
const event = (index: number, length = 400) =>
  ({
    type: 'tool.called',
    timestamp: '2026-01-01T00:00:00.000Z',
    runId: `r${index % 3}`,
    data: { index, text: 'x'.repeat(length) },
  }) as const

async function start(options: Partial<EventSocketsOptions> = {}, store: RuntimeStore = createTestStore()) {
  const runtime = createRuntime({ store, environment: {} })
  const sockets = createEventSockets({ runtime, auth: { kind: 'none' }, ...options })
  const events = createEventServer(sockets)
  const opened = await openPort({ host: '127.0.0.1', port: 0, variable: 'PORT' })
  opened.onRequest((_, response) => void response.end('plain'))
  opened.onUpgrade([path], events.handleUpgrade)
  const close = () =>
    opened.close(async () => {
      events.close()
      await runtime.close()
    })
  return { store, sockets, close, port: opened.port, url: `${opened.url.replace('http', 'ws')}${path}` }
}

const append = async (store: RuntimeStore, count: number, length?: number) => {
  for (let done = 0; done < count; done += 500) {
    await store.appendEvents(
      Array.from({ length: Math.min(500, count - done) }, (_, at) => event(done + at, length)),
    )
  }
}

async function connect(url: string, subscription?: object, protocols: string[] = []) {
  const client = new WebSocket(url, protocols)
  const seqs: number[] = []
  const closed = once(client, 'close').then(([{ code, reason }]) => ({ code, reason }))
  client.addEventListener('message', ({ data }) => seqs.push(JSON.parse(String(data)).seq))
  await once(client, 'open')
  if (subscription) client.send(JSON.stringify(subscription))
  return { client, seqs, closed }
}

it('A14: gives two clients the same events in the same order under load, whenever they came', async () => {
  const server = await start()
  await append(server.store, 3000)
  const all = { type: 'subscribe', since: 0 }
  const first = await connect(server.url, all)
  const writing = (async () => {
    for (let round = 0; round < 40; round += 1) {
      await append(server.store, 100)
      await new Promise((resolve) => setImmediate(resolve))
    }
  })()
  const second = await connect(server.url, all)
  await writing
  await vi.waitFor(() => expect([first.seqs.length, second.seqs.length]).toEqual([7000, 7000]), 60_000)
  expect(first.seqs).toEqual(Array.from({ length: 7000 }, (_, index) => index + 1))
  expect(second.seqs).toEqual(first.seqs)
  await server.close()
  expect((await first.closed).code).toBe(1001)
})

it('A14: drops a client that does not read, with a reason, and holds a bounded number of bytes for it', async () => {
  // what this store keeps of the events is not counted below
  const store = createSqliteStore({ path: ':memory:' })
  const server = await start({ slowClientMs: 600, maxBufferedBytes: 256 * 1024 }, store)
  await using raw = await openRawWebSocket(server.port)
  expect(raw.status).toBe(101)
  raw.send('{"type": "subscribe", "since": 0}')
  raw.stopReading()
  const reader = await connect(server.url, { type: 'subscribe', since: 0 })
  const bytesBefore = process.memoryUsage().external
  const appending = append(server.store, 12_000, 2000) // 25 MB, far more than the system takes for a connection
  // at once: half a second after its reason the connection is cut, and what was not read by then is gone
  await vi.waitFor(() => expect(server.sockets.size).toBe(1), { timeout: 60_000, interval: 5 })
  expect(process.memoryUsage().external - bytesBefore).toBeLessThan(12e6)
  const { bytes, close } = await raw.readToEnd()
  expect(close).toEqual({ code: 1013, reason: expect.stringContaining('Too slow') })
  expect(bytes).toBeLessThan(16e6)
  await appending
  // whoever reads is not held up
  await vi.waitFor(() => expect(reader.seqs).toHaveLength(12_000), 60_000)
  await server.close()
}, 120_000)

it('ends a connection that sends bytes, or a message that is too large, and serves the others', async () => {
  const server = await start()
  await using binary = await openRawWebSocket(server.port)
  binary.sendFrame(2, Buffer.from([1, 2, 3]))
  expect((await binary.readToEnd()).close).toMatchObject({ code: 1003 })
  await using large = await openRawWebSocket(server.port)
  large.sendFrame(1, Buffer.alloc(20_000, 0x61))
  expect((await large.readToEnd()).close).toMatchObject({ code: 1009 })
  await using garbage = await openRawWebSocket(server.port)
  garbage.socket.write(Buffer.from([0xff, 0xff, 0xff, 0xff]))
  await garbage.readToEnd()
  await vi.waitFor(() => expect(server.sockets.size).toBe(0), { timeout: 60_000 })
  await server.close()
})

it('answers the pings of a client, and cuts one that floods it with them and reads no answer', async () => {
  const server = await start()
  await using calm = await openRawWebSocket(server.port)
  await using flood = await openRawWebSocket(server.port)
  for (const client of [calm, flood]) client.stopReading()
  for (let count = 0; count < 50; count += 1) calm.sendFrame(9, Buffer.alloc(100))
  for (let count = 0; count < 60; count += 1) flood.sendFrame(9, Buffer.alloc(100))
  await vi.waitFor(() => expect(server.sockets.size).toBe(1), { timeout: 60_000 })
  expect((await flood.readToEnd()).close).toEqual({
    code: 1008,
    reason: 'More than 50 pings within ten seconds',
  })
  calm.sendFrame(8, Buffer.from([3, 232]))
  const { bytes, close } = await calm.readToEnd()
  expect(close?.code).toBe(1000)
  expect(bytes).toBeGreaterThanOrEqual(50 * 102)
  await server.close()
})

it('survives clients that go away in the midst of the upgrade', async () => {
  let release = () => {}
  const held = new Promise<boolean>((resolve) => (release = () => resolve(true)))
  let checked = 0
  const server = await start({
    auth() {
      checked += 1
      return held
    },
  })
  const opening = Array.from({ length: 20 }, () => openRawWebSocket(server.port).catch(() => undefined))
  await vi.waitFor(() => expect(checked).toBe(opening.length), { timeout: 60_000 })
  const late = openRawWebSocket(server.port)
  release()
  const opened = await Promise.all(opening)
  for (const raw of opened) raw?.socket.resetAndDestroy()
  ;(await late).socket.resetAndDestroy()
  await vi.waitFor(() => expect(server.sockets.size).toBe(0), { timeout: 60_000 })
  await server.close()
})

it('A14: closes with 1001, also when a client does not answer, within the time that a port has', async () => {
  const server = await start()
  const good = await connect(server.url)
  await using deaf = await openRawWebSocket(server.port)
  deaf.stopReading()
  const startedAt = performance.now()
  await server.close()
  expect(performance.now() - startedAt).toBeLessThan(20_000)
  expect(await good.closed).toEqual({ code: 1001, reason: expect.stringContaining('since') })
})

it('leaves every other request alone, whatever upgrade it wishes for', async () => {
  const server = await start()
  for (const [target, upgrade] of [
    ['/api/agents', 'websocket'],
    [path, 'h2c'],
    [`${path}/more`, 'websocket'],
    [`http://127.0.0.1:${server.port}${path}`, 'websocket'],
  ] as const) {
    await using raw = await openRawWebSocket(server.port, { Upgrade: upgrade }, target)
    expect([target, raw.status]).toEqual([target, 200])
  }
  for (const target of [`${path}?token=x`, `${path}/`]) {
    await using asked = await openRawWebSocket(server.port, {}, target)
    expect([target, asked.status]).toEqual([target, 101])
  }
  await server.close()
})
