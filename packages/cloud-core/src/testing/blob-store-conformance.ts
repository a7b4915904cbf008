import type { BlobStore } from '../ports/blob-store.ts'
import {
  type ConformanceCase,
  setupCase,
  expectRejection,
  expectSame,
  expectTrue,
} from '@homeward/kit/testing'

/** An empty file store to test. */
export interface BlobStoreSetup {
  readonly blobs: BlobStore
  /** Opens the same storage again, if it outlives a process. */
  readonly reopen?: () => Promise<BlobStore>
  /** Removes everything that the setup created. */
  readonly remove?: () => Promise<void>
}

/** Creates file stores for the conformance kit. */
export interface BlobStoreHarness {
  /** Creates an empty file store. */
  create(): Promise<BlobStoreSetup>
}

/** A case of `blobStoreConformance`. */
export type BlobStoreCase = ConformanceCase<BlobStoreHarness>

const bytes = (text: string) => new TextEncoder().encode(text)

async function* contentOf(...parts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield bytes(part)
}

async function* failingContent(reason: unknown): AsyncGenerator<Uint8Array> {
  yield bytes('half')
  throw reason
}

async function* abortingContent(abort: () => void): AsyncGenerator<Uint8Array> {
  yield bytes('half')
  abort()
  yield bytes('rest')
}

const put = (blobs: BlobStore, id: string, ...parts: readonly string[]) =>
  blobs.put({ id, fileName: `${id}.txt`, content: contentOf(...parts) })

async function textOf(blobs: BlobStore, id: string): Promise<string | undefined> {
  const blob = await blobs.open(id)
  if (blob === undefined) return undefined
  const text = await new Response(blob.content).text()
  expectSame(blob.size, bytes(text).length, 'the size')
  return text
}

function blobCase(name: string, run: (setup: BlobStoreSetup) => Promise<void>): BlobStoreCase {
  return setupCase(name, run, async ({ blobs, remove }) => {
    await blobs.close?.()
    await remove?.()
  })
}

/**
 * Conformance cases for a `BlobStore`, for any test runner.
 *
 * @example
 * for (const { name, run } of blobStoreConformance) it(name, () => run({ create: async () => ({ blobs: createMyBlobs() }) }))
 */
