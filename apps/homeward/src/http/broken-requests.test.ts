import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openPort, type OpenPort } from './open-port.ts'

let port: OpenPort
beforeEach(async () => {
  port = await openPort({ host: '127.0.0.1', port: 0, variable: 'PORT', answersHalfOpen: true })
  port.onRequest((request, response) => {
    request.on('error', () => {})
    if (request.url === '/begun') response.write('begun')
    else request.resume().once('end', () => setTimeout(() => response.end('taken'), 20))
  })
})
afterEach(() => port.close(async () => {}))

/** Sends bytes and gives all that comes until the connection is ended. */
async function send(...parts: string[]): Promise<string> {
  const socket = connect(port.port, '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', (part: string) => (answer += part))
  socket.on('error', () => {})
  for (const part of parts) {
    if (part === 'end') socket.end()
    else socket.write(part)
    await pause(5)
  }
  if (!socket.closed) await once(socket, 'close')
  return answer
}

const post = (headers: string) => `POST / HTTP/1.1\r\nHost: x\r\n${headers}\r\n`

it.each([
  ['a length that is none', [post('Content-Length: -1\r\n')], 400, /Content-Length/],
  ['bare line feeds', ['POST / HTTP/1.1\nHost: x\n\n'], 400, /CR/],
  ['a chunk without its size', [post('Transfer-Encoding: chunked\r\n'), 'zz\r\n'], 400, /chunk size/],
  [
    'a body that ends too soon',
    [post('Content-Length: 9\r\n'), 'abc', 'end'],
    400,
    /before the request was complete/,
  ],
  ['the hello of TLS', ['\u0016\u0003\u0001'], 400, /TLS/],
  ['headers that are too large', [post(`X: ${'x'.repeat(20_000)}\r\n`)], 431, /16384 bytes/],
  ['an Expect that nobody knows', [post('Expect: banana\r\nContent-Length: 0\r\n')], 417, /100-continue/],
  ['no Host', ['POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n'], 400, /exactly one Host header/],
  [
    'no Host, as HTTP/1.0 allows',
    ['POST / HTTP/1.0\r\nContent-Length: 0\r\n\r\n'],
    400,
    /exactly one Host header/,
  ],
])('says what is wrong with %s', async (_, parts, status, message) => {
  const [head = '', text = ''] = (await send(...parts)).split('\r\n\r\n')
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(head).toMatch(/^content-type: application\/json/im)
  expect(JSON.parse(text)).toEqual({
    error: expect.any(String) as string,
    message: expect.stringMatching(message) as string,
  })
})

it.each(['Connection: close\r\n', ''])(
  'answers a whole request that has more behind it: %j',
  async (header) => {
    const answer = await send(`${post(`${header}Content-Length: 3\r\n`)}abc\0garbage\r\n`, 'more of it\r\n')
    expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*taken/)
    expect(answer).not.toContain('400')
  },
)

it('cuts an answer off that has begun when its request breaks: two answers are none', async () => {
  const begun = 'POST /begun HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'
  const socket = connect(port.port, '127.0.0.1').setEncoding('utf8')
  let answer = ''
  socket.on('error', () => {}).write(begun)
  socket.on('data', (part: string) => {
    const isNew = !answer.includes('begun')
    answer += part
    if (isNew && answer.includes('begun')) socket.write('zz\r\n')
  })
  await once(socket, 'close')
  expect(answer).toContain('begun')
  expect(answer.match(/HTTP\/1.1/g)).toHaveLength(1)
})
