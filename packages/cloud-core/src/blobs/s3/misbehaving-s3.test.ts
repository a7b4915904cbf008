import { inspect } from 'node:util'
import { http, HttpResponse, type HttpResponseResolver } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { CloudStoreError, createS3Blobs, type S3BlobsOptions } from './index.ts'

const address = 'https://s3.example/bucket'
const server = setupServer()
const calls: string[] = []

beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterEach(() => {
  server.resetHandlers()
  calls.length = 0
})
afterAll(() => server.close())

const secrets = { accessKeyId: 'key-id-of-ann', secretAccessKey: 'secret-of-ann' }
const create = (options: Partial<S3BlobsOptions> = {}) =>
  createS3Blobs({ endpoint: address, ...secrets, retryDelayMs: 1, partBytes: 5 * 1024 * 1024, ...options })

type Answers = Partial<Record<'head' | 'get' | 'put' | 'post' | 'delete', HttpResponseResolver>>

/** An S3 service that says yes to everything but what `answers` say. */
function serve(answers: Answers = {}): void {
  const { head, get, put, post } = answers
  const noted =
    (method: string, resolver: HttpResponseResolver): HttpResponseResolver =>
    (call) => {
      const { search } = new URL(call.request.url)
      calls.push(`${method} ${search.replace(/=$/, '').split('&')[0]}`.trim())
      return resolver(call)
    }
  server.use(
    http.head(`${address}/*`, noted('HEAD', head ?? (() => new HttpResponse(null, { status: 404 })))),
    http.get(`${address}/*`, noted('GET', get ?? (() => new HttpResponse(null, { status: 404 })))),
    http.put(`${address}/*`, noted('PUT', put ?? stored)),
    http.post(`${address}/*`, noted('POST', post ?? createMultipart)),
    http.delete(
      `${address}/*`,
      noted('DELETE', answers.delete ?? (() => new HttpResponse(null, { status: 204 }))),
    ),
  )
}

const xml = (body: string, status = 200) =>
  new HttpResponse(`<?xml version="1.0"?>${body}`, { status, headers: { 'content-type': 'application/xml' } })

const stored = () => new HttpResponse(null, { headers: { etag: '"opaque-1"' } })

const createMultipart: HttpResponseResolver = ({ request }) =>
  new URL(request.url).searchParams.has('uploads')
    ? xml('<InitiateMultipartUploadResult><UploadId>up-1</UploadId></InitiateMultipartUploadResult>')
    : xml('<CompleteMultipartUploadResult><ETag>"whole-2"</ETag></CompleteMultipartUploadResult>')

async function* small() {
  yield new TextEncoder().encode('content')
}
async function* large() {
  for (let index = 0; index < 11; index += 1) yield new Uint8Array(1024 * 1024)
}

async function failureOf(run: () => Promise<unknown>): Promise<string> {
  const error = await run().then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(CloudStoreError.is(error) && error.code).toMatch(/^BLOB_(UNAVAILABLE|REFUSED)$/)
  expect(inspect(error, { depth: 9 })).not.toMatch(/of-ann|Signature=|AWS4-HMAC/)
  return String(error)
}

const put = (options: Partial<S3BlobsOptions> = {}, content = small()) =>
  create(options).put({ id: 'a', fileName: 'a', content })

