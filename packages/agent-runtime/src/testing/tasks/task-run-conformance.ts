import type { StoreHarness } from '../conformance-case.ts'
import { type ConformanceCase, expectSame } from '@homeward/kit/testing'
import { storeCase } from '../conformance-case.ts'
import { at, idsOf } from '../conformance-fixtures.ts'
import type { JournaledTasks } from './task-fixtures.ts'
import { addTasks, claimOf, endRun, outcomes, settlementOf, startRun, taskOf } from './task-fixtures.ts'

/** What a `TaskStore` promises about the runs of tasks that end without them. */
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
  storeCase(
    'A7: an attempt that leaves its run asks it to stop, unless it waits or has ended: then that is the outcome',
    async (store) => {
      const ids = ['last', 'done', 'unnamed']
      await addTasks(
        store,
        ids.map((id) => taskOf(id, { maxAttempts: 1 })),
      )
      await store.claimTasks(claimOf({ limit: 3 }))
      for (const id of ['last', 'done']) {
        await startRun(store, `r-${id}`)
        await store.setTaskRun(id, 'o1', `r-${id}`)
      }
      await startRun(store, 'below', 'r-last')
      await endRun(store, 'r-done')
      for (const id of ids) {
        await store.settleTask(settlementOf(id, { ...outcomes.failed, stopsRun: true }))
      }
      const tasks = await Promise.all(ids.map((id) => store.findTask(id)))
      const states = tasks.map((task) => [task?.status, task?.parked, task?.failure?.code, task?.lease])
      expectSame(
        states,
        [
          ['failed', false, 'run_error', undefined],
          ['running', true, undefined, undefined],
          ['failed', false, 'run_error', undefined],
        ],
        'the tasks',
      )
      for (const id of ['r-last', 'below']) {
        expectSame((await store.findRun(id))?.cancelRequested, true, `whether ${id} is asked to stop`)
      }
      expectSame(idsOf(await store.listSettleableTasks(9)), ['done'], 'what can be settled')
    },
  ),
]
