import { inspect } from 'node:util'
import { HttpResponse } from 'msw'
import { describe, expect, it } from 'vitest'
import { blobStoreConformance } from '../../testing/index.ts'
import type { DriveStandIn } from './testing/drive-stand-in.ts'
import { account, chunkBytes, createBlobs, useDrive } from './testing/use-drive.ts'
import { CloudStoreError } from './index.ts'

const { clientEmail, privateKey } = account
let drive: DriveStandIn
useDrive((fresh) => (drive = fresh))

for (const { name, run } of blobStoreConformance) {
  it(name, { timeout: 60_000 }, () =>
    run({
      create: async () => {
        drive.files.clear()
        return { blobs: createBlobs(), reopen: async () => createBlobs() }
      },
    }),
  )
}

async function* pieces(count: number, size = 100_000) {
  for (let index = 0; index < count; index += 1) yield new Uint8Array(size).fill(index)
}
const put = (blobs = createBlobs(), content = pieces(8)) => blobs.put({ id: 'a', fileName: 'ä.txt', content })
const only = () => [...drive.files.values()]
const isChunk = (request: Request, path: string) => path.startsWith('/upload/') && request.method === 'PUT'

async function failureOf(run: () => Promise<unknown>): Promise<string> {
  const error = await run().then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(CloudStoreError.is(error) && error.code).toMatch(/^BLOB_(UNAVAILABLE|REFUSED)$/)
  expect(inspect(error, { depth: 9 })).not.toMatch(/PRIVATE KEY|ya29|notes-of-ann|eyJ/)
  return String(error)
}

it('a list that gives the same page again and again is not asked for ever', async () => {
  let lists = 0
  const blobs = createBlobs({
    fetch(url, init) {
      if (!url.includes('pageSize=')) return fetch(url, init)
      lists += 1
      return Promise.resolve(HttpResponse.json({ files: [], nextPageToken: 'same' }))
    },
  })
  const list = () => Array.fromAsync(blobs.list!('2026-02-01T00:00:00.000Z'))
  expect(await failureOf(list)).toContain('Drive lists the same files again and again')
  expect(lists).toBe(2)
})

it('C13: gives the link of the file, sends it in chunks of 256 KiB and keeps its name', async () => {
  const { size, links } = await put()
  const [file] = only()
  expect(size).toBe(800_000)
  expect(links).toEqual({
    driveFile: { webViewLink: `https://drive.google.com/file/d/${file!.id}/view?usp=drivesdk` },
  })
  expect(file).toMatchObject({ name: 'ä.txt', parents: ['folder-1'], appProperties: { homewardBlob: 'a' } })
  expect(drive.calls.filter((call) => call.startsWith('PUT'))).toHaveLength(4)
})

it('signs in once for many calls at the same time, and again when the token is old', async () => {
  let nowMs = 1_800_000_000_000
  const blobs = createBlobs({ now: () => nowMs })
  await Promise.all(['b', 'c', 'd'].map((id) => blobs.open(id)))
  expect(drive.tokens).toBe(1)
  nowMs += 3_550_000
  await blobs.open('b')
  expect(drive.tokens).toBe(2)
})

