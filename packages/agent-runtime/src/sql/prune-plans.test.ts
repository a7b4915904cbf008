import { afterEach, expect, it } from 'vitest'
import type { RuntimeStore } from '../ports/runtime-store.ts'
import { createSqliteStore } from '../sqlite/index.ts'
import { at, finishOf, leaseOf, runOf, stepOf } from '../testing/conformance-fixtures.ts'
import { claimOf, outcomes, settlementOf, taskOf } from '../testing/task-fixtures.ts'

let store: RuntimeStore
afterEach(() => store.close())

it('keeps the account of a run for as long as a run that it started goes on', async () => {
  store = createSqliteStore({ path: ':memory:' })
  await store.insertRun(runOf('parent'), leaseOf(), [])
  await store.insertRun(runOf('child', { parentRunId: 'parent' }), leaseOf(), [])
  const accounts = [{ key: 'run:parent' }]
  await store.reserveBudget({ id: 'child:1:1', accounts, tokens: 10, microUsd: 1 })
  await store.saveRunStep(stepOf('parent'))
  await store.finishRun(finishOf('parent', { finishedAt: at(0) }))
  while (await store.prune({ runStepsBefore: at(10) }));
  expect((await store.readBudget('run:parent')).tokens).toBe(10)
  await store.finishRun(finishOf('child', { finishedAt: at(1) }))
  while (await store.prune({ runsBefore: at(10) }));
  expect((await store.readBudget('run:parent')).tokens).toBe(0)
})

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
