import { createHash } from 'node:crypto'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import type { BlobStore } from '@homeward/cloud-core'
import { describe, expect, it } from 'vitest'
import { createTestCloud, storeKinds, type Answer, type TestCloud } from './test-cloud.ts'

const chunkBytes = 65_536
const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64')
/** Three chunks, the last of them small. */
const file = Uint8Array.from({ length: 2 * chunkBytes + 100 }, (_, index) => (index * 7) % 251)

interface Plan {
  readonly fileName: string
  readonly size: number
  readonly chunkBytes: number
  readonly digests: readonly string[]
}

const pieceOf = (bytes: Uint8Array, index: number) =>
  bytes.slice(index * chunkBytes, (index + 1) * chunkBytes)
const planOf = (bytes: Uint8Array, fileName = 'data.bin'): Plan => ({
  fileName,
  size: bytes.length,
  chunkBytes,
  digests: Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, index) =>
    digestOf(pieceOf(bytes, index)),
  ),
})

const shared = createMemoryBlobs()

type Device = Awaited<ReturnType<TestCloud['register']>>

/** A device that speaks HTTP and knows the interface alone. */
function speak(test: TestCloud, device: Device, id: string) {
  const path = `/api/devices/files/uploads/${id}`
  return {
    begin: (plan: Plan) => test.send('PUT', path, { body: plan, headers: device.headers }),
    status: () => test.send('GET', path, { headers: device.headers }),
    complete: () => test.send('POST', `${path}/complete`, { headers: device.headers }),
    async chunk(index: number | string, bytes: Uint8Array, headers: Record<string, string> = {}) {
      const request = new Request(`http://127.0.0.1:3000${path}/chunks/${index}`, {
        method: 'PUT',
        headers: {
          ...device.headers,
          'content-type': 'application/octet-stream',
          'content-digest': `sha-256=:${digestOf(bytes)}:`,
          ...headers,
        },
        body: new Uint8Array(bytes),
      })
      const response = await test.cloud.fetch(request, { remoteAddress: '127.0.0.1' })
      return { status: response.status, body: (await response.json()) as Answer['body'] }
    },
  }
}

async function start(kind: (typeof storeKinds)[number] = 'memory', options = {}) {
  const chunks = createMemoryBlobs()
  const blobs = createMemoryBlobs()
  const test = await createTestCloud(kind, { chunks, blobs, chunkBytes, ...options })
  const device = await test.register()
  const ask = async (of = device) => {
    const { body } = await test.send('POST', '/api/devices/files/upload-requests', {
      body: { deviceIds: [of.id], filePath: '/data.bin' },
    })
    return body.uploadRequests![0]!.id
  }
  const id = await ask()
  const row = async (requestId = id) =>
    (await test.send('GET', `/api/devices/files/upload-requests?requestId=${requestId}`)).body.results![0]!
  return { test, device, id, ask, row, chunks, blobs, ...speak(test, device, id) }
}

/** What a store of files holds. */
async function idsOf(blobs: BlobStore, names: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const name of names) if (await blobs.open(name)) found.push(name)
  return found
}

describe.each(storeKinds)('uploads that resume, on %s', (kind) => {
  it('C25: a file goes up in chunks of any order, and is whole', async () => {
    const { test, device, begin, chunk, status, complete, row } = await start(kind)
    await using _ = test
    const pending = await test.send('GET', '/api/devices/files/upload-requests/pending', {
      headers: device.headers,
    })
    expect(pending.headers.get('upload-chunk-bytes')).toBe(String(chunkBytes))
    const begun = await begin(planOf(file))
    expect([begun.status, begun.body]).toEqual([
      200,
      expect.objectContaining({ received: [], settled: false }),
    ])
    for (const index of [2, 0, 1]) {
      const sent = await chunk(index, pieceOf(file, index))
      expect(sent).toEqual({ status: 200, body: { success: true, index } })
    }
    expect((await status()).body).toMatchObject({ received: [0, 1, 2] })
    expect((await row()).status).toBe('uploading')
    const done = await complete()
    expect([done.status, done.body]).toMatchObject([200, { success: true, fileName: 'data.bin' }])
    const got = await test.cloud.fetch(new Request(done.body.fileUrl!), { remoteAddress: '127.0.0.1' })
    expect(digestOf(new Uint8Array(await got.arrayBuffer()))).toBe(digestOf(file))
    expect((await complete()).body).toEqual(done.body)
    expect((await begin(planOf(file))).body).toMatchObject({ settled: true })
    expect(test.errors).toEqual([])
  })
})

