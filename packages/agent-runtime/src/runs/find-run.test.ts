import { expect, it, vi } from 'vitest'
import { createTestStore } from '../testing/create-test-store.ts'
import { createKit } from './testing/run-kit.ts'

it('C11: lists runs as they are found one by one, and reads each of them once', async () => {
  const store = createTestStore()
  const { runs, run } = createKit({ store, steps: Array.from({ length: 15 }, () => ({ text: 'Done.' })) })
  const ids: string[] = []
  for (let count = 0; count < 15; count += 1) ids.unshift((await run()).run_id)
  const expected = await Promise.all(ids.map((id) => runs.find(id)))
  const findRun = vi.spyOn(store, 'findRun')
  const listWaitsOf = vi.spyOn(store, 'listWaitsOf')

  const first = await runs.list({ limit: 12 })
  expect(listWaitsOf).toHaveBeenCalledOnce()
  const rest = await runs.list({ limit: 12, cursor: first.nextCursor })
  expect([...first.runs, ...rest.runs].map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
  expect([...first.runs, ...rest.runs]).toEqual(expect.arrayContaining(expected))
  expect(rest.nextCursor).toBeUndefined()
  expect(findRun).not.toHaveBeenCalled()
})

it('C11: ends a page of runs early where their tasks are large', async () => {
  const { runs, run } = createKit({ steps: Array.from({ length: 12 }, () => ({ text: 'Done.' })) })
  for (let count = 0; count < 12; count += 1) await run('x'.repeat(1_000_000))
  const page = await runs.list({ limit: 500 })
  expect(page.runs).toHaveLength(10)
  expect((await runs.list({ limit: 500, cursor: page.nextCursor })).runs).toHaveLength(2)
})