export const blobStoreConformance: readonly BlobStoreCase[] = [
  blobCase('stores a file and gives it back byte by byte, as often as asked', async ({ blobs }) => {
    const stored = await put(blobs, 'a_-9', 'ü ', '', 'two')
    expectSame(stored.size, 6, 'the size')
    expectTrue(typeof stored.links === 'object' && stored.links !== null, 'that there are links')
    expectSame([await textOf(blobs, 'a_-9'), await textOf(blobs, 'a_-9')], ['ü two', 'ü two'], 'the content')
  }),
  blobCase('stores an empty file', async ({ blobs }) => {
    expectSame((await put(blobs, 'empty')).size, 0, 'the size')
    expectSame(await textOf(blobs, 'empty'), '', 'the content')
  }),
  blobCase('stores files of every byte, larger than a chunk', async ({ blobs }) => {
    const chunk = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251)
    const content = (async function* () {
      yield chunk
      yield chunk
    })()
    await blobs.put({ id: 'large', fileName: 'large', content })
    const blob = await blobs.open('large')
    const got = new Uint8Array(await new Response(blob?.content).arrayBuffer())
    expectSame(got.length, 600_000, 'the length')
    expectTrue(
      got.every((byte, index) => byte === (index % 300_000) % 251),
      'that every byte is right',
    )
  }),
  blobCase('opens any part of a file, where it opens parts', async ({ blobs }) => {
    if (blobs.openPart === undefined) return
    await put(blobs, 'a', 'one', 'two', '', 'three')
    const parts: readonly (readonly [start: number, end: number, text: string])[] = [
      [0, 11, 'onetwothree'],
      [0, 2, 'on'],
      [2, 7, 'etwot'],
      [3, 6, 'two'],
      [10, 11, 'e'],
    ]
    for (const [start, end, text] of parts) {
      const part = await blobs.openPart('a', { start, end })
      expectSame([part?.size, await new Response(part?.content).text()], [text.length, text], 'the part')
    }
    await (await blobs.openPart('a', { start: 1, end: 9 }))?.content.cancel()
    expectSame(await textOf(blobs, 'a'), 'onetwothree', 'the file')
    expectSame(await blobs.openPart('b', { start: 0, end: 1 }), undefined, 'a part of an unknown file')
  }),
  blobCase('opens the first byte of a file alone, where it opens parts', async ({ blobs }) => {
    if (blobs.openPart === undefined) return
    await put(blobs, 'a', 'one')
    const part = await blobs.openPart('a', { start: 0, end: 1 })
    expectSame([part?.size, await new Response(part?.content).text()], [1, 'o'], 'the part')
  }),
  blobCase('shows nothing of a file until all of it is there', async ({ blobs }) => {
    const seen: unknown[] = []
    const content = (async function* () {
      for (const part of ['one', 'two', 'three']) {
        yield bytes(part)
        seen.push(await blobs.open('a'))
      }
    })()
    await blobs.put({ id: 'a', fileName: 'a', content })
    expectSame(seen, [undefined, undefined, undefined], 'what can be opened while it comes')
    expectSame(await textOf(blobs, 'a'), 'onetwothree', 'the file')
  }),
  blobCase('takes ids of any length that may be', async ({ blobs }) => {
    const [a, b] = ['a', 'b'].map((end) => `${'x'.repeat(99)}${end}`) as [string, string] // two of two
    await put(blobs, a, 'one')
    await put(blobs, b, 'two')
    expectSame([await textOf(blobs, a), await textOf(blobs, b)], ['one', 'two'], 'the contents')
  }),
  blobCase('knows nothing of a file that is not there', async ({ blobs }) => {
    expectSame(await blobs.open('nothing'), undefined, 'an unknown file')
    await blobs.delete('nothing')
  }),
  blobCase('removes a file, and only that one', async ({ blobs }) => {
    await put(blobs, 'a', 'one')
    await put(blobs, 'b', 'two')
    await blobs.delete('a')
    await blobs.delete('a')
    expectSame([await textOf(blobs, 'a'), await textOf(blobs, 'b')], [undefined, 'two'], 'what is left')
  }),
  blobCase('keeps nothing of a file whose content breaks off', async ({ blobs }) => {
    const reason = new Error('cut')
    const call = () => blobs.put({ id: 'a', fileName: 'a', content: failingContent(reason) })
    expectTrue((await expectRejection(call, 'a broken upload')) === reason, 'that the reason is given')
    expectSame(await blobs.open('a'), undefined, 'what can be opened')
    await put(blobs, 'a', 'whole')
    expectSame(await textOf(blobs, 'a'), 'whole', 'the next attempt')
  }),
  blobCase('keeps nothing of a file whose signal aborts', async ({ blobs }) => {
    const reason = new Error('enough')
    const stop = new AbortController()
    const content = abortingContent(() => stop.abort(reason))
    const call = () => blobs.put({ id: 'a', fileName: 'a', content }, stop.signal)
    expectTrue((await expectRejection(call, 'an aborted upload')) === reason, 'that the reason is given')
    const early = () => blobs.put({ id: 'b', fileName: 'b', content: contentOf('x') }, stop.signal)
    expectTrue(
      (await expectRejection(early, 'an upload that never began')) === reason,
      'that the reason is given',
    )
    expectSame([await blobs.open('a'), await blobs.open('b')], [undefined, undefined], 'what can be opened')
  }),
  blobCase('stops reading content once a file cannot be stored', async ({ blobs }) => {
    let ended = false
    let wanted = 0
    const stop = new AbortController()
    const content = (async function* () {
      try {
        for (let sent = 0; sent < 100; sent += 1) {
          wanted += 1
          yield bytes('more')
          stop.abort(new Error('enough'))
        }
      } finally {
        ended = true
      }
    })()
    await expectRejection(
      () => blobs.put({ id: 'a', fileName: 'a', content }, stop.signal),
      'an aborted upload',
    )
    expectTrue(ended && wanted < 100, 'that the content was let go')
  }),
  blobCase('a file that is being read can be canceled and removed', async ({ blobs }) => {
    await put(blobs, 'a', 'one', 'two')
    const blob = await blobs.open('a')
    await blob?.content.cancel()
    expectSame(await textOf(blobs, 'a'), 'onetwo', 'the file after a cancel')
    await blobs.delete('a')
    expectSame(await blobs.open('a'), undefined, 'the file after a removal')
  }),
  blobCase('stores many files at once without mixing them up', async ({ blobs }) => {
    const names = Array.from({ length: 16 }, (_, index) => `file${index}`)
    await Promise.all(names.map((name) => put(blobs, name, name, '!', name)))
    const texts = await Promise.all(names.map((name) => textOf(blobs, name)))
    expectSame(
      texts,
      names.map((name) => `${name}!${name}`),
      'the contents',
    )
  }),
  blobCase('never lets a second file replace the first', async ({ blobs }) => {
    await put(blobs, 'a', 'first')
    await expectRejection(() => put(blobs, 'a', 'second'), 'an id that is in use')
    expectSame(await textOf(blobs, 'a'), 'first', 'the content')
  }),
  blobCase('lists the files that were stored before a time, where it lists any', async ({ blobs }) => {
    if (blobs.list === undefined) return
    const idsBefore = async (time: string) => {
      const ids: string[] = []
      for await (const id of blobs.list?.(time) ?? []) ids.push(id)
      return [...new Set(ids)].toSorted()
    }
    expectSame(await idsBefore('2999-01-01T00:00:00.000Z'), [], 'the list while there is nothing')
    for (const id of ['a', 'B-_9', 'c']) await put(blobs, id, id)
    await blobs.delete('c')
    expectSame(await idsBefore('2999-01-01T00:00:00.000Z'), ['B-_9', 'a'], 'the list')
    expectSame(await idsBefore('1999-01-01T00:00:00.000Z'), [], 'the list of old ones')
  }),
  blobCase('keeps files when it is opened again', async ({ blobs, reopen }) => {
    if (reopen === undefined) return
    await put(blobs, 'a', 'kept')
    await blobs.close?.()
    const again = await reopen()
    expectSame(await textOf(again, 'a'), 'kept', 'the content')
    await again.close?.()
  }),
  blobCase('ends what is under way when it closes, twice without complaint', async ({ blobs }) => {
    if (blobs.close === undefined) return
    const content = abortingContent(() => void blobs.close?.())
    await expectRejection(() => blobs.put({ id: 'a', fileName: 'a', content }), 'an upload under way')
    await blobs.close()
    await expectRejection(() => put(blobs, 'b', 'x'), 'an upload after close')
  }),
]
