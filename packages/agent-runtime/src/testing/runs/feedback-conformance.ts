import { type ConformanceCase, expectAborts, expectSame } from '@homeward/kit/testing'
import type { FeedbackFilter, FeedbackStore, StoredFeedback } from '../../store/ports/feedback-store.ts'
import type { RunStore } from '../../store/ports/run-store.ts'
import { storeCase, type StoreHarness } from '../conformance-case.ts'
import { at, idsOf, leaseOf, runOf } from '../conformance-fixtures.ts'

type Store = FeedbackStore & Pick<RunStore, 'insertRun' | 'listRuns'>

const feedbackOf = (runId: string, changes: Partial<StoredFeedback> = {}): StoredFeedback => ({
  runId,
  rating: 'up',
  createdAt: at(1),
  ...changes,
})

async function withRuns(store: Store): Promise<void> {
  for (const [second, id] of ['r1', 'r2', 'r3'].entries())
    await store.insertRun(runOf(id, { createdAt: at(second) }), leaseOf(), [])
}

/** Everything that a `FeedbackStore` promises, as cases for any test runner. */
export const feedbackStoreConformance: readonly ConformanceCase<StoreHarness<Store>>[] = [
  storeCase('stores one feedback of each user and run, the newest', async (store) => {
    await withRuns(store)
    const own = feedbackOf('r1', { userId: 'ann', rating: 'down', comment: 'Too "long".', createdAt: at(2) })
    expectSame(await store.saveFeedback(feedbackOf('r1')), true, 'feedback')
    expectSame(await store.saveFeedback({ ...own, rating: 'up', createdAt: at(1) }), true, 'of a user')
    expectSame(await store.saveFeedback(own), true, 'changed')
    expectSame(await store.saveFeedback(feedbackOf('r9')), false, 'on a missing run')
    await store.saveFeedback(feedbackOf('r2'))
    expectSame(await store.listFeedback(['r1', 'r3']), [feedbackOf('r1'), own], 'the list')
    expectSame(await store.deleteFeedback({ runId: 'r1' }), true, 'deleting one')
    expectSame(await store.deleteFeedback({ runId: 'r1', userId: 'bob' }), false, 'deleting a missing one')
    expectSame(await store.listFeedback(['r1']), [own], 'the rest')
  }),
  storeCase('finds runs by their feedback', async (store) => {
    await withRuns(store)
    await store.saveFeedback(feedbackOf('r1', { rating: 'down', userId: 'ann' }))
    await store.saveFeedback(feedbackOf('r3'))
    await store.saveFeedback(feedbackOf('r3', { userId: 'ann' }))
    const found = async (feedback: FeedbackFilter) =>
      idsOf((await store.listRuns({ feedback }, { limit: 9 })).rows)
    expectSame(await found({}), ['r3', 'r1'], 'any')
    expectSame(await found({ rating: 'down' }), ['r1'], 'down')
    expectSame(await found({ rating: 'up', userId: 'ann' }), ['r3'], 'up, of a user')
    expectSame(await found({ userId: 'bob' }), [], 'of a user without any')
  }),
  storeCase('verbs on feedback give up when their signal has aborted', async (store) => {
    await withRuns(store)
    await expectAborts({
      save: (signal) => store.saveFeedback(feedbackOf('r1'), signal),
      delete: (signal) => store.deleteFeedback({ runId: 'r1' }, signal),
      list: (signal) => store.listFeedback(['r1'], signal),
    })
    expectSame(await store.listFeedback(['r1']), [], 'the list afterwards')
  }),
]
