import { expect, it } from 'vitest'
import type { OutboxEntry } from '../ports/index.ts'
import { createMemoryOutbox } from './create-memory-outbox.ts'

const entry = (queryId: string, createdAt: string): OutboxEntry => ({
  queryId,
  state: 'ready',
  report: { queryId },
  createdAt,
})

it('lists what it keeps, oldest first, and replaces an entry of the same search', async () => {
  const outbox = createMemoryOutbox()
  await outbox.put(entry('b', '2026-01-02T00:00:00.000Z'))
  await outbox.put(entry('a', '2026-01-01T00:00:00.000Z'))
  await outbox.put(entry('b', '2026-01-03T00:00:00.000Z'))
  expect((await outbox.list()).map(({ queryId, createdAt }) => queryId + createdAt.slice(8, 10))).toEqual([
    'a01',
    'b03',
  ])
  await outbox.delete('a')
  await outbox.delete('never there')
  expect(await outbox.list()).toHaveLength(1)
})

it('refuses one entry too many and drops none', async () => {
  const outbox = createMemoryOutbox({ maxEntries: 1 })
  await outbox.put(entry('a', '2026-01-01T00:00:00.000Z'))
  await expect(outbox.put(entry('b', '2026-01-01T00:00:00.000Z'))).rejects.toMatchObject({
    code: 'STATE_UNAVAILABLE',
  })
  await outbox.put(entry('a', '2026-01-02T00:00:00.000Z'))
  expect(await outbox.list()).toMatchObject([{ queryId: 'a' }])
})

it('refuses more bytes than its limit, drops nothing, and takes a new entry when there is room', async () => {
  const report = (queryId: string, characters: number): OutboxEntry => ({
    queryId,
    state: 'ready',
    report: { queryId, error: 'é'.repeat(characters) },
    createdAt: '2026-01-01T00:00:00.000Z',
  })
  // An é has two bytes, and an entry a hundred besides.
  const outbox = createMemoryOutbox({ maxBytes: 1000 })
  await outbox.put(report('a', 300))
  for (const entry of [report('b', 200), report('a', 500)])
    await expect(outbox.put(entry)).rejects.toMatchObject({
      code: 'STATE_UNAVAILABLE',
      message: expect.stringContaining('raise "maxEntries" and "maxBytes"'),
    })
  expect(await outbox.list()).toEqual([report('a', 300)])
  await outbox.put(report('a', 400))
  await outbox.delete('a')
  await outbox.put(report('b', 400))
  expect(await outbox.list()).toEqual([report('b', 400)])
})
