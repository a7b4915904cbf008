import { describe, expect, it } from 'vitest'
import type { BlobStore } from '../../ports/blob-store.ts'
import { blobStoreConformance } from '../../testing/index.ts'
import { createFsBlobs } from '../fs/index.ts'
import { createMemoryBlobs } from '../memory/index.ts'
import { createReplicatedBlobs } from './index.ts'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

for (const { name, run } of blobStoreConformance) {
  it(name, () =>
    run({
      create: async () => {
        const folder = await mkdtemp(join(tmpdir(), 'homeward-replicated-'))
        const open = () =>
          createReplicatedBlobs({
            stores: [
              createFsBlobs({ folder: join(folder, 'one') }),
              createFsBlobs({ folder: join(folder, 'two') }),
            ],
          })
        return {
          blobs: open(),
          reopen: async () => open(),
          remove: () => rm(folder, { recursive: true, force: true }),
        }
      },
    }),
  )
}

async function* chunks(count: number, onChunk: (index: number) => void = () => {}) {
  for (let index = 0; index < count; index += 1) {
    onChunk(index)
    yield new Uint8Array(1000).fill(index)
  }
}
const put = (blobs: BlobStore, content: AsyncIterable<Uint8Array>) =>
  blobs.put({ id: 'a', fileName: 'a', content })

/** A store that does one thing in another way. */
const changed = (change: Partial<BlobStore>): BlobStore => ({ ...createMemoryBlobs(), ...change })

/** Reads a chunk whenever the test lets it. */
function createPacedStore() {
  let permits = 0
  let wake = () => {}
  return {
    permit: () => {
      permits += 1
      wake()
    },
    store: changed({
      async put(blob) {
        let size = 0
        for await (const chunk of blob.content) {
          size += chunk.length
          while (permits === 0) await new Promise<void>((resolve) => (wake = resolve))
          permits -= 1
        }
        return { size, links: { driveFile: { webViewLink: 'https://drive.example/a' } } }
      },
    }),
  }
}

describe('several destinations at once', () => {
  it('C13: gives the links of every store that took the file', async () => {
    const spaces = changed({
      async put(blob) {
        let size = 0
        for await (const chunk of blob.content) size += chunk.length
        return { size, links: { spacesFile: { publicUrl: 'https://s3.example/a' } } }
      },
    })
    const paced = createPacedStore()
    for (let index = 0; index < 3; index += 1) paced.permit()
    const stores = [createMemoryBlobs(), spaces, paced.store]
    const stored = await put(createReplicatedBlobs({ stores }), chunks(3))
    expect(stored).toEqual({
      size: 3000,
      links: {
        spacesFile: { publicUrl: 'https://s3.example/a' },
        driveFile: { webViewLink: 'https://drive.example/a' },
      },
    })
  })

  it('goes as fast as the slowest store, holding one chunk', async () => {
    const paced = createPacedStore()
    const blobs = createReplicatedBlobs({ stores: [createMemoryBlobs(), paced.store] })
    let made = 0
    const done = put(
      blobs,
      chunks(5, () => (made += 1)),
    )
    for (let expected = 1; expected <= 5; expected += 1) {
      await new Promise((resolve) => setImmediate(resolve))
      expect(made).toBe(expected)
      paced.permit()
    }
    expect((await done).size).toBe(5000)
  })

  it.each([
    ['at once', async () => Promise.reject(new Error('the storage is full'))],
    [
      'in the middle',
      async (blob: { content: AsyncIterable<Uint8Array> }) => {
        for await (const chunk of blob.content) if (chunk[0] === 2) throw new Error('the storage is full')
        return { size: 0, links: {} }
      },
    ],
    [
      'at its end',
      async (blob: { content: AsyncIterable<Uint8Array> }) => {
        for await (const _ of blob.content);
        throw new Error('the storage is full')
      },
    ],
  ])(
    'a store that fails %s fails the upload with its reason, and no other keeps anything',
    async (_, fail) => {
      const [first, last] = [createMemoryBlobs(), createMemoryBlobs()]
      let ended = false
      const content = (async function* () {
        try {
          yield* chunks(5)
        } finally {
          ended = true
        }
      })()
      const blobs = createReplicatedBlobs({ stores: [first, changed({ put: fail }), last] })
      await expect(put(blobs, content)).rejects.toThrow('the storage is full')
      expect(await Promise.all([first.open('a'), last.open('a')])).toEqual([undefined, undefined])
      expect(ended || _ === 'at once').toBe(true)
    },
  )

  it('tells what it could not take back', async () => {
    const errors: unknown[] = []
    const stuck = () => changed({ delete: () => Promise.reject(new Error('cannot delete')) })
    const late = changed({
      async put(blob) {
        for await (const _ of blob.content);
        await new Promise((resolve) => setImmediate(resolve))
        throw new Error('late')
      },
    })
    const blobs = createReplicatedBlobs({ stores: [stuck(), late], onError: (error) => errors.push(error) })
    await expect(put(blobs, chunks(1))).rejects.toThrow('late')
    expect(errors.map(String)).toEqual(['Error: cannot delete'])
    const throwing = () => {
      throw new Error('the logger is broken')
    }
    const unheard = createReplicatedBlobs({ stores: [stuck(), late], onError: throwing })
    await expect(put(unheard, chunks(1))).rejects.toThrow('late')
  })

  it('reads from another store when the first has lost the file or is down', async () => {
    const [first, second] = [createMemoryBlobs(), createMemoryBlobs()]
    await put(createReplicatedBlobs({ stores: [first, second] }), chunks(2))
    await first.delete('a')
    expect((await createReplicatedBlobs({ stores: [first, second] }).open('a'))?.size).toBe(2000)
    const down = changed({ open: () => Promise.reject(new Error('down')) })
    expect((await createReplicatedBlobs({ stores: [down, second] }).open('a'))?.size).toBe(2000)
    await expect(createReplicatedBlobs({ stores: [down, second] }).open('b')).rejects.toThrow('down')
  })

  it('reads a part from another store when the copy of the first was cut', async () => {
    const [first, second] = [createMemoryBlobs(), createMemoryBlobs()]
    await put(first, chunks(1))
    await put(second, chunks(2))
    const blobs = createReplicatedBlobs({ stores: [first, second] })
    for (const start of [0, 900, 1500]) {
      const part = await blobs.openPart!('a', { start, end: 2000 })
      expect((await new Response(part?.content).bytes()).length).toBe(2000 - start)
    }
    const cut = createReplicatedBlobs({ stores: [first, first] })
    await expect(cut.openPart!('a', { start: 0, end: 2000 })).rejects.toThrow('1000 of 2000 bytes')
  })

  it.each([undefined, [], [undefined], [createMemoryBlobs]])('needs stores: %j is refused', (stores) => {
    expect(() => createReplicatedBlobs({ stores: stores as never })).toThrow(
      /: "stores" must be a list of at least 1 file/,
    )
  })
})
