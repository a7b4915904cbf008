import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { openPort, type OpenPort } from './serve.ts'

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

it('ends a connection whose body stops coming', async () => {
  port = await openPort({ host: '127.0.0.1', port: 0, variable: 'PORT', stalledAfterMs: 50 })
  port.onRequest((request, response) => request.resume().once('end', () => response.end('whole')))
  expect(await send('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc')).toBe('')
  expect(await send('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\nabc', 'whole')).toContain(
    '200 OK',
  )
})

it('sets no limit for the answer once the body is there', async () => {
  port = await openPort({ host: '127.0.0.1', port: 0, variable: 'PORT', stalledAfterMs: 60_000 })
  port.onRequest((request, response) => {
    const limits = [request.socket.timeout]
    request.resume().once('end', () => response.end(JSON.stringify([...limits, request.socket.timeout])))
  })
  const answer = await send('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\nabc', ']')
  expect(answer).toContain('[60000,0]')
})
