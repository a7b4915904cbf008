// Attempts at one request that overlap: whose lease it is (C4), with a form and in chunks (C25).
import { createHash } from 'node:crypto'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { describe, expect, it } from 'vitest'
import { createTestCloud, storeKinds, type StoreKind } from './test-cloud.ts'

const minute = 60_000
const day = 24 * 60 * minute
const chunkBytes = 65_536
const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64')
const pieces = [1, 2, 3].map((value) => new Uint8Array(chunkBytes).fill(value))
const plan = { fileName: 'a', size: 3 * chunkBytes, chunkBytes, digests: pieces.map(digestOf) }

async function start(kind: StoreKind = 'memory') {
  const [blobs, chunks] = [createMemoryBlobs(), createMemoryBlobs()]
  const test = await createTestCloud(kind, { blobs, chunks, chunkBytes })
  const device = await test.register()
  const { body } = await test.send('POST', '/api/devices/files/upload-requests', {
    body: { deviceIds: [device.id], filePath: '/a' },
  })
  const id = body.uploadRequests![0]!.id
  const path = `/api/devices/files/uploads/${id}`
  const { headers } = device

  /** A request whose body goes on until it is told to end or to break off. */
  function open(method: string, to: string, head: Record<string, string>, first: Uint8Array) {
    let controller!: ReadableStreamDefaultController<Uint8Array>
    const content = new ReadableStream<Uint8Array>({ start: (given) => (controller = given) })
    controller.enqueue(first)
    const request = new Request(`http://127.0.0.1:3000${to}`, {
      method,
      headers: { ...headers, ...head },
      body: content,
      duplex: 'half', // Node wants it with a stream; the types do not know it
    } as RequestInit)
    const answer = test.cloud.fetch(request, { remoteAddress: '127.0.0.1' })
    return {
      more: (bytes: Uint8Array) => controller.enqueue(bytes),
      async breakOff() {
        controller.error(new Error('cut off'))
        expect((await answer).ok).toBe(false)
      },
      async end(last: Uint8Array) {
        controller.enqueue(last)
        controller.close()
        return (await answer).json()
      },
    }
  }

  const text = (value: string) => new TextEncoder().encode(value)
  return {
    test,
    device,
    blobs,
    chunks,
    text,
    status: async () =>
      (await test.send('GET', '/api/devices/files/upload-requests')).body.results![0]!['status'],
    begin: () => test.send('PUT', path, { body: plan, headers }),
    progress: () => test.send('GET', path, { headers }),
    complete: () => test.send('POST', `${path}/complete`, { headers }),
    form() {
      const head = { 'content-type': 'multipart/form-data; boundary=b' }
      const named = `--b\r\nContent-Disposition: form-data; name="requestId"\r\n\r\n${id}\r\n`
      const file = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
      const upload = open('POST', '/api/devices/files/upload', head, text(named + file + 'x'.repeat(1000)))
      return { ...upload, finish: () => upload.end(text('\r\n--b--\r\n')) }
    },
    chunk(index: number) {
      const piece = pieces[index]!
      const digest = { 'content-digest': `sha-256=:${plan.digests[index]}:` }
      const head = { 'content-type': 'application/octet-stream', ...digest }
      const upload = open('PUT', `${path}/chunks/${index}`, head, piece.slice(0, 1000))
      return { ...upload, finish: () => upload.end(piece.slice(1000)) }
    },
  }
}

