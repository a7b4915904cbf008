import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blobStoreConformance } from '../../testing/index.ts'
import { CloudStoreError, createS3Blobs, type S3BlobsOptions } from './index.ts'
import { startS3Server, type S3Server } from './testing/s3-server.ts'

let server: S3Server
let prefixes = 0

beforeAll(async () => {
  server = await startS3Server()
})
afterAll(() => server[Symbol.asyncDispose]())

/** A store with a prefix of its own, which stands for an empty bucket. */
function createBlobs(options: Partial<S3BlobsOptions> = {}) {
  const { endpoint, accessKeyId, secretAccessKey } = server
  const keyPrefix = `test${(prefixes += 1)}/`
  const all = { endpoint, accessKeyId, secretAccessKey, region: 'us-east-1', keyPrefix, retryDelayMs: 1 }
  return createS3Blobs({ ...all, ...options })
}

/** The server of the tests takes `bytes=0-0` for `bytes=0-`; S3 does not. The store does not believe what it sends. */
const gaps = new Map([
  ['opens the first byte of a file alone, where it opens parts', 'the service sent an unexpected response'],
])

describe('on a real S3 server', { timeout: 60_000 }, () => {
  for (const { name, run } of blobStoreConformance) {
    it(name, async () => {
      const done = run({
        create: async () => {
          const keyPrefix = `kit${(prefixes += 1)}/`
          return {
            blobs: createBlobs({ keyPrefix }),
            reopen: async () => createBlobs({ keyPrefix }),
          }
        },
      })
      const gap = gaps.get(name)
      await (gap === undefined ? done : expect(done).rejects.toThrow(gap))
    })
  }

  const mebibyte = 1024 * 1024
  async function* mebibytes(count: number, onChunk = () => {}) {
    for (let index = 0; index < count; index += 1) {
      onChunk()
      yield new Uint8Array(mebibyte).fill(index % 251)
    }
  }

  it('writes a large file part by part, one of them in memory, and gives it back whole', async () => {
    const partBytes = 5 * mebibyte
    let readBytes = 0
    let sentBytes = 0
    let mostHeld = 0
    const counting = async (input: string, init: RequestInit) => {
      mostHeld = Math.max(mostHeld, readBytes - sentBytes)
      if (init.body instanceof Uint8Array) sentBytes += init.body.length
      return fetch(input, init)
    }
    const blobs = createBlobs({ partBytes, fetch: counting })
    const content = mebibytes(16, () => (readBytes += mebibyte))
    const stored = await blobs.put({ id: 'large', fileName: 'large.bin', content })
    expect([stored.size, sentBytes]).toEqual([16 * mebibyte, 16 * mebibyte])
    expect(mostHeld).toBeLessThanOrEqual(partBytes + mebibyte)
    const expected = createHash('sha256')
    for await (const chunk of mebibytes(16)) expected.update(chunk)
    const got = createHash('sha256')
    for await (const chunk of (await blobs.open('large'))!.content) got.update(chunk)
    expect(got.digest('hex')).toBe(expected.digest('hex'))
  })

  it('gives a link that anybody can read for a while, as an attachment with the name of the file', async () => {
    const blobs = createBlobs()
    const content = (async function* () {
      yield new TextEncoder().encode('<script>alert(1)</script>')
    })()
    const { links } = await blobs.put({ id: 'page', fileName: 'a "b".html', content })
    const url = new URL(links.spacesFile!.publicUrl)
    expect(url.searchParams.get('X-Amz-Expires')).toBe('3600')
    const response = await fetch(url)
    expect(await response.text()).toBe('<script>alert(1)</script>')
    expect(response.headers.get('content-type')).toBe('application/octet-stream')
    expect(response.headers.get('content-disposition')).toContain('attachment; filename="a _b_.html"')
    url.searchParams.set('X-Amz-Date', '20200101T000000Z')
    expect((await fetch(url)).status).toBe(403)
    expect((await blobs.linksOf!('page')).spacesFile?.publicUrl).toContain('/page?')
  })

  it('gives public links where the bucket is public', async () => {
    const blobs = createBlobs({
      keyPrefix: 'open/',
      links: { kind: 'public', baseUrl: 'https://cdn.example/x/', acl: 'public-read' },
    })
    const { links } = await blobs.put({ id: 'a', fileName: 'a', content: mebibytes(1) })
    expect(links).toEqual({ spacesFile: { publicUrl: 'https://cdn.example/x/open/a' } })
  })

  it('says what is wrong with the keys, and holds none of them', async () => {
    const blobs = createBlobs({ accessKeyId: 'nobody-of-ann', secretAccessKey: 'secret-of-ann' })
    const put = blobs.put({ id: 'a', fileName: 'a', content: mebibytes(1) })
    const error = await put.catch((thrown: unknown) => thrown)
    expect(CloudStoreError.is(error) && error.code).toMatch(/^BLOB_(UNAVAILABLE|REFUSED)$/)
    expect(String(error)).toContain('responded with 403. Check the keys')
    const { inspect } = await import('node:util')
    expect(inspect(error, { depth: 9 })).not.toMatch(/of-ann|AWS4/)
  })

  it('says that the bucket does not exist', async () => {
    const blobs = createBlobs({ endpoint: server.endpoint.replace(/files$/, 'nothing') })
    await expect(blobs.put({ id: 'a', fileName: 'a', content: mebibytes(1) })).rejects.toThrow(
      'Storing a file in S3 failed: the service responded with 404 NoSuchBucket',
    )
  })
})

describe('settings', () => {
  const good = { endpoint: 'https://s3.example/bucket', accessKeyId: 'id', secretAccessKey: 'secret' }
  it.each([
    ['endpoint', { endpoint: 'ftp://s3.example/b' }],
    ['endpoint', { endpoint: 'https://user:pass@s3.example/b' }],
    ['accessKeyId', { accessKeyId: '' }],
    ['accessKeyId', { accessKeyId: 'id!' }],
    ['accessKeyId', { accessKeyId: "'id'" }],
    ['accessKeyId', { accessKeyId: '(id)*' }],
    ['secretAccessKey', { secretAccessKey: undefined as never }],
    ['keyPrefix', { keyPrefix: '../' }],
    ['keyPrefix', { keyPrefix: 'a' }],
    ['partBytes', { partBytes: 1024 }],
    ['timeoutMs', { timeoutMs: Number.NaN }],
    ['attempts', { attempts: Number.NaN }],
    ['attempts', { attempts: 0 }],
    ['retryDelayMs', { retryDelayMs: -1 }],
    ['links.baseUrl', { links: { kind: 'public', baseUrl: 'x' } as const }],
    ['links.expiresInSeconds', { links: { kind: 'presigned', expiresInSeconds: 604_801 } as const }],
  ])('names %s when it cannot be used', (name, wrong) => {
    expect(() => createS3Blobs({ ...good, ...wrong })).toThrow(`Creating the S3 store failed: "${name}"`)
  })
})
