import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { openPort, pathOf, type OpenPort } from './open-port.ts'

let port: OpenPort | undefined
afterEach(async () => {
  await port?.close(async () => {})
  port = undefined
})

/** Sends bytes over a bare socket; gives what came back until it was closed, or until `until` is in it. */
async function send(text: string, until?: string): Promise<string> {
  const socket = connect(port?.port ?? 0, '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', (part: string) => {
    answer += part
    if (until !== undefined && answer.includes(until)) socket.destroy()
  })
  socket.write(text)
  await once(socket, 'close')
  return answer
}

it('answers 408 to a body that stops coming, and ends its connection', async () => {
  port = await openPort({ host: '127.0.0.1', port: 0, variable: 'PORT', stalledAfterMs: 50 })
  port.onRequest((request, response) => request.resume().once('end', () => response.end('whole')))
  const stalled = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc'
  const [head, text = ''] = (await send(stalled)).split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1.1 408 Request Timeout\r\nConnection: close\r\n/)
  expect(JSON.parse(text)).toEqual({
    error: 'Request timeout',
    message: expect.stringContaining('Send the request again'),
  })
  expect(await send('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\nabc', 'whole')).toContain(
    '200 OK',
  )
})

it('adds no 408 to an answer that has begun, nor in the place of one before it', async () => {
  port = await openPort({ host: '127.0.0.1', port: 0, variable: 'PORT', stalledAfterMs: 50 })
  port.onRequest((request, response) => {
    request.on('error', () => {})
    if (request.url === '/begun') response.write('begun')
    if (request.url === '/slow') setTimeout(() => response.end('late'), 120)
  })
  const body = 'HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc'
  expect(await send(`POST /begun ${body}`)).toMatch(/^HTTP\/1.1 200 OK\r\n(?!.*HTTP)/s)
  const both = await send(`GET /slow HTTP/1.1\r\nhost: x\r\n\r\nPOST / ${body}`)
  expect(both).toMatch(/^HTTP\/1.1 200 OK\r\n.*lateHTTP\/1.1 408 /s)
})

it('limits the wait for a body, and sets no limit for the answer once it is there', async () => {
  port = await openPort({ host: '127.0.0.1', port: 0, variable: 'PORT', stalledAfterMs: 60_000 })
  const socket = connect(port.port, '127.0.0.1').setEncoding('utf8')
  let answer = ''
  socket.on('data', (part: string) => (answer += part))
  port.onRequest((request, response) => {
    const end = () => response.end(`limit ${request.socket.timeout}`)
    request.resume().once('end', () => setImmediate(end))
    void vi.waitFor(() => expect(request.socket.timeout).toBe(60_000)).then(() => socket.write('abc'))
  })
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\n')
  await vi.waitFor(() => expect(answer).toContain('limit 0'))
  socket.destroy()
})

it('takes no time of a body that came with its head', async () => {
  port = await openPort({ host: '127.0.0.1', port: 0, variable: 'PORT', stalledAfterMs: 60_000 })
  port.onRequest((request, response) => {
    const answer = () => response.end(JSON.stringify([request.socket.timeout]))
    request.resume().once('end', () => setImmediate(answer))
  })
  const answer = await send('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\nabc', ']')
  expect(answer).toContain('[null]')
})

it('gives up a connection that is kept open for nothing, also behind a body', async () => {
  port = await openPort({ host: '127.0.0.1', port: 0, variable: 'PORT' })
  const idleLimits: (number | undefined)[] = []
  port.onRequest((request, response) => {
    // Whoever refuses a request answers before its body is there.
    if (request.url === '/late') request.resume().once('end', () => response.end('answer'))
    else response.end('answer')
    // behind every listener of the request
    request.once('close', () => setImmediate(() => idleLimits.push(request.socket.timeout)))
  })
  const body = 'HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\nabc'
  for (const head of ['POST /late', 'POST /early'])
    expect(await send(`${head} ${body}`, 'answer')).toContain('200 OK')
  await vi.waitFor(() => expect(idleLimits).toHaveLength(2))
  for (const limit of idleLimits) expect(limit).toBeGreaterThan(0)
})

it('knows the path of a request as a proxy is asked for it', () => {
  const paths = ['/a?b=/c', 'http://127.0.0.1:3000/a?b', 'HTTPS://[::1]/a', 'http://x?y', '', '*', '//x/y']
  expect(paths.map((url) => pathOf({ url }))).toEqual(['/a', '/a', '/a', '/', '/', '*', '//x/y'])
})

it.each([
  ['a request', 'GET / HTTP/1.1\r\n'],
  ['a request with a body', 'POST / HTTP/1.1\r\ncontent-length: 3\r\n'],
  ['one for a WebSocket', 'GET /events HTTP/1.1\r\nconnection: upgrade\r\nupgrade: websocket\r\n'],
])('refuses %s that names two hosts: what stands before it may have taken the other one', async (_, head) => {
  port = await openPort({ host: '127.0.0.1', port: 0, variable: 'PORT' })
  port.onRequest((_, response) => response.end('answer'))
  port.onUpgrade(['/events'], (_, socket) => socket.end('answer'))
  expect(await send(`${head}host: x\r\nHOST: y\r\n\r\nabc`)).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/)
  expect(await send(`${head}host: x\r\n\r\nabc`, 'answer')).toContain('answer')
})
