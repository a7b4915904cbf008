import { inspect } from 'node:util'
import { HttpResponse } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import type { DriveStandIn } from './testing/drive-stand-in.ts'
import { chunkBytes as step, createBlobs, useDrive } from './testing/use-drive.ts'
import { CloudStoreError } from './index.ts'

// Answers of Drive that its documentation names, or that proxies before it give: each ends in a file or in a clear error.

let drive: DriveStandIn
useDrive((fresh) => (drive = fresh))

const size = 3 * step + 1000
async function* content() {
  for (let index = 0; index < 4; index += 1) yield new Uint8Array(index < 3 ? step : 1000).fill(index)
}
const put = (blobs = createBlobs(), id = 'a') => blobs.put({ id, fileName: 'notes.txt', content: content() })
const isChunk = (request: Request, path: string) => path.startsWith('/upload/') && request.method === 'PUT'
const isList = (request: Request, path: string) => path === '/drive/v3/files' && request.method === 'GET'
const isRead = (request: Request) => request.url.includes('alt=media')
const html = (status: number) => HttpResponse.html('<title>Error</title>', { status })
const busy = (reason: string, status = 403) =>
  HttpResponse.json({ error: { code: status, errors: [{ domain: 'usageLimits', reason }] } }, { status })

async function failureOf(run: () => Promise<unknown>): Promise<{ code: string; text: string }> {
  const error = await run().then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!CloudStoreError.is(error)) throw new Error('It did not fail as a store does.', { cause: error })
  expect(inspect(error, { depth: 9 })).not.toMatch(/PRIVATE KEY|ya29|eyJ/)
  return { code: error.code, text: error.message }
}

/** Gives `answers` one after the other to the requests that `matches` takes, then serves. */
function first(matches: typeof isChunk, ...answers: (() => Response)[]): void {
  drive.fault = (request, path) => (matches(request, path) ? answers.shift()?.() : undefined)
}

