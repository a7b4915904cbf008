import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openPort, type OpenPort } from './open-port.ts'

let port: OpenPort
let socket: Socket
let taken: { readonly request: IncomingMessage; readonly response: ServerResponse }[]
beforeEach(async () => {
  taken = []
  port = await openPort({ host: '127.0.0.1', port: 0, variable: 'PORT' })
  port.onRequest((request, response) => taken.push({ request, response }))
  socket = connect(port.port, '127.0.0.1')
  socket.on('error', () => {})
})
afterEach(async () => {
  socket.destroy()
  await port.close(async () => {})
})

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const urls = () => taken.map(({ request }) => request.url)

it('begins a request when the answer before it is written', async () => {
  let answers = ''
  socket.setEncoding('utf8').on('data', (part: string) => (answers += part))
  const post = 'POST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc'
  socket.write(`${get('/1')}${post}${get('/3')}`)
  for (const [index, url] of ['/1', '/2', '/3'].entries()) {
    await vi.waitFor(() => expect(urls().at(-1)).toBe(url))
    expect(taken).toHaveLength(index + 1)
    const { request, response } = taken[index]!
    request.resume()
    response.end(`answer ${url}`)
  }
  await vi.waitFor(() =>
    expect(answers.match(/answer \/\d/g)).toEqual(['answer /1', 'answer /2', 'answer /3']),
  )
  socket.write(get('/4'))
  await vi.waitFor(() => expect(urls().at(-1)).toBe('/4'))
})

it('begins nothing more for a client that reads no answer, and ends the connection of one that goes on asking', async () => {
  socket.pause()
  socket.write(get('/first'))
  await vi.waitFor(() => expect(taken).toHaveLength(1))
  taken[0]!.response.write(Buffer.alloc(20_000_000))
  socket.write(get('/more').repeat(100))
  socket.write(get('/too-much'))
  await once(taken[0]!.response, 'close')
  expect(urls()).toEqual(['/first'])
})