it('C25: its user sees how many bytes came, until it is over', async () => {
  const { test, begin, chunk, complete, row } = await start()
  await using _ = test
  expect(await row()).not.toHaveProperty('receivedBytes')
  await begin(planOf(file))
  expect(await row()).toMatchObject({ status: 'uploading', receivedBytes: 0, totalBytes: file.length })
  await chunk(2, pieceOf(file, 2))
  expect(await row()).toMatchObject({ receivedBytes: 100, totalBytes: file.length })
  const planned = { 'content-digest': `sha-256=:${digestOf(pieceOf(file, 0))}:` }
  expect((await chunk(0, pieceOf(file, 1), planned)).status).toBe(400)
  expect(await row()).toMatchObject({ status: 'pending' })
  await chunk(0, pieceOf(file, 0))
  await chunk(1, pieceOf(file, 1))
  expect(await row()).toMatchObject({ receivedBytes: file.length, totalBytes: file.length })
  await complete()
  expect(await row()).toMatchObject({ status: 'completed', size: file.length })
  expect(await row()).not.toHaveProperty('receivedBytes')
})

it('a user sees how many bytes of a form came', async () => {
  const { test, device, id, row } = await start()
  await using _ = test
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const send = (text: string) => writer.write(new TextEncoder().encode(text))
  const headers = { ...device.headers, 'content-type': 'multipart/form-data; boundary=b' }
  const request = new Request('http://127.0.0.1:3000/api/devices/files/upload', {
    method: 'POST',
    headers,
    body: readable,
    duplex: 'half',
  } as RequestInit)
  const answer = test.cloud.fetch(request, { remoteAddress: '127.0.0.1' })
  await send(`--b\r\nContent-Disposition: form-data; name="requestId"\r\n\r\n${id}\r\n`)
  await send('--b\r\nContent-Disposition: form-data; name="file"; filename="data.bin"\r\n\r\n')
  await send('x'.repeat(1000))
  await expect.poll(() => row()).toMatchObject({ status: 'uploading', receivedBytes: expect.any(Number) })
  expect(await row()).not.toHaveProperty('totalBytes')
  await send('y\r\n--b--\r\n')
  await writer.close()
  expect((await answer).status).toBe(200)
  expect(await row()).toMatchObject({ status: 'completed', size: 1001 })
})

it('C25: goes on where it ended, and another plan begins anew', async () => {
  const { test, begin, chunk, complete } = await start()
  await using _ = test
  await begin(planOf(file))
  await chunk(1, pieceOf(file, 1))
  expect((await begin(planOf(file))).body).toMatchObject({ received: [1] })
  const changed = file.map((byte, index) => (index < 10 ? 0 : byte))
  expect((await begin(planOf(changed))).body).toMatchObject({ received: [] })
  expect((await begin(planOf(file))).body).toMatchObject({ received: [] })
  const early = await complete()
  expect([early.status, early.body.message]).toEqual([409, 'Chunks are missing: 0, 1, 2. Send them first.'])
})