describe('an S3 service that misbehaves', { timeout: 60_000 }, () => {
  it('is asked again after 500 and 503, and the file is stored once', async () => {
    let failures = 0
    serve({
      put: () => (++failures < 3 ? xml('<Error><Code>SlowDown</Code></Error>', 503) : stored()),
    })
    expect((await put()).size).toBe(7)
    expect(calls.filter((call) => call === 'PUT')).toHaveLength(3)
  })

  it('that stays down fails the upload, and what it may have stored is removed', async () => {
    serve({ put: () => new HttpResponse('secret-of-ann', { status: 500 }) })
    expect(await failureOf(put)).toContain('Storing a file in S3 failed: the service responded with 500')
    expect(calls.filter((call) => call === 'PUT')).toHaveLength(4)
    expect(calls.at(-1)).toBe('DELETE')
  })

  it('that refuses is not asked again', async () => {
    serve({ put: () => xml('<Error><Code>AccessDenied</Code><Message>secret-of-ann</Message></Error>', 403) })
    expect(await failureOf(put)).toContain('403 AccessDenied')
    expect(calls.filter((call) => call === 'PUT')).toHaveLength(1)
  })

  it('that never answers is given up', async () => {
    serve({ head: () => new Promise(() => {}) })
    expect(await failureOf(() => put({ timeoutMs: 20, attempts: 2 }))).toContain(
      'the service sent nothing for 20 ms',
    )
  })

  it('that stores other bytes than it was sent fails the upload', async () => {
    serve({
      put: () => new HttpResponse(null, { headers: { etag: '"d41d8cd98f00b204e9800998ecf8427e"' } }),
    })
    expect(await failureOf(put)).toContain('stored different bytes')
    expect(calls.at(-1)).toBe('DELETE')
  })

  it('that says yes and stores nothing fails the upload: a proxy may have answered', async () => {
    serve({ put: () => HttpResponse.html('<h1>Sign in to this network</h1>') })
    expect(await failureOf(put)).toContain('the service accepted the file but does not have it')
    let isThere = false
    serve({
      put: () => new HttpResponse(null, { status: isThere ? 500 : ((isThere = true), 200) }),
      head: () =>
        isThere
          ? new HttpResponse(null, { headers: { 'content-length': '7' } })
          : new HttpResponse(null, { status: 404 }),
    })
    expect((await put()).size).toBe(7) // another service than Amazon's that names no ETag
  })

  it('that lists the same page again and again is not asked for ever', async () => {
    const objects = Array.from({ length: 1000 }, (_, index) => {
      return `<Contents><Key>homeward/${index}</Key><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>`
    })
    const more = '<IsTruncated>true</IsTruncated><NextMarker>homeward/999</NextMarker>'
    serve({ get: () => xml(`<ListBucketResult>${more}${objects.join('')}</ListBucketResult>`) })
    const list = () => Array.fromAsync(create().list!('2026-02-01T00:00:00.000Z'))
    expect(await failureOf(list)).toContain('lists the same objects again and again')
    expect(calls.length).toBeLessThan(5)
  })

  it.each<[string, (asked: number) => string]>([
    ['empty pages', () => 'same'],
    ['empty pages, each with another token', (asked) => String(asked)],
  ])('that lists %s without end is given up', async (_, token) => {
    serve({
      get: () => {
        const next = `<NextContinuationToken>${token(calls.length)}</NextContinuationToken>`
        return xml(`<ListBucketResult><IsTruncated>true</IsTruncated>${next}</ListBucketResult>`)
      },
    })
    const list = () => Array.fromAsync(create().list!('2026-02-01T00:00:00.000Z'))
    expect(await failureOf(list)).toContain('lists the same objects again and again')
    expect(calls.length).toBeLessThan(102)
  })

  it('that lists two pages in turn is given up', async () => {
    const row = '<Contents><Key>homeward/1</Key><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>'
    serve({
      get: () => {
        const next = `<NextContinuationToken>${calls.length % 2}</NextContinuationToken>`
        return xml(
          `<ListBucketResult><IsTruncated>true</IsTruncated>${next}${row.repeat(1000)}</ListBucketResult>`,
        )
      },
    })
    const list = () => Array.fromAsync(create().list!('2026-02-01T00:00:00.000Z'))
    expect(await failureOf(list)).toContain('lists the same objects again and again')
    expect(calls.length).toBeLessThan(10)
  })

  it('that answers 404 where there is nothing to delete has done what was asked', async () => {
    serve({ delete: () => xml('<Error><Code>NoSuchKey</Code></Error>', 404) })
    await create().delete('a')
    serve({ delete: () => xml('<Error><Code>AccessDenied</Code></Error>', 403) })
    expect(await failureOf(() => create().delete('a'))).toContain('403')
  })

  it('is asked for files as they are, not compressed', async () => {
    serve({
      get: ({ request }) =>
        request.headers.has('range')
          ? new HttpResponse('on', {
              status: 206,
              headers: { 'content-length': '2', 'content-range': 'bytes 1-2/7' },
            })
          : new HttpResponse('content', { headers: { 'content-length': '7' } }),
    })
    const encodings: unknown[] = []
    const blobs = create({
      fetch: (url, init) => {
        encodings.push(new Headers(init.headers).get('accept-encoding'))
        return fetch(url, init)
      },
    })
    expect(await new Response((await blobs.open('a'))?.content).text()).toBe('content')
    expect((await blobs.openPart!('a', { start: 1, end: 3 }))?.size).toBe(2)
    expect(encodings).toEqual(['identity', 'identity'])
  })

  it('that encrypts may name any ETag', async () => {
    const headers = {
      etag: '"d41d8cd98f00b204e9800998ecf8427e"',
      'x-amz-server-side-encryption': 'aws:kms',
    }
    serve({ put: () => new HttpResponse(null, { headers }) })
    expect((await put()).size).toBe(7)
  })

  it.each([
    ['names no upload', 'HTML', () => new HttpResponse('<html>login</html>')],
    ['hides an error behind 200', 'error', () => xml('<Error><Code>InternalError</Code></Error>')],
  ])('that %s fails a multipart upload', async (_, kind, answer) => {
    serve({
      post: (call) =>
        kind === 'HTML' || !new URL(call.request.url).searchParams.has('uploads')
          ? answer()
          : createMultipart(call),
    })
    await failureOf(() => put({}, large()))
    expect(calls).toContain('DELETE')
    if (kind === 'error') expect(calls).toContain('DELETE ?uploadId=up-1')
  })

  it('that fails in the middle of a multipart upload gets it given up', async () => {
    serve({
      put: ({ request }) =>
        new URL(request.url).searchParams.get('partNumber') === '2'
          ? new HttpResponse(null, { status: 400 })
          : new HttpResponse(null, { headers: { etag: '"1"' } }),
    })
    await failureOf(() => put({}, large()))
    expect(calls).toContain('DELETE ?uploadId=up-1')
  })

  it('gets a multipart upload given up whose file breaks off', async () => {
    serve()
    const cut = async function* () {
      yield* large()
      throw new Error('cut')
    }
    await expect(put({}, cut())).rejects.toThrow(/^cut$/)
    expect(calls).toContain('DELETE ?uploadId=up-1')
  })

  it.each([301, 302, 307, 308])('that redirects with %i is not followed', async (status) => {
    const elsewhere = vi.fn(() => new HttpResponse('stolen'))
    server.use(http.all('https://evil.example/*', elsewhere))
    const away = () => new HttpResponse(null, { status, headers: { location: 'https://evil.example/x' } })
    serve({ put: away, get: away })
    expect(await failureOf(put)).toContain('redirected to another address, and redirects are not followed')
    expect(await failureOf(() => create().open('a'))).toContain('redirected')
    expect(elsewhere).not.toHaveBeenCalled()
  })

  it('that sends half a file fails the reader', async () => {
    const half = () => new HttpResponse('half', { headers: { 'content-length': '8' } })
    serve({ get: half })
    const read = async () => new Response((await create({ timeoutMs: 50 }).open('a'))?.content).text()
    expect(await failureOf(read)).toContain('Reading a file from S3 failed')
  })

  it('that answers a page instead of a file is not believed', async () => {
    serve({
      get: () => HttpResponse.html('<html>captive portal</html>', { headers: { 'content-length': '27' } }),
    })
    expect(await failureOf(() => create().open('a'))).toContain('an unexpected response')
  })

  it.each([
    ['the whole file', 200, undefined],
    ['another part', 206, 'bytes 0-3/9'],
  ])('that sends %s for a part is not believed', async (_, status, contentRange) => {
    const headers = { 'content-length': '4', ...(contentRange && { 'content-range': contentRange }) }
    serve({ get: () => new HttpResponse('abcd', { status, headers }) })
    expect(await failureOf(() => create().openPart!('a', { start: 4, end: 8 }))).toContain(
      'an unexpected response',
    )
  })

  it('that sends an answer without end to a small question is cut off', async () => {
    const endless = () =>
      new HttpResponse(
        new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024)) }),
      )
    serve({ post: endless })
    expect(await failureOf(() => put({}, large()))).toContain('too large')
  })
})

it('gives up multipart uploads that a crash left a day ago, when files are listed', async () => {
  const row = (key: string, id: string, at: string) =>
    `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${at}</Initiated></Upload>`
  serve({
    get: ({ request }) =>
      new URL(request.url).searchParams.has('uploads')
        ? xml(
            `<ListMultipartUploadsResult>${[
              row('homeward/x', 'old', '2026-01-01T00:00:00.000Z'),
              row('homeward/y', 'young', '2026-01-03T00:00:00.000Z'),
              row('other/z', 'foreign', '2026-01-01T00:00:00.000Z'),
            ].join('')}</ListMultipartUploadsResult>`,
          )
        : xml('<ListBucketResult><KeyCount>0</KeyCount></ListBucketResult>'),
  })
  const ids: string[] = []
  for await (const id of create().list!('2026-01-02T00:00:00.000Z')) ids.push(id)
  expect(ids).toEqual([])
  expect(calls.filter((call) => call.startsWith('DELETE'))).toEqual(['DELETE ?uploadId=old'])
})
