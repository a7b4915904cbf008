import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { createHandler } from './create-handler.ts'

const row = { method: 'POST', auth: 'public', summary: 'Takes a body.', source: 'test' } as const
const reply = z.object({ ok: z.boolean() })
const operations = {
  json: { ...row, path: '/json', body: z.object({ text: z.string() }), reply },
  form: { ...row, path: '/form', form: { fields: z.object({}), file: 'file' }, reply },
  bytes: { ...row, path: '/bytes', bytes: true, reply },
} as const satisfies Record<string, Operation>

const types = {
  json: 'application/json',
  form: 'multipart/form-data; boundary=b',
  bytes: 'application/octet-stream',
}

function open() {
  const onError = vi.fn<(error: unknown) => void>()
  const ok = async () => ({ ok: true })
  const handlers = { json: ok, form: ok, bytes: ok }
  return { onError, handler: createHandler({ operations, handlers, authenticate: {}, onError }) }
}

const kinds = ['json', 'form', 'bytes'] as const
const initOf = (kind: (typeof kinds)[number]) => ({
  method: 'POST',
  headers: { 'content-type': types[kind] },
  body: '{"text":"x"}',
})
const problem = /^Reading the body of a request failed: other code read it before the handler\. Mount /

it.each(kinds)(
  'fetch: a %s body that was read before is a failure of the host, not of the caller',
  async (kind) => {
    const { handler, onError } = open()
    const read = new Request(`http://127.0.0.1/${kind}`, initOf(kind))
    const again = read.clone()
    await read.text()
    const held = new Request(`http://127.0.0.1/${kind}`, initOf(kind))
    held.body!.getReader()
    for (const request of [read, held]) {
      expect((await handler.fetch(request)).status).toBe(500)
      expect(onError.mock.lastCall?.[0]).toMatchObject({ message: expect.stringMatching(problem) })
    }
    expect((await handler.fetch(again)).status).toBe(200)
  },
)

it.each(kinds)('node:http: a %s body that was read before is a failure of the host', async (kind) => {
  const { handler, onError } = open()
  const parseBody = async (request: IncomingMessage) => {
    if (request.headers['x-parse']) await request.toArray()
  }
  await using server = createServer((request, response) => {
    void parseBody(request).then(() => handler.node(request, response))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${kind}`
  const init = initOf(kind)
  expect((await fetch(url, init)).status).toBe(200)
  expect((await fetch(url, { ...init, body: '' })).status).toBe(kind === 'json' ? 400 : 200)
  expect(onError).not.toHaveBeenCalled()
  expect((await fetch(url, { ...init, headers: { ...init.headers, 'x-parse': '1' } })).status).toBe(500)
  expect(onError.mock.lastCall?.[0]).toMatchObject({ message: expect.stringMatching(problem) })
})
