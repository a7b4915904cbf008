import { expect, it } from 'vitest'
import { createTestStore } from '../testing/create-test-store.ts'
import { silentLogger } from '../ports/logger.ts'
import { journalOf } from '../testing/conformance-fixtures.ts'
import { createLogs } from './create-logs.ts'

async function openLogs() {
  const store = createTestStore()
  await store.appendEvents([journalOf('r'), journalOf('r'), journalOf('r')])
  return createLogs({ store, logger: silentLogger })
}

it.each([
  [-1, [1, 2, 3]],
  [0.5, [1, 2, 3]],
  [1.5, [2, 3]],
  [2, [3]],
  [99, []],
])('A14: lists what is behind %s', async (since, expected) => {
  const logs = await openLogs()
  expect((await logs.list({ since })).map(({ seq }) => seq)).toEqual(expected)
  await logs.close()
})

it('A14: follows what is behind a number between two', async () => {
  const logs = await openLogs()
  for await (const { seq } of logs.follow({ since: 1.5 })) {
    expect(seq).toBe(2)
    break
  }
  await logs.close()
})

it.each([Number.NaN, Infinity, '1e400' as never])(
  'refuses %s, which is no number of an event',
  async (since) => {
    const logs = await openLogs()
    const refused = { code: 'validation_error', message: expect.stringContaining('"since" must be') }
    await expect(logs.list({ since })).rejects.toMatchObject(refused)
    expect(() => logs.follow({ since })).toThrow(expect.objectContaining(refused))
    await logs.close()
  },
)