/** Lets what was sent arrive: everything here resolves without waiting for anything outside. */
async function arrived() {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

describe.each(storeKinds)('attempts that overlap, on %s', (kind) => {
  it('C4: an attempt that breaks off leaves the lease to a newer one', async () => {
    const { test, form, status } = await start(kind)
    await using _ = test
    const older = form()
    await arrived()
    const newer = form()
    await arrived()
    await older.breakOff()
    expect(await status()).toBe('uploading')
    expect(await newer.finish()).toMatchObject({ success: true })
    expect([await status(), test.errors]).toEqual(['completed', []])
  })

  it('C4: an attempt whose lease outlives the request is not lost when an older one breaks off', async () => {
    const { test, form, status } = await start(kind)
    await using _ = test
    test.advance(day - 3 * minute)
    const older = form()
    await arrived()
    const newer = form()
    await arrived()
    await older.breakOff()
    test.advance(4 * minute)
    expect(await newer.finish()).toMatchObject({ success: true })
    expect(await status()).toBe('completed')
  })

  it('C4: an older attempt that goes on does not take the lease back, to end it when it breaks off', async () => {
    const { test, text, form, status } = await start(kind)
    await using _ = test
    const older = form()
    await arrived()
    const newer = form()
    await arrived()
    test.advance(4 * minute)
    older.more(text('y'))
    await arrived()
    await older.breakOff()
    expect(await status()).toBe('uploading')
    await newer.breakOff()
    expect(await status()).toBe('pending')
  })

  it('C4: an attempt renews its lease when the clock was put back, and so does a chunk', async () => {
    for (const inChunks of [false, true]) {
      const { test, text, form, begin, chunk, status } = await start(kind)
      await using _ = test
      test.advance(day / 2)
      if (inChunks) await begin()
      const underWay = inChunks ? chunk(0) : form()
      await arrived()
      test.advance(-day / 2)
      expect(await status()).toBe('pending')
      underWay.more(text('y'.repeat(1000)))
      await arrived()
      expect(await status()).toBe('uploading')
      await underWay.breakOff()
    }
  })

  it('C15: an attempt that outlives its device ends without an error of the cloud', async () => {
    const { test, device, begin, form, chunk } = await start(kind)
    await using _ = test
    await begin()
    const [whole, cut, piece] = [form(), form(), chunk(0)]
    await arrived()
    expect((await test.send('DELETE', `/api/devices/${device.id}`)).status).toBe(200)
    expect(await whole.finish()).toEqual({ error: 'Upload request not found' })
    await cut.breakOff()
    await piece.breakOff()
    expect(test.errors).toEqual([])
  })
})

it('C4: a chunk that breaks off leaves the lease to another one that is under way', async () => {
  const { test, begin, chunk, status } = await start()
  await using _ = test
  await begin()
  const [first, second] = [chunk(0), chunk(1)]
  await arrived()
  await first.breakOff()
  expect(await status()).toBe('uploading')
  await second.breakOff()
  expect(await status()).toBe('pending')
})

it('C4: of chunks that break off at once the last gives the lease back', async () => {
  const { test, begin, chunk, status } = await start()
  await using _ = test
  await begin()
  const cut = [chunk(0), chunk(1), chunk(2)]
  await arrived()
  await Promise.all(cut.map((each) => each.breakOff()))
  expect(await status()).toBe('pending')
})

it('C4: a chunk that breaks off leaves the lease to a form that came later', async () => {
  const { test, begin, chunk, form, status } = await start()
  await using _ = test
  await begin()
  const older = chunk(0)
  await arrived()
  const newer = form()
  await arrived()
  await older.breakOff()
  expect(await status()).toBe('uploading')
  expect(await newer.finish()).toMatchObject({ success: true })
})

it('C4: what is put together keeps its lease, whatever comes of chunks meanwhile', async () => {
  const { test, blobs, chunks, begin, progress, chunk, complete, status } = await start()
  await using _ = test
  const { put } = blobs
  let letGo = () => {}
  const held = new Promise<void>((resolve) => (letGo = resolve))
  blobs.put = async (...call) => {
    await held
    return put(...call)
  }
  await begin()
  for (const index of [0, 1, 2]) await chunk(index).finish()
  const whole = complete()
  await arrived()
  expect((await progress()).status).toBe(200)
  const full = new Error('no room')
  chunks.put = () => Promise.reject(full)
  await chunk(1).breakOff()
  test.advance(5 * minute)
  expect(await status()).toBe('uploading')
  letGo()
  expect((await whole).body).toMatchObject({ success: true })
  expect(test.errors).toEqual([full])
})

it('C4: a file that cannot be put together yet leaves the lease to the chunk that is under way', async () => {
  const { test, begin, chunk, complete, status } = await start()
  await using _ = test
  await begin()
  const underWay = chunk(0)
  await arrived()
  expect((await complete()).status).toBe(409)
  expect(await status()).toBe('uploading')
  await underWay.breakOff()
  expect(await status()).toBe('pending')
  expect((await complete()).status).toBe(409)
  expect(await status()).toBe('pending')
})