describe('a Drive that misbehaves', { timeout: 60_000 }, () => {
  it('that refuses a token before its time gets another one', async () => {
    const blobs = createBlobs()
    await blobs.open('x')
    drive.tokens += 1 // the one that is known is good no more
    await put(blobs)
    expect(drive.files.size).toBe(1)
  })

  it('that refuses every token is not asked for ever', async () => {
    drive.fault = (_, path) =>
      path.startsWith('/drive') ? new HttpResponse(null, { status: 401 }) : undefined
    expect(await failureOf(() => createBlobs().open('a'))).toContain('Drive responded with 401')
    expect(drive.tokens).toBe(2)
  })

  it('that refuses the account says so, without the key', async () => {
    const blobs = createBlobs({ account: { clientEmail: 'other@homeward.iam.example', privateKey } })
    expect(await failureOf(() => blobs.open('a'))).toContain('the account was rejected with 400')
  })

  it.each([
    [429, undefined],
    [403, 'userRateLimitExceeded'],
    [500, 'backendError'],
    [503, undefined],
  ])('that answers %i %s for a while is asked again', async (status, reason) => {
    let failures = 0
    drive.fault = (request, path) =>
      isChunk(request, path) && ++failures < 3
        ? HttpResponse.json({ error: { errors: [{ reason }] } }, { status })
        : undefined
    await put()
    expect(only()[0]?.bytes.length).toBe(800_000)
    expect(failures).toBeGreaterThan(2)
  })

  it.each([
    ['storageQuotaExceeded', 'the storage is full'],
    ['insufficientFilePermissions', 'Share the folder with it for editing'],
  ])('that answers 403 %s is not asked again, and says what to do', async (reason, advice) => {
    drive.fault = (request, path) =>
      isChunk(request, path)
        ? HttpResponse.json({ error: { errors: [{ reason, message: 'notes-of-ann.txt' }] } }, { status: 403 })
        : undefined
    expect(await failureOf(put)).toContain(advice)
    expect([drive.files.size, drive.sessions.size]).toEqual([0, 0])
  })

  it('that keeps a piece of a chunk only gets the rest', async () => {
    drive.keepAtMost = chunkBytes
    await put(createBlobs({ chunkBytes: 2 * chunkBytes }))
    const expected = Buffer.concat(Array.from({ length: 8 }, (_, index) => Buffer.alloc(100_000, index)))
    expect(only()[0]?.bytes.equals(expected)).toBe(true)
  })

  it('that loses its answer is asked how much it has', async () => {
    let lost = 0
    drive.fault = async (request, path) => {
      if (!isChunk(request, path) || lost > 0) return undefined
      lost += 1
      return HttpResponse.error()
    }
    await put()
    expect(only()[0]?.bytes.length).toBe(800_000)
  })

  it('that names a foreign address for the upload does not get the file', async () => {
    drive.fault = (request, path) =>
      path.startsWith('/upload/') && request.method === 'POST'
        ? new HttpResponse(null, { headers: { location: 'https://evil.example/upload' } })
        : undefined
    expect(await failureOf(put)).toContain('no upload address on its own host')
  })

  it('that redirects is not followed', async () => {
    drive.fault = (request, path) =>
      isChunk(request, path)
        ? new HttpResponse(null, { status: 308, headers: { location: 'https://evil.example/' } })
        : undefined
    expect(await failureOf(put)).toContain('redirected to another address')
  })

  it('that stores other bytes fails the upload, and they are removed', async () => {
    drive.fault = (request, path) =>
      isChunk(request, path)
        ? HttpResponse.json({ id: 'x', size: '800000', md5Checksum: 'd41d8cd98f00b204e9800998ecf8427e' })
        : undefined
    expect(await failureOf(put)).toContain('different bytes')
  })

  it('says that the key cannot be read, and quotes nothing of it', async () => {
    const broken = '-----BEGIN PRIVATE KEY-----\nMIIEof-ann\n-----END PRIVATE KEY-----'
    const blobs = createBlobs({ account: { clientEmail, privateKey: broken } })
    const text = await failureOf(() => blobs.open('a'))
    expect(text).toContain('the private key of the account cannot be read')
    expect(text).not.toContain('of-ann')
  })

  it.each([
    ['the whole file', 200, undefined],
    ['another part', 206, 'bytes 0-3/800000'],
  ])('that sends %s for a part is not believed', async (_, status, contentRange) => {
    const blobs = createBlobs()
    await put(blobs)
    drive.fault = (request) =>
      request.headers.has('range')
        ? new HttpResponse('abcd', {
            status,
            headers: { 'content-length': '4', ...(contentRange && { 'content-range': contentRange }) },
          })
        : undefined
    expect(await failureOf(() => blobs.openPart!('a', { start: 4, end: 8 }))).toContain('another part')
  })

  it('that answers a page instead of JSON is not believed', async () => {
    drive.fault = (_, path) => (path.startsWith('/drive') ? HttpResponse.html('<html>') : undefined)
    expect(await failureOf(() => createBlobs().open('a'))).toContain('an unexpected response')
  })

  it('that never answers is given up', async () => {
    drive.fault = () => new Promise(() => {})
    expect(await failureOf(() => createBlobs({ timeoutMs: 20, attempts: 2 }).open('a'))).toContain('20 ms')
  })

  it('whose sign-in never answers holds up nobody who gives up', async () => {
    const stop = new AbortController()
    const reason = new Error('gave up')
    drive.fault = (request) => {
      if (request.method !== 'POST') return undefined
      stop.abort(reason)
      return new Promise(() => {})
    }
    await expect(createBlobs({ timeoutMs: 60_000 }).open('a', stop.signal)).rejects.toBe(reason)
  })
})

it.each([
  ['account.clientEmail', { account: { clientEmail: 'x', privateKey } }],
  ['account.privateKey', { account: { clientEmail, privateKey: 'x' } }],
  // what a key file that was not read gives
  ['account.clientEmail', { account: undefined as never }],
  ['account.privateKey', { account: { clientEmail } as never }],
  ['folderId', { folderId: "a' or '1" }],
  ['chunkBytes', { chunkBytes: 1000 }],
  ['tokenUrl', { tokenUrl: 'x' }],
  ['timeoutMs', { timeoutMs: Number.NaN }],
  ['attempts', { attempts: Number.NaN }],
  ['attempts', { attempts: 0 }],
  ['retryDelayMs', { retryDelayMs: -1 }],
])('names %s when it cannot be used', (name, wrong) => {
  expect(() => createBlobs(wrong)).toThrow(`Creating the Drive store failed: "${name}"`)
})
