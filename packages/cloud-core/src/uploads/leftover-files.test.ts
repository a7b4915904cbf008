import { describe, expect, it } from 'vitest'
import { createLeftoverFiles, type LeftoverFilesSetup } from './leftover-files.ts'

const day = 24 * 60 * 60 * 1000
const startMs = Date.parse('2026-01-10T00:00:00.000Z')

/** Files by the time they were stored; those named `used…` belong to an upload request. */
function start(files: Record<string, number>, changes: Partial<LeftoverFilesSetup> = {}) {
  const left = new Map(Object.entries(files))
  const errors: unknown[] = []
  let nowMs = startMs
  let looks = 0
  let onLook = () => {}
  const leftovers = createLeftoverFiles({
    store: { filterUnusedBlobs: async (ids) => ids.filter((id) => !id.startsWith('used')) },
    blobs: {
      async *list(storedBefore) {
        looks += 1
        onLook()
        for (const [id, storedMs] of left) if (storedMs < Date.parse(storedBefore)) yield id
      },
      delete: async (id) => void left.delete(id),
    },
    now: () => nowMs,
    onError: (error) => errors.push(error),
    ...changes,
  })
  return {
    leftovers,
    errors,
    left: () => [...left.keys()],
    looks: () => looks,
    advance: (ms: number) => (nowMs += ms),
    whenLooking: () => new Promise<void>((resolve) => (onLook = resolve)),
  }
}

/** Lets a look that is under way come to its end: everything in it resolves at once here. */
const settled = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))

describe('files that a crash left behind', () => {
  it('removes those older than a day that no upload request holds', async () => {
    const old = startMs - day - 1
    const test = start({ old, young: startMs - day, usedOld: old })
    test.leftovers.noteUpload()
    await settled()
    expect(test.left()).toEqual(['young', 'usedOld'])
    expect(test.errors).toEqual([])
  })

  it('looks again when the clock was put back', async () => {
    const test = start({})
    for (const hours of [0, -5.9, -0.1]) {
      test.advance(hours * 3_600_000)
      test.leftovers.noteUpload()
      await settled()
    }
    expect(test.looks()).toBe(2)
  })

  it('looks through more files than it asks about at once', async () => {
    const names = Array.from({ length: 1000 }, (_, index) => `${index % 2 ? 'used' : 'old'}${index}`)
    const test = start(Object.fromEntries(names.map((name) => [name, 0])))
    test.leftovers.noteUpload()
    await settled()
    expect(test.left()).toEqual(names.filter((name) => name.startsWith('used')))
  })

  it('deletes nothing where the store knows less than half of the files: it is another database', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `${index < 19 ? 'used' : 'old'}${index}`)
    const test = start(Object.fromEntries(names.map((name) => [name, 0])))
    test.leftovers.noteUpload()
    await settled()
    expect(test.left()).toEqual(names)
    expect(test.errors.map(String)).toEqual([expect.stringContaining('21 of 40 stored files')])
  })

  it.each<[string, (index: number) => boolean, string]>([
    ['the known ones first', (index) => index < 11_000, '13000 of 24000'],
    ['the known ones last', (index) => index >= 13_000, '13000 of 24000'],
    ['none known', () => false, '24000 of 24000'],
  ])('deletes nothing there however many files there are, %s', async (_, isKnown, counted) => {
    const names = Array.from(
      { length: 24_000 },
      (_each, index) => `${isKnown(index) ? 'used' : 'old'}${index}`,
    )
    const test = start(Object.fromEntries(names.map((name) => [name, 0])))
    test.leftovers.noteUpload()
    await settled()
    expect(test.left().length).toBe(names.length)
    expect(test.errors.map(String)).toEqual([expect.stringContaining(`${counted} stored files`)])
  })

  it('deletes at most 10,000 at one look, and the rest at the next', async () => {
    const names = Array.from({ length: 24_000 }, (_, index) => `${index < 12_000 ? 'used' : 'old'}${index}`)
    const test = start(Object.fromEntries(names.map((name) => [name, 0])))
    const left: number[] = []
    for (let look = 0; look < 2; look += 1) {
      test.leftovers.noteUpload()
      await settled()
      left.push(test.left().length)
      test.advance(day)
    }
    expect([left, test.errors]).toEqual([[14_000, 12_000], []])
  })

  it('looks again after six hours, not at every upload', async () => {
    const test = start({})
    for (const hours of [0, 3, 2.9, 0.1, 5, 1]) {
      test.advance(hours * 3_600_000)
      test.leftovers.noteUpload()
      test.leftovers.noteUpload()
      await settled()
    }
    expect(test.looks()).toBe(3)
  })

  it('does nothing where files cannot be listed', async () => {
    const test = start({}, { blobs: { delete: () => Promise.reject(new Error('never called')) } })
    test.leftovers.noteUpload()
    await settled()
    expect(test.errors).toEqual([])
  })

  it('tells the host what failed, and tries again later', async () => {
    const failure = new Error('disk gone')
    const test = start({ old: 0 }, { store: { filterUnusedBlobs: () => Promise.reject(failure) } })
    test.leftovers.noteUpload()
    await settled()
    expect(test.errors).toEqual([failure])
    expect(test.left()).toEqual(['old'])
    test.advance(day)
    test.leftovers.noteUpload()
    await settled()
    expect(test.errors).toEqual([failure, failure])
  })

  it('ends when the cloud closes, without complaint', async () => {
    const store: LeftoverFilesSetup['store'] = {
      filterUnusedBlobs: (_ids, signal) =>
        new Promise((_resolve, reject) =>
          signal?.addEventListener('abort', () => reject(signal.reason as Error)),
        ),
    }
    const test = start({ old: 0 }, { store })
    const looking = test.whenLooking()
    test.leftovers.noteUpload()
    await looking
    await settled()
    await test.leftovers.close()
    test.advance(day)
    test.leftovers.noteUpload()
    expect([test.errors, test.left(), test.looks()]).toEqual([[], ['old'], 1])
  })
})
