import { expect, it } from 'vitest'
import { createStaleChunks } from './chunk-sessions.ts'

const day = 24 * 60 * 60 * 1000
const startMs = Date.parse('2026-01-10T00:00:00.000Z')
const key = 'k'.repeat(43)

function start(files: Record<string, number>, listFails = false) {
  const left = new Map(Object.entries(files))
  const errors: unknown[] = []
  let nowMs = startMs
  let looks = 0
  const stale = createStaleChunks({
    chunks: {
      async *list(storedBefore) {
        looks += 1
        if (listFails) throw new Error('disk gone')
        for (const [id, storedMs] of left) if (storedMs < Date.parse(storedBefore)) yield id
      },
      delete: async (id) => void left.delete(id),
    },
    now: () => nowMs,
    onError: (error) => errors.push(error),
  })
  return {
    stale,
    errors,
    left: () => [...left.keys()],
    looks: () => looks,
    advance: (ms: number) => (nowMs += ms),
  }
}

/** Lets a look that is under way come to its end: everything in it resolves at once here. */
const settled = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))

it('C25: what is older than 48 h goes, and nothing that is not its own', async () => {
  const old = startMs - 2 * day - 1
  const test = start({
    [`plan_${key}`]: old,
    [`chunk_${key}_0`]: old,
    [`chunk_${key}_999`]: old,
    [`chunk_${key}_1`]: startMs - 2 * day,
    [key]: old,
    [`chunk_${key}`]: old,
    plan_: old,
  })
  test.stale.noteUpload()
  await settled()
  expect(test.left()).toEqual([`chunk_${key}_1`, key, `chunk_${key}`, 'plan_'])
  expect(test.errors).toEqual([])
})

it('C25: looks again when the clock was put back', async () => {
  const test = start({})
  for (const hours of [0, -5.9, -0.1]) {
    test.advance(hours * 3_600_000)
    test.stale.noteUpload()
    await settled()
  }
  expect(test.looks()).toBe(2)
})

it('C25: looks again after six hours, not at every upload, and tells what failed', async () => {
  const test = start({}, true)
  for (const hours of [0, 3, 2.9, 0.1]) {
    test.advance(hours * 3_600_000)
    test.stale.noteUpload()
    test.stale.noteUpload()
    await settled()
  }
  expect([test.looks(), test.errors.map(String)]).toEqual([2, ['Error: disk gone', 'Error: disk gone']])
  await test.stale.close()
  test.advance(day)
  test.stale.noteUpload()
  expect(test.looks()).toBe(2)
})
