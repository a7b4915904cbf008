import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RawDevice } from '../wire/raw-client.ts'
import { openSocket, requestHead, type SocketAnswer } from './raw-socket.ts'
import { runServer, type RunningServer } from './running-server.ts'

// Simple programs end their side of the connection behind the request, and read the answer after that.

let running: RunningServer
let device: RawDevice
beforeAll(async () => {
  running = await runServer()
  device = await running.client.register()
})
afterAll(() => running[Symbol.asyncDispose]())

async function send(
  target: string,
  headers: Record<string, string> = {},
  body = '',
): Promise<SocketAnswer | undefined> {
  const { port } = running.server
  const length = body === '' ? {} : { 'Content-Length': String(body.length) }
  await using socket = await openSocket(port)
  socket.write(requestHead(target, port, { ...device.headers, ...headers, ...length }) + body)
  socket.endSending()
  return await socket.read()
}

const json = { 'Content-Type': 'application/json' }
const form = { 'Content-Type': 'multipart/form-data; boundary=b' }
const field = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; ${name}\r\n\r\n${value}\r\n`

it('answers a device that ends its side behind the request, whatever it asks', async () => {
  const { client } = running
  const [queryId] = await client.search([device.id])
  const [requestId] = await client.askForFile([device.id])
  const beat = await send('POST /api/devices/heartbeat', json, '{"metadata":{"os":"x"}}')
  expect(beat?.json).toMatchObject({ success: true, status: 'online' })
  const pending = await send('GET /api/devices/search/pending')
  expect(pending?.json).toMatchObject({ requests: [{ id: queryId }] })
  const report = await send('POST /api/devices/search', json, JSON.stringify({ queryId, results: {} }))
  expect(report?.json).toEqual({ success: true, queryId, status: 'completed' })
  const parts = field('name="requestId"', requestId!) + field('name="file"; filename="a"', 'hello')
  const upload = await send('POST /api/devices/files/upload', form, `${parts}--b--\r\n`)
  expect(upload?.json).toMatchObject({ success: true, fileName: 'a' })
})

it('C22: answers a held poll whose caller ends its side at once: it may be gone', async () => {
  const wait = { Prefer: 'wait=60' }
  // more than a device may hold
  for (let time = 0; time < 6; time += 1) {
    const answer = await send('GET /api/devices/search/pending', wait)
    expect(answer?.json).toEqual({ requests: [] })
    expect(answer?.headers.get('preference-applied')).toBe('wait=60')
  }
})

it('C22: a poll that is held while its caller ends its side is answered then', async () => {
  const { port } = running.server
  await using socket = await openSocket(port)
  const headers = { ...device.headers, Prefer: 'wait=60' }
  socket.write(requestHead('GET /api/devices/files/upload-requests/pending', port, headers))
  await pause(300) // no event tells that a poll is held
  socket.endSending()
  expect((await socket.read())?.json).toEqual({ requests: [] })
})

it('takes nothing of a body whose caller ends its side in the midst of it', async () => {
  const head = { ...json, 'Content-Length': '100' }
  const answer = await running.unchangedBy(async () => {
    const { port } = running.server
    await using socket = await openSocket(port)
    socket.write(`${requestHead('POST /api/devices', port, head)}{"name":`)
    socket.endSending()
    return await socket.read()
  })
  expect(answer?.status).toBe(400)
})