describe('C25: hostile chunks are refused, and nothing of them is kept', () => {
  const first = pieceOf(file, 0)
  const cases: [
    string,
    number,
    RegExp,
    (speaker: ReturnType<typeof speak>) => Promise<{ status: number; body: Answer['body'] }>,
  ][] = [
    ['no digest', 400, /^Content-Digest: /, ({ chunk }) => chunk(0, first, { 'content-digest': '' })],
    ['another algorithm', 400, /SHA-256/, ({ chunk }) => chunk(0, first, { 'content-digest': 'md5=:AAAA:' })],
    ['another chunk', 400, /differs from the plan/, ({ chunk }) => chunk(0, pieceOf(file, 1))],
    [
      'other bytes under the planned digest',
      400,
      /does not match/,
      ({ chunk }) =>
        chunk(
          0,
          first.map((byte) => byte ^ 1),
          { 'content-digest': `sha-256=:${digestOf(first)}:` },
        ),
    ],
    [
      'more bytes than planned',
      413,
      /larger than 65536 bytes/,
      ({ chunk }) =>
        chunk(0, file.slice(0, chunkBytes + 1), { 'content-digest': `sha-256=:${digestOf(first)}:` }),
    ],
    [
      'fewer bytes than planned',
      400,
      /ended after 10 of 65536/,
      ({ chunk }) => chunk(0, file.slice(0, 10), { 'content-digest': `sha-256=:${digestOf(first)}:` }),
    ],
    ['a place behind the end', 400, /^index: /, ({ chunk }) => chunk(3, first)],
    ['a place that is no number', 400, /^index: /, ({ chunk }) => chunk('-1', first)],
    ['a place far away', 400, /^index: /, ({ chunk }) => chunk('99999999999999999999', first)],
    ['JSON', 415, /octet-stream/, ({ chunk }) => chunk(0, first, { 'content-type': 'application/json' })],
    ['compressed bytes', 415, /Encoding/, ({ chunk }) => chunk(0, first, { 'content-encoding': 'gzip' })],
  ]
  it.each(cases)('C25: %s', async (_, status, message, send) => {
    const started = await start()
    await using test = started.test
    await started.begin(planOf(file))
    const answer = await send(started)
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringMatching(message)])
    expect((await started.status()).body).toMatchObject({ received: [] })
    expect((await started.chunk(0, first)).status).toBe(200)
    expect(test.errors).toEqual([])
  })

  it.each([
    ['too few digests', { digests: planOf(file).digests.slice(1) }, 400, /^digests: must have 3/],
    ['no digests', { digests: [] }, 400, /digests/],
    ['a broken digest', { digests: ['x', 'y', 'z'] }, 400, /digests/],
    ['more chunks than allowed', { digests: Array(1001).fill(planOf(file).digests[0]) }, 400, /digests/],
    ['tiny chunks', { chunkBytes: 10 }, 400, /chunkBytes/],
    ['an empty file', { size: 0 }, 400, /size/],
    ['a negative size', { size: -1 }, 400, /size/],
    [
      'more than the cloud takes',
      { size: 300_001, digests: Array(5).fill(planOf(file).digests[0]) },
      413,
      /The file/,
    ],
  ])('C25: a plan with %s', async (_, change, status, message) => {
    const started = await start('memory', { maxUploadBytes: 300_000 })
    await using _test = started.test
    const answer = await started.begin({ ...planOf(file), ...change })
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringMatching(message)])
    expect((await started.row()).status).toBe('pending')
  })

  it('C25: another device finds nothing under the id of a request, whatever it asks', async () => {
    const { test, id, begin, chunk } = await start()
    await using _ = test
    await begin(planOf(file))
    await chunk(0, first)
    const other = await test.register('other')
    const foreign = speak(test, other, id)
    const unknown = speak(test, other, 'never-existed')
    for (const call of [
      (to: typeof foreign) => to.begin(planOf(file)),
      (to: typeof foreign) => to.status(),
      (to: typeof foreign) => to.chunk(1, pieceOf(file, 1)),
      (to: typeof foreign) => to.complete(),
    ]) {
      const [one, two] = [await call(foreign), await call(unknown)]
      expect([one.status, one.body]).toEqual([404, { error: 'Upload request not found' }])
      expect([two.status, two.body]).toEqual([one.status, one.body])
    }
  })

  it('C25: a name with folders in it becomes a plain one', async () => {
    const { test, begin, chunk, complete } = await start()
    await using _ = test
    const small = new Uint8Array(10)
    await begin({ ...planOf(small), fileName: '../../etc/passwd' })
    await chunk(0, small)
    expect((await complete()).body).toMatchObject({ fileName: 'passwd' })
  })

  it('C25: at most 16 requests of a device are under way', async () => {
    const { test, device, ask } = await start()
    await using _ = test
    const answers: Answer[] = []
    for (let index = 0; index < 17; index += 1) {
      answers.push(await speak(test, device, await ask()).begin(planOf(file)))
      test.advance(1000)
    }
    expect(answers.map(({ status }) => status)).toEqual([...Array(16).fill(200), 429])
    expect(Number(answers.at(-1)!.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

it('C25: a chunk that comes again while its first attempt hangs takes its place', async () => {
  const { test, device, id, begin, chunk, row } = await start()
  await using _ = test
  await begin(planOf(file))
  const first = pieceOf(file, 0)
  let letGo = () => {}
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(first.slice(0, 100)),
    pull: () => new Promise<void>((resolve) => (letGo = resolve)),
  })
  const request = new Request(`http://127.0.0.1:3000/api/devices/files/uploads/${id}/chunks/0`, {
    method: 'PUT',
    headers: {
      ...device.headers,
      'content-type': 'application/octet-stream',
      'content-digest': `sha-256=:${digestOf(first)}:`,
    },
    body,
    duplex: 'half', // Node wants it with a stream; the types do not know it
  } as RequestInit)
  const hanging = test.cloud.fetch(request, { remoteAddress: '127.0.0.1' })
  expect((await chunk(0, first)).status).toBe(200)
  expect((await hanging).status).toBe(409)
  // The device is there: its request is not listed for it once more.
  expect((await row()).status).toBe('uploading')
  letGo()
})

it('C25: a chunk that its storage damaged is asked for again', async () => {
  const { test, begin, chunk, complete, chunks } = await start()
  await using _ = test
  await begin(planOf(file))
  for (const index of [0, 1, 2]) await chunk(index, pieceOf(file, index))
  const open = chunks.open
  const damaged = async (...call: Parameters<typeof open>) => {
    const blob = await open(...call)
    if (!blob || !call[0].endsWith('_1')) return blob
    await blob.content.cancel()
    return { size: blob.size, content: new Blob([new Uint8Array(chunkBytes)]).stream() }
  }
  Object.assign(chunks, { open: damaged })
  const answer = await complete()
  expect([answer.status, answer.body.message]).toEqual([409, 'Chunks are missing: 1. Send them first.'])
  Object.assign(chunks, { open })
  expect((await begin(planOf(file))).body).toMatchObject({ received: [0, 2] })
  await chunk(1, pieceOf(file, 1))
  expect((await complete()).body).toMatchObject({ success: true })
})

it('C25: chunks go when their request is over, however it ended', async () => {
  const ends: ((started: Awaited<ReturnType<typeof start>>) => Promise<unknown>)[] = [
    async ({ complete }) => complete(),
    async ({ test, device, id }) => {
      const form = new FormData()
      form.append('requestId', id)
      form.append('error', 'gone')
      await test.send('POST', '/api/devices/files/upload', { body: form, headers: device.headers })
    },
    async ({ test, id, chunk }) => {
      await test.send('DELETE', `/api/devices/files/upload-requests/${id}`)
      expect((await chunk(0, pieceOf(file, 0))).status).toBe(409)
    },
    async ({ test, id, complete }) => {
      await test.send('DELETE', `/api/devices/files/upload-requests/${id}`)
      expect((await complete()).body).toEqual({ success: false, error: 'canceled' })
    },
  ]
  for (const end of ends) {
    const names: string[] = []
    const chunks = createMemoryBlobs()
    const { put } = chunks
    chunks.put = (blob, signal) => {
      names.push(blob.id)
      return put(blob, signal)
    }
    const started = await start('memory', { chunks })
    await using _ = started.test
    await started.begin(planOf(file))
    for (const index of [0, 1, 2]) await started.chunk(index, pieceOf(file, index))
    expect(await idsOf(chunks, names)).toHaveLength(4)
    await end(started)
    expect(await idsOf(chunks, names)).toEqual([])
  }
})

it('C25: a device that goes silent is asked again after 30 s', async () => {
  const { test, begin, row } = await start()
  await using _ = test
  await begin(planOf(file))
  expect((await row()).status).toBe('uploading')
  test.advance(30_001)
  expect((await row()).status).toBe('pending')
})

it.each([
  [
    'the same store for chunks and files',
    { blobs: shared, chunks: shared },
    /"chunks" must be a different store/,
  ],
  ['tiny chunks', { chunkBytes: 1 }, /"chunkBytes" must be/],
])('C25: a cloud with %s is not made', async (_, options, message) => {
  await expect(createTestCloud('memory', options)).rejects.toThrow(message)
})

it('C25: a cloud without a place for chunks does not offer them', async () => {
  await using test = await createTestCloud('memory')
  const device = await test.register()
  const pending = await test.send('GET', '/api/devices/files/upload-requests/pending', {
    headers: device.headers,
  })
  expect(pending.headers.get('upload-chunk-bytes')).toBeNull()
  const answer = await speak(test, device, 'x').begin(planOf(file))
  expect([answer.status, answer.body]).toEqual([404, { error: 'Not found' }])
})
