import { once } from 'node:events'
import { createSqliteStore } from '@homeward/agent-runtime/sqlite'
import { EventSocketFrame, JournalEvent } from '@homeward/contract/agent-platform'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import { endInTime } from '../server/end-in-time.ts'
import { createHome, startServer, type ServerProcess } from '../server/server-process.ts'
import { createPlatformClient } from './platform-client.ts'
import { openRawWebSocket } from './raw-web-socket.ts'

const within = { timeout: 60_000 }

/** What Node's own client gets, as a browser's would: from when its subscription holds, where it has one. */
async function connect(server: ServerProcess, subscription?: object, protocols: string[] = []) {
  const client = new WebSocket(`${server.agentsUrl.replace('http', 'ws')}/api/events`, protocols)
  const frames: JournalEvent[] = []
  const { promise: subscribed, resolve } = Promise.withResolvers<void>()
  const closed = once(client, 'close').then(([event]) => ({ code: event.code, reason: event.reason }))
  client.addEventListener('message', ({ data }) => {
    const frame = z.parse(EventSocketFrame, JSON.parse(String(data)))
    if (frame.type === 'subscribed') frames.length = 0
    else frames.push(frame as JournalEvent)
    if (frame.type === 'subscribed' || frame.type === 'error') resolve()
  })
  await once(client, 'open')
  if (subscription) {
    client.send(JSON.stringify({ ...subscription, id: 'first' }))
    await subscribed
  }
  return { client, frames, closed, types: () => frames.map(({ type }) => type) }
}

const run = { agent_id: 'demo', task: 'Count the words of this sentence.' }

it('A14: shows a run as it happens, word for word as /api/logs has it afterwards', async () => {
  await using home = await createHome()
  await using server = await startServer(home.path)
  const api = createPlatformClient(server.agentsUrl)
  const { events: before } = await api.ok('GET', '/api/logs?limit=1')
  const since = before.at(-1)?.seq ?? 0
  const all = await connect(server)
  const some = await connect(server, { type: 'subscribe', types: ['agent.started', 'agent.completed'] })
  const { run_id } = await api.ok('POST', '/api/agents/run', run)
  await vi.waitFor(() => expect(some.types()).toEqual(['agent.started', 'agent.completed']), within)
  const { events } = await api.ok('GET', `/api/logs?since=${since}&run_id=${run_id}&limit=1000`)
  await vi.waitFor(() => expect(all.frames.filter((each) => each.run_id === run_id)).toEqual(events), within)
  for (const event of events) z.parse(JournalEvent, event)
  const types = events.map(({ type }: { type: string }) => type)
  expect(types).toEqual(
    expect.arrayContaining(['agent.started', 'tool.called', 'tool.completed', 'agent.completed']),
  )

  const several = await api.ok('GET', '/api/logs?types=agent.started,%20agent.completed&since=0')
  expect(several.events.map(({ type }: { type: string }) => type)).toEqual([
    'agent.started',
    'agent.completed',
  ])
  const late = await connect(server, { type: 'subscribe', run_id, since: 0 })
  await vi.waitFor(() => expect(late.frames).toEqual(events), within)
  some.client.send('{"type": "subscribe", "since": "x"}')
  await vi.waitFor(
    () => expect(some.frames.at(-1)).toMatchObject({ type: 'error', code: 'validation_error' }),
    within,
  )
  for (const { client } of [all, some, late]) client.close()
})

it.concurrent('A14: goes on behind the last event that a client has, after the server was killed', async () => {
  await using home = await createHome()
  const seen: number[] = []
  {
    await using server = await startServer(home.path)
    const api = createPlatformClient(server.agentsUrl)
    const viewer = await connect(server, { type: 'subscribe', since: 0 })
    await api.ok('POST', '/api/agents/run', run)
    await vi.waitFor(() => expect(viewer.types()).toContain('agent.completed'), within)
    seen.push(...viewer.frames.map(({ seq }) => seq))
    await server.end('SIGKILL')
    expect((await viewer.closed).code).toBe(1006)
  }
  await using again = await startServer(home.path)
  const api = createPlatformClient(again.agentsUrl)
  const viewer = await connect(again, { type: 'subscribe', since: seen.at(-1) ?? 0 })
  await api.ok('POST', '/api/agents/run', run)
  await vi.waitFor(() => expect(viewer.types()).toContain('agent.completed'), within)
  seen.push(...viewer.frames.map(({ seq }) => seq))
  const { events } = await api.ok('GET', '/api/logs?since=0&limit=1000')
  expect(seen).toEqual(events.map(({ seq }: { seq: number }) => seq))
  const wrong = await connect(again, { type: 'subscribe', since: 1e9 })
  await vi.waitFor(() => expect(wrong.frames).toMatchObject([{ type: 'error', code: 'conflict' }]), within)
})

