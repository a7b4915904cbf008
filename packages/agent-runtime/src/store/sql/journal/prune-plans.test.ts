import { afterEach, expect, it } from 'vitest'
import type { RuntimeStore } from '../../ports/runtime-store.ts'
import { createSqliteStore } from '../../sqlite/index.ts'
import { at } from '../../../testing/conformance-fixtures.ts'
import { claimOf, outcomes, settlementOf, taskOf } from '../../../testing/tasks/task-fixtures.ts'

let store: RuntimeStore
afterEach(() => store.close())

it('removes a bounded number of tasks at once, the oldest first', async () => {
  store = createSqliteStore({ path: ':memory:' })
  for (let index = 0; index < 200; index += 1) await store.insertTask(taskOf(`t${index}`), [])
  for (const [index, { id }] of (
    await store.claimTasks(claimOf({ limit: 200, perSubject: 200 }))
  ).entries()) {
    await store.settleTask(settlementOf(id, outcomes.completed, { now: at(index) }))
  }
  expect(await store.prune({ tasksBefore: at(1000) })).toBe(true)
  const { rows } = await store.listTasks({}, { limit: 500 })
  expect(rows.map(({ id }) => id).toReversed()).toEqual(rows.map((_, index) => `t${index + 128}`))
  expect(await store.prune({ tasksBefore: at(1000) })).toBe(false)
})
