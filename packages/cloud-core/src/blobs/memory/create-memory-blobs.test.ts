import { expect, it } from 'vitest'
import { blobStoreConformance } from '../../testing/index.ts'
import { CloudStoreError, createMemoryBlobs } from './index.ts'

for (const { name, run } of blobStoreConformance) {
  it(name, () => run({ create: async () => ({ blobs: createMemoryBlobs() }) }))
}

async function* zeros(size: number) {
  yield new Uint8Array(size)
}

const put = (blobs: ReturnType<typeof createMemoryBlobs>, id: string, size: number) =>
  blobs.put({ id, fileName: id, content: zeros(size) })

it('takes no more than its limit, says so, and has room again after a removal', async () => {
  const blobs = createMemoryBlobs({ maxBytes: 100 })
  await put(blobs, 'a', 60)
  const error = await put(blobs, 'b', 41).catch((thrown: unknown) => thrown)
  expect(CloudStoreError.is(error) && error.code).toBe('BLOB_LIMIT')
  expect(String(error)).toContain('100 bytes')
  await put(blobs, 'c', 40)
  await blobs.delete('a')
  await put(blobs, 'd', 60)
})

it('keeps what comes in very many small chunks in few', async () => {
  const blobs = createMemoryBlobs()
  const content = (async function* bytes() {
    for (let count = 0; count < 100_000; count += 1) yield Uint8Array.of(count & 255)
  })()
  expect((await blobs.put({ id: 'a', fileName: 'a', content })).size).toBe(100_000)
  const chunks: Uint8Array[] = []
  for await (const chunk of (await blobs.open('a'))!.content) chunks.push(chunk)
  expect(chunks.length).toBeLessThan(5)
  expect(Buffer.concat(chunks).every((byte, index) => byte === (index & 255))).toBe(true)
})

it.each(['', '../up', 'a b', 'x'.repeat(129)])('refuses the id "%s", as every store does', async (id) => {
  const blobs = createMemoryBlobs()
  const calls = [() => put(blobs, id, 1), () => blobs.open(id), () => blobs.delete(id)]
  for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'BLOB_ID_INVALID' })
})

it('refuses a limit that limits nothing', () => {
  expect(() => createMemoryBlobs({ maxBytes: Number.NaN })).toThrow(
    '"maxBytes" must be a number of at least 0, got NaN',
  )
})
