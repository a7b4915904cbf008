import type { ConformanceCase, StoreHarness } from './conformance-case.ts'
import { storeCase } from './conformance-case.ts'
import { expectSame } from './conformance-expect.ts'
import { at, idsOf } from './conformance-fixtures.ts'
import type { JournaledTasks } from './task-fixtures.ts'
import { addTasks, claimOf, endRun, startRun, taskOf } from './task-fixtures.ts'

/** What a `TaskStore` promises about the runs of tasks whose owner is gone. */
export const taskRunConformance: readonly ConformanceCase<StoreHarness<JournaledTasks>>[] = [
  storeCase(
    'A7, A8: the run of a task that gets no further attempt is asked to stop, with those below it',
    async (store) => {
      const spent = { maxAttempts: 1 }
      await addTasks(store, [
        taskOf('last', spent),
        taskOf('cancelled'),
        taskOf('again'),
        taskOf('done', spent),
      ])
      await store.claimTasks(claimOf({ limit: 4 }))
      for (const id of ['last', 'cancelled', 'again', 'done']) {
        await startRun(store, `r-${id}`)
        await store.setTaskRun(id, 'o1', `r-${id}`)
      }
      await startRun(store, 'below', 'r-last')
      await startRun(store, 'further-below', 'below')
      await endRun(store, 'r-done')
      await store.cancelTask('cancelled', at(2))
      await store.reclaimTasks({ now: at(30), limit: 9 })
      const stopped = async (id: string) => (await store.findRun(id))?.cancelRequested
      for (const id of ['r-last', 'below', 'further-below', 'r-cancelled'])
        expectSame(await stopped(id), true, `whether ${id} is asked to stop`)
      expectSame(await stopped('r-again'), false, 'whether the run of a further attempt is asked to stop')
      const done = await store.findTask('done')
      expectSame([done?.status, done?.parked], ['running', true], 'a task whose run had ended')
      expectSame(idsOf(await store.listSettleableTasks(9)), ['done'], 'what can be settled')
    },
  ),
]