const unreliable: [string, () => Response][] = [
  ['403 rateLimitExceeded', () => busy('rateLimitExceeded')],
  ['403 userRateLimitExceeded', () => busy('userRateLimitExceeded')],
  ['429', () => busy('rateLimitExceeded', 429)],
  ['429 with Retry-After', () => new HttpResponse(null, { status: 429, headers: { 'retry-after': '0' } })],
  [
    '429 with a date in Retry-After',
    () =>
      new HttpResponse(null, { status: 429, headers: { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' } }),
  ],
  ['500 as a page', () => html(500)],
  ['502 as a page', () => html(502)],
  ['401', () => busy('authError', 401)],
  ['a page with 200', () => html(200)],
]

describe.each<[string, typeof isChunk]>([
  ['the listing', isList],
  ['the beginning of an upload', (request, path) => path.startsWith('/upload/') && request.method === 'POST'],
  ['a chunk', isChunk],
])('%s', (name, matches) => {
  const answers = unreliable.filter(
    ([kind]) => kind !== 'a page with 200' || !name.startsWith('the beginning'),
  )
  it.each(answers)('is asked for again after %s, and the file is whole', async (_, answer) => {
    first(matches, answer)
    expect((await put()).size).toBe(size)
    const opened = await createBlobs().open('a')
    expect(Buffer.from(await new Response(opened!.content).arrayBuffer())).toEqual(
      Buffer.concat(await Array.fromAsync(content())),
    )
    expect([drive.files.size, drive.sessions.size]).toEqual([1, 0])
  })

  it('is given up when all answers are a page with 502', async () => {
    drive.fault = (request, path) => (matches(request, path) ? html(502) : undefined)
    expect(await failureOf(put)).toMatchObject({ code: 'BLOB_UNAVAILABLE' })
    expect(drive.calls.length).toBeLessThan(20)
    expect([drive.files.size, drive.sessions.size]).toEqual([0, 0])
  })
})

it('C13: 429 that wants a wait of an hour is for whoever sends the file, and holds nobody up', async () => {
  drive.fault = (request, path) =>
    isChunk(request, path)
      ? new HttpResponse(null, { status: 429, headers: { 'retry-after': '3600' } })
      : undefined
  expect(await failureOf(put)).toMatchObject({ code: 'BLOB_UNAVAILABLE' })
})

describe('an upload', () => {
  it.each([404, 410])('C13: that Drive has forgotten (%i) is no refusal: it is sent anew', async (status) => {
    let chunks = 0
    drive.fault = (request, path) =>
      isChunk(request, path) && ++chunks === 2 ? busy('notFound', status) : undefined
    const blobs = createBlobs()
    const { code, text } = await failureOf(() => put(blobs))
    expect(code).toBe('BLOB_UNAVAILABLE')
    expect(text).toContain('Upload the file again')
    expect([chunks, drive.files.size]).toEqual([2, 0])
    expect((await put(blobs, 'b')).size).toBe(size)
  })

  it('that Drive has forgotten when it is asked how far it is ends at once', async () => {
    first(
      isChunk,
      () => html(502),
      () => busy('notFound', 404),
    )
    expect((await failureOf(put)).text).toContain('Upload the file again')
  })

  it.each([
    'bytes=0-',
    'bytes=0-1',
    'bytes=7-262143',
    'bytes=0-99999999',
    'x',
    'bytes=0-262143,524288-524289',
  ])('whose progress is always %j ends', async (range) => {
    drive.fault = (request, path) =>
      isChunk(request, path) ? new HttpResponse(null, { status: 308, headers: { range } }) : undefined
    expect(await failureOf(put)).toMatchObject({ code: 'BLOB_UNAVAILABLE' })
    expect(drive.calls.length).toBeLessThan(20)
    expect(drive.files.size).toBe(0)
  })

  it('of which Drive takes a byte at a time is given up', async () => {
    let taken = 0
    drive.fault = (request, path) =>
      isChunk(request, path)
        ? new HttpResponse(null, { status: 308, headers: { range: `bytes=0-${(taken += 1)}` } })
        : undefined
    expect((await failureOf(put)).text).toContain('accepted almost none')
    expect(drive.calls.length).toBeLessThan(20)
  })

  it('whose last answer is lost is there once', async () => {
    let chunks = 0
    const blobs = createBlobs({
      async fetch(url, init) {
        const answer = await fetch(url, init)
        if (init.method === 'PUT' && ++chunks === 4) throw new TypeError('connection reset')
        return answer
      },
    })
    drive.fault = (request, path) =>
      // Drive knows a finished session by the file that it gave
      isChunk(request, path) && drive.files.size > 0
        ? HttpResponse.json({ id: [...drive.files.keys()][0], size: String(size) })
        : undefined
    expect((await put(blobs)).size).toBe(size)
    expect(drive.files.size).toBe(1)
  })
})

describe('a listing', () => {
  const listed = (blobs = createBlobs()) => Array.fromAsync(blobs.list!('2999-01-01T00:00:00.000Z'))

  it('with an empty page before the one that has the file finds it', async () => {
    await put()
    drive.fault = (request, path) =>
      isList(request, path) && !request.url.includes('pageToken')
        ? HttpResponse.json({ files: [], nextPageToken: '0' })
        : undefined
    expect((await createBlobs().open('a'))?.size).toBe(size)
    expect(await listed()).toEqual(['a'])
    await expect(put()).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it('that shows files of other ids gives and removes none of them', async () => {
    await put(createBlobs(), 'b')
    const [other] = [...drive.files.values()]
    drive.fault = (request, path) =>
      isList(request, path)
        ? HttpResponse.json({ files: [{ id: other!.id, appProperties: { homewardBlob: 'b' } }, { id: 'x' }] })
        : undefined
    expect(await createBlobs().open('a')).toBeUndefined()
    await createBlobs().delete('a')
    expect(drive.files.size).toBe(1)
  })

  it.each<[string, (asked: number) => object]>([
    ['two pages in turn', (asked) => ({ files: [{ id: 'x' }], nextPageToken: String(asked % 2) })],
    ['empty pages', (asked) => ({ files: [], nextPageToken: String(asked) })],
  ])('that gives %s without end is given up', async (_, page) => {
    let asked = 0
    drive.fault = (request, path) =>
      isList(request, path) ? HttpResponse.json(page((asked += 1))) : undefined
    for (const run of [listed, put, () => createBlobs().open('a'), () => createBlobs().delete('a')]) {
      asked = 0
      expect((await failureOf(run)).text).toContain('again and again')
      expect(asked).toBeLessThan(102)
    }
  })

  it.each(['{"files":[{"id":"dri', '', '{}', '[]'])('that is %j time and again is an error', async (text) => {
    drive.fault = (request, path) => (isList(request, path) ? new HttpResponse(text) : undefined)
    expect((await failureOf(put)).text).toContain('an unexpected response')
    expect((await failureOf(listed)).text).toContain('an unexpected response')
  })

  it('finds files of the same name apart, and one that was stored twice as one', async () => {
    const blobs = createBlobs()
    await Promise.all(['a', 'b'].map((id) => put(blobs, id)))
    const [one] = [...drive.files.values()]
    drive.files.set('again', { ...one!, id: 'again' })
    await blobs.delete(one!.appProperties['homewardBlob']!)
    expect(drive.files.size).toBe(1)
  })
})

describe('a download', () => {
  beforeEach(async () => void (await put()))

  it('that breaks off half way fails its reader', async () => {
    first(isRead, () => new HttpResponse('half', { headers: { 'content-length': String(size) } }))
    const read = async () => new Response((await createBlobs({ timeoutMs: 50 }).open('a'))?.content).text()
    expect((await failureOf(read)).text).toContain('Reading a file from Google Drive failed')
  })

  it('gives up a list of files that never ends', async () => {
    const blank = new TextEncoder().encode(' '.repeat(64 * 1024))
    const endless = () => new ReadableStream({ pull: (controller) => controller.enqueue(blank) })
    drive.fault = (request, path) => (isList(request, path) ? new HttpResponse(endless()) : undefined)
    const { code } = await failureOf(() => createBlobs({ attempts: 1 }).open('b'))
    expect(code).toBe('BLOB_UNAVAILABLE')
  })

  it('of a part that is not there (416) says so', async () => {
    drive.fault = (request) => (isRead(request) ? busy('requestedRangeNotSatisfiable', 416) : undefined)
    const part = () => createBlobs().openPart!('a', { start: size, end: size + 1 })
    expect((await failureOf(part)).text).toContain('416 requestedRangeNotSatisfiable')
    expect(drive.calls.filter((call) => call.endsWith('/drive1'))).toHaveLength(1)
  })

  it('is asked for as it is, not compressed', async () => {
    const encodings: unknown[] = []
    const blobs = createBlobs({
      fetch(url, init) {
        if (url.includes('alt=media')) encodings.push(new Headers(init.headers).get('accept-encoding'))
        return fetch(url, init)
      },
    })
    await blobs.open('a')
    await blobs.openPart!('a', { start: 1, end: 3 })
    expect(encodings).toEqual(['identity', 'identity'])
  })
})
