import { describe, expect, it } from 'vitest'
import { createMemoryBlobs } from '../blobs/memory/index.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import { blobStoreConformance } from './index.ts'

async function failures(breakBlobs: (blobs: BlobStore) => BlobStore): Promise<string[]> {
  const failed: string[] = []
  for (const { name, run } of blobStoreConformance) {
    await run({ create: async () => ({ blobs: breakBlobs(createMemoryBlobs()) }) }).catch(() =>
      failed.push(name),
    )
  }
  return failed
}

it('files that are whole pass the kit', async () => {
  expect(await failures((blobs) => blobs)).toEqual([])
})

const answers: Record<string, unknown> = {
  undefined,
  'an empty list': [],
  'an empty file': { size: 0, links: {} },
}

describe.each(['put', 'open', 'openPart', 'delete', 'close'] as const)(
  'files whose %s is emptied out',
  (method) => {
    it.each(Object.keys(answers))('fail the kit when it answers %s', async (answer) => {
      expect(await failures((blobs) => ({ ...blobs, [method]: async () => answers[answer] }))).not.toEqual([])
    })
  },
)

it('files that ignore an abort fail the kit', async () => {
  expect(await failures((blobs) => ({ ...blobs, put: (blob) => blobs.put(blob) }))).not.toEqual([])
})

it('files that are replaced fail the kit', async () => {
  const replacing = (blobs: BlobStore): BlobStore => ({
    ...blobs,
    async put(blob, signal) {
      await blobs.delete(blob.id)
      return blobs.put(blob, signal)
    },
  })
  expect(await failures(replacing)).toEqual([expect.stringContaining('replace')])
})

it('files that can be opened while they come fail the kit', async () => {
  const early = (blobs: BlobStore): BlobStore => {
    const coming = new Map<string, Uint8Array<ArrayBuffer>[]>()
    return {
      ...blobs,
      async put({ id, content, ...blob }, signal) {
        const chunks: Uint8Array<ArrayBuffer>[] = []
        coming.set(id, chunks)
        const watched = (async function* () {
          for await (const chunk of content) {
            chunks.push(new Uint8Array(chunk))
            yield chunk
          }
        })()
        return blobs.put({ ...blob, id, content: watched }, signal).finally(() => coming.delete(id))
      },
      async open(id, signal) {
        const chunks = coming.get(id)
        if (!chunks) return blobs.open(id, signal)
        const file = new Blob(chunks)
        return { size: file.size, content: file.stream() }
      },
    }
  }
  expect(await failures(early)).toEqual([expect.stringContaining('until all of it is there')])
})

it('files whose ids are cut fail the kit', async () => {
  const cutting = (blobs: BlobStore): BlobStore => ({
    ...blobs,
    put: (blob, signal) => blobs.put({ ...blob, id: blob.id.slice(0, 64) }, signal),
    open: (id, signal) => blobs.open(id.slice(0, 64), signal),
  })
  expect(await failures(cutting)).toEqual([expect.stringContaining('any length')])
})

it('files of which no part can be opened pass the kit', async () => {
  const withoutParts = ({ openPart: _openPart, ...blobs }: BlobStore): BlobStore => blobs
  expect(await failures(withoutParts)).toEqual([])
})

type OpenPart = NonNullable<BlobStore['openPart']>

it.each<[string, (blobs: BlobStore) => OpenPart]>([
  ['the whole file', (blobs) => (id) => blobs.open(id)],
  [
    'a byte too many',
    (blobs) =>
      (id, { start, end }) =>
        blobs.openPart!(id, { start, end: end + 1 }),
  ],
  [
    'the part from the start',
    (blobs) =>
      (id, { end }) =>
        blobs.openPart!(id, { start: 0, end }),
  ],
])('files that give %s for a part fail the kit', async (_, openPart) => {
  expect(await failures((blobs) => ({ ...blobs, openPart: openPart(blobs) }))).toContainEqual(
    expect.stringContaining('part'),
  )
})

type List = NonNullable<BlobStore['list']>

/** Memory files that can be listed; `list` gets what is stored. */
function listing(list: (ids: ReadonlySet<string>) => List): (blobs: BlobStore) => BlobStore {
  return (blobs) => {
    const ids = new Set<string>()
    return {
      ...blobs,
      async put(blob, signal) {
        const stored = await blobs.put(blob, signal)
        ids.add(blob.id)
        return stored
      },
      async delete(id, signal) {
        await blobs.delete(id, signal)
        ids.delete(id)
      },
      list: list(ids),
    }
  }
}

it('files that can be listed pass the kit', async () => {
  const list = (ids: ReadonlySet<string>): List =>
    async function* (storedBefore) {
      if (Date.now() < Date.parse(storedBefore)) yield* ids
    }
  expect(await failures(listing(list))).toEqual([])
})

it.each<[string, (ids: ReadonlySet<string>) => List]>([
  ['nothing', () => async function* () {}],
  [
    'files of any age',
    (ids) =>
      async function* () {
        yield* ids
      },
  ],
  [
    'files that are not there',
    () =>
      async function* () {
        yield* ['a', 'B-_9', 'c']
      },
  ],
])('files whose list gives %s fail the kit', async (_, list) => {
  expect(await failures(listing(list))).toEqual([expect.stringContaining('lists')])
})