it.concurrent('A14: a client that stops reading a long replay is dropped; the server goes on', async () => {
  await using home = await createHome()
  {
    const store = createSqliteStore({ path: join(home.path, 'agents.db') })
    const event = {
      type: 'skill.changed',
      timestamp: new Date().toISOString(),
      data: { text: 'x'.repeat(4000) },
    } as const
    for (let count = 0; count < 6000; count += 500) {
      await store.appendEvents(Array.from({ length: 500 }, () => event))
    }
    await store.close()
  }
  await using server = await startServer(home.path)
  await using raw = await openRawWebSocket(Number(new URL(server.agentsUrl).port))
  raw.send('{"type": "subscribe", "since": 0}')
  raw.stopReading()
  // the limit is ten seconds; who does not read learns of it by what is sent
  const pings = setInterval(() => raw.sendFrame(9, new Uint8Array()), 250)
  await new Promise((resolve) => raw.socket.once('close', resolve))
  clearInterval(pings)
  const api = createPlatformClient(server.agentsUrl)
  expect((await api.ok('POST', '/api/agents/run', run)).success).toBe(true)
  expect(server.output()).not.toMatch(/^agents:/m)
})

it('A14: ends every connection with 1001 within 3 s of SIGTERM, also one that does not answer', async () => {
  await using home = await createHome()
  await using server = await startServer(home.path)
  const viewer = await connect(server)
  await using deaf = await openRawWebSocket(Number(new URL(server.agentsUrl).port))
  deaf.stopReading()
  await endInTime(server)
  expect((await viewer.closed).code).toBe(1001)
})

it('A19: checks an upgrade like every other request, before it', async () => {
  await using home = await createHome()
  await using server = await startServer(home.path, { API_TOKEN: 'a-long-token' })
  const port = Number(new URL(server.agentsUrl).port)
  const token = { Authorization: 'Bearer a-long-token' }
  const refused: [number, Record<string, string>, string?][] = [
    [401, {}],
    [401, { Authorization: 'Bearer a-long-tokem' }],
    [401, { Cookie: 'api_token=a-long-token' }],
    [401, { 'Sec-WebSocket-Protocol': 'homeward, homeward.token.wrong' }],
    [401, {}, '/api/events?token=a-long-token&access_token=a-long-token'],
    [403, { ...token, Host: `rebound.example:${port}` }],
    [403, { ...token, Origin: 'http://evil.example' }],
    [403, { ...token, Origin: 'null' }],
  ]
  for (const [status, headers, path] of refused) {
    await using raw = await openRawWebSocket(port, headers, path)
    expect([headers, raw.status]).toEqual([headers, status])
    expect(raw.head.toLowerCase()).toContain('x-content-type-options: nosniff')
  }
  await using own = await openRawWebSocket(port, { ...token, Origin: server.agentsUrl })
  expect(own.status).toBe(101)
  const viewer = await connect(server, { type: 'subscribe', since: 0 }, [
    'homeward',
    'homeward.token.a-long-token',
  ])
  expect(viewer.client.protocol).toBe('homeward')
  viewer.client.close()
  const plain = await fetch(`${server.agentsUrl}/api/events`)
  const { code, request_id } = await plain.json()
  expect([plain.status, code]).toEqual([426, 'upgrade_required'])
  expect(request_id).toBe(plain.headers.get('x-request-id'))
  expect(server.output()).not.toContain('a-long-token')
})
