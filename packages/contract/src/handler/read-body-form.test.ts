import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { threadCpuMs } from '../../../../tests/thread-cpu-ms.ts'
import type { Operation } from '../operation.ts'
import { createHandler } from './create-handler.ts'

const operations = {
  post: {
    method: 'POST',
    path: '/api/post',
    auth: 'public',
    summary: 'Takes a message with files.',
    source: 'test',
    body: z.object({
      text: z.string(),
      files: z.optional(z.array(z.object({ name: z.string(), media_type: z.string(), data: z.any() }))),
    }),
    bodyForm: { body: 'request', file: 'file', list: 'files' },
    maxBodyBytes: 5000,
    reply: z.object({ text: z.string(), files: z.array(z.string()) }),
  },
} as const satisfies Record<string, Operation>

const handler = createHandler<typeof operations, object>({
  operations,
  maxJsonBytes: 1000,
  authenticate: {},
  handlers: {
    post: ({ body: { text, files = [] } }) => ({
      text,
      files: files.map(({ name, media_type, data }) => `${name} ${media_type} ${String(data)}`),
    }),
  },
})

async function send(body: BodyInit, headers: Record<string, string> = {}) {
  const response = await handler.fetch(
    new Request('http://127.0.0.1/api/post', { method: 'POST', body, headers }),
  )
  return { status: response.status, body: (await response.json()) as { message?: string } }
}

function formOf(parts: Readonly<Record<string, string | Blob>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(parts)) form.append(name, value)
  return form
}

const request = '{"text":"Hi","files":[{"name":"a","media_type":"b/c","data":"d"}]}'

it('adds the files of a form to those of its JSON', async () => {
  const form = formOf({ request, file: new File(['é'], 'e.txt', { type: 'text/plain' }), other: 'ignored' })
  form.append('file', new Blob(['x']))
  const { status, body } = await send(form)
  expect([status, body]).toEqual([
    200,
    { text: 'Hi', files: ['a b/c d', 'e.txt text/plain 195,169', 'blob application/octet-stream 120'] },
  ])
  const asFile = await send(formOf({ request: new Blob([request]) }))
  expect(asFile.body).toEqual({ text: 'Hi', files: ['a b/c d'] })
})

it.each([
  ['no JSON', formOf({ file: new Blob(['x']) }), 'request'],
  ['broken JSON', formOf({ request: '{' }), 'request: not valid JSON'],
  ['JSON that is not an object', formOf({ request: '[1]', file: new Blob(['x']) }), 'body'],
  ['JSON of another shape', formOf({ request: '{"text":7}' }), 'text'],
  ['text in place of a file', formOf({ request, file: 'x' }), 'file'],
])('rejects a form with %s', async (_, form, named) => {
  const { status, body } = await send(form)
  expect([status, body.message]).toEqual([400, expect.stringContaining(named)])
})

it('rejects a form that is cut, and one without a boundary', async () => {
  const type = { 'content-type': 'multipart/form-data; boundary=x' }
  expect((await send('--x\r\ncontent-disposition: form-data; name="request"\r\n\r\n{', type)).status).toBe(
    400,
  )
  expect((await send('--x--', { 'content-type': 'multipart/form-data' })).status).toBe(400)
})

describe('a form that is made to keep the server busy', () => {
  const largeOperations = { post: { ...operations.post, maxBodyBytes: 40_000_000 } }
  const large = createHandler<typeof largeOperations, object>({
    operations: largeOperations,
    maxJsonBytes: 1000,
    authenticate: {},
    handlers: { post: () => ({ text: 'taken', files: [] }) },
  })
  async function sendParts(parts: string, boundary = '=B=', written = boundary) {
    const first = `--${boundary}\r\ncontent-disposition: form-data; name="request"\r\n\r\n{"text":"a"}\r\n`
    const body = `${first}${parts}--${boundary}--\r\n`
    const headers = { 'content-type': `multipart/form-data; Boundary=${written}` }
    const response = await large.fetch(
      new Request('http://127.0.0.1/api/post', { method: 'POST', body, headers }),
    )
    return [response.status, ((await response.json()) as { message?: string }).message]
  }
  const partOf = (boundary: string, name = 'y') =>
    `--${boundary}\r\ncontent-disposition: form-data; name="x"; filename="${name}"\r\n\r\n\r\n`

  it('is taken with 100 parts', async () => {
    expect(await sendParts(partOf('=B=').repeat(99))).toEqual([200, undefined])
    expect(await sendParts(partOf('=B=', 'n'.repeat(10_000)))).toEqual([200, undefined])
  })

  it.each([
    ['many parts', partOf('=B=').repeat(100), 'has more than 100 parts'],
    ['very many parts', partOf('=B=').repeat(500_000), 'has more than 100 parts'],
    ['a long name', partOf('=B=', '%22'.repeat(10_000_000)), 'headers that are too long'],
    ['many headers', `--=B=\r\n${'X: y\r\n'.repeat(5_000_000)}\r\n`, 'headers that are too long'],
    ['line ends alone', `${partOf('=B=')}${'\r\n--'.repeat(7_000_000)}`, 'not a complete multipart form'],
  ])('is rejected quickly: %s', async (_, parts, problem) => {
    const cpuMs = await threadCpuMs(async () =>
      expect(await sendParts(parts)).toEqual([400, expect.stringContaining(problem)]),
    )
    expect(cpuMs).toBeLessThan(5000)
  })

  it('is counted by the boundary that it is read by', async () => {
    const many = partOf('a b').repeat(200)
    expect(await sendParts(many, 'a b', '"a b"; boundary=c')).toEqual([400, 'body: has more than 100 parts'])
  })
})

it('has the limit of its operation, as a form and as JSON', async () => {
  for (const [size, status] of [
    [4000, 200],
    [6000, 413],
  ] as const) {
    const json = JSON.stringify({ text: 'x'.repeat(size) })
    expect((await send(json, { 'content-type': 'application/json' })).status).toBe(status)
    expect((await send(formOf({ request: json }))).status).toBe(status)
  }
})
