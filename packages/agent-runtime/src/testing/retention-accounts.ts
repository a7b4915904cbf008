import type { Retention } from '../store/ports/retention.ts'
import { type ConformanceCase, expectSame, expectTrue } from '@homeward/kit/testing'
import { type StoreHarness, storeCase } from './conformance-case.ts'
import { at, finishOf, leaseOf, runOf, stepOf } from './conformance-fixtures.ts'
import type { RetentionConformanceStore } from './retention-conformance.ts'

export const drawn = { tokens: 10, microUsd: 1 }

/** Prunes until there is no more, which must not take long. */
export async function pruneAll(store: Retention, limits: Parameters<Retention['prune']>[0]): Promise<void> {
  for (let call = 0; call < 1000; call += 1) if (!(await store.prune(limits))) return
  expectTrue(false, 'that pruning comes to an end')
}

/** A run that began and ended in one second. */
export async function endRun(store: RetentionConformanceStore, id: string, second: number): Promise<void> {
  await store.insertRun(runOf(id, { createdAt: at(second) }), leaseOf(), [])
  await store.saveRunStep(stepOf(id))
  await store.finishRun(finishOf(id, { finishedAt: at(second) }))
}

/** Cases of {@link retentionConformance} about the accounts that runs draw from. */
export const retentionAccountCases: readonly ConformanceCase<StoreHarness<RetentionConformanceStore>>[] = [
  storeCase('removes the own account of a run with its steps', async (store) => {
    for (const [index, id] of ['old', 'new'].entries()) {
      await endRun(store, id, index * 100)
      await store.reserveBudget({ id: `${id}:1:1`, accounts: [{ key: `run:${id}` }], ...drawn })
    }
    const allowed = [{ key: 'run:old:continue' }]
    await store.reserveBudget({ id: 'old:continue:w', accounts: allowed, ...drawn })
    await pruneAll(store, { runStepsBefore: at(50) })
    expectSame((await store.readBudget('run:old')).tokens, 0, 'the account of the old run')
    expectSame((await store.readBudget('run:old:continue')).tokens, 0, 'what was allowed for the old run')
    expectSame((await store.readBudget('run:new')).tokens, 10, 'the account of the new run')
    await store.reserveBudget({ id: 'old:1:1', accounts: [{ key: 'other' }], ...drawn })
    expectSame((await store.readBudget('other')).tokens, 10, 'that the reservation is gone')
    await store.reserveBudget({ id: 'new:1:1', accounts: [{ key: 'other' }], ...drawn })
    expectSame((await store.readBudget('other')).tokens, 10, 'that the other one is known')
  }),
  storeCase('keeps the account of a run for as long as a run that it started goes on', async (store) => {
    await store.insertRun(runOf('child', { parentRunId: 'parent' }), leaseOf(), [])
    await endRun(store, 'parent', 0)
    const accounts = [{ key: 'run:parent' }]
    await store.reserveBudget({ id: 'child:1:1', accounts, ...drawn })
    await pruneAll(store, { runStepsBefore: at(10) })
    expectSame((await store.readBudget('run:parent')).tokens, 10, 'the account while the other run goes on')
    await store.finishRun(finishOf('child', { finishedAt: at(1) }))
    await pruneAll(store, { runsBefore: at(10) })
    expectSame((await store.readBudget('run:parent')).tokens, 0, 'the account when both have ended')
  }),
  storeCase('removes the account of a run with the last run that it started', async (store) => {
    for (const limit of ['runStepsBefore', 'runsBefore'] as const) {
      const [parent, child] = [`${limit}-parent`, `${limit}-child`]
      await store.insertRun(runOf(child, { parentRunId: parent }), leaseOf(), [])
      await endRun(store, parent, 0)
      await store.reserveBudget({ id: `${child}:1:1`, accounts: [{ key: `run:${parent}` }], ...drawn })
      await pruneAll(store, { [limit]: at(10) })
      expectSame((await store.readBudget(`run:${parent}`)).tokens, 10, `the account, ${limit}`)
      await store.finishRun(finishOf(child, { finishedAt: at(1) }))
      await pruneAll(store, { [limit]: at(10) })
      expectSame((await store.readBudget(`run:${parent}`)).tokens, 0, `the account in the end, ${limit}`)
    }
  }),
]
