import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createHttpClient } from './http-client.ts'

const encodings = ['gzip', 'x-gzip', 'deflate', 'br']

let answer: (response: ServerResponse) => void
const server = createServer((_, response) => answer(response))

beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

async function send(method = 'GET') {
  const reply = await createHttpClient().send({
    method,
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    headers: {},
    policy: () => undefined,
    timeoutMs: 60_000,
    maxBytes: 1000,
    signal: new AbortController().signal,
  })
  return { ...reply, body: new TextDecoder().decode(reply.body) }
}

it.each(encodings)('reads an empty body as empty when it is said to be %s', async (encoding) => {
  const headers = { 'content-encoding': encoding }
  for (const status of [204, 304]) {
    answer = (response) => response.writeHead(status, headers).end()
    expect(await send('DELETE')).toMatchObject({ status, body: '', truncated: false })
  }
  answer = (response) => response.writeHead(200, { ...headers, 'content-length': 0 }).end()
  expect(await send('POST')).toMatchObject({ status: 200, body: '', truncated: false })
  answer = (response) => response.writeHead(200, { ...headers, 'content-length': 100 }).end()
  expect(await send('HEAD')).toMatchObject({ status: 200, body: '', truncated: false })
  // in chunks nobody knows before its end that there is nothing
  answer = (response) => response.writeHead(200, { ...headers, 'transfer-encoding': 'chunked' }).end()
  expect(await send('POST')).toMatchObject({ status: 200, body: '', truncated: false })
})

it.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const)('says so when a body of %s breaks off, wherever it does', async (encoding, compress) => {
  const whole = compress('It is a long way to the end of this text.')
  const headers = { 'content-encoding': encoding }
  answer = (response) => response.writeHead(200, headers).end(whole)
  expect(await send()).toMatchObject({ body: 'It is a long way to the end of this text.', truncated: false })
  for (const length of [1, whole.length >> 1, whole.length - 1]) {
    answer = (response) => response.writeHead(200, headers).end(whole.subarray(0, length))
    await expect(send()).rejects.toMatchObject({ code: 'run_error', retryable: true })
  }
  for (const length of [0, whole.length >> 1]) {
    answer = (response) => {
      response.writeHead(200, { ...headers, 'content-length': whole.length }).flushHeaders()
      response.write(whole.subarray(0, length), () => response.destroy())
    }
    await expect(send()).rejects.toMatchObject({ code: 'run_error', retryable: true })
  }
  answer = (response) => response.writeHead(200, headers).end('This was never compressed.')
  await expect(send()).rejects.toMatchObject({ code: 'run_error', retryable: true })
})
