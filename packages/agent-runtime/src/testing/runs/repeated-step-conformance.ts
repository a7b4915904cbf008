import type { StoreHarness } from '../conformance-case.ts'
import { type ConformanceCase, expectSame } from '@homeward/kit/testing'
import { storeCase } from '../conformance-case.ts'
import * as make from '../conformance-fixtures.ts'
import type { JournaledRuns } from './run-conformance-store.ts'
import { snapshotOf } from './run-conformance-store.ts'

const { at, eventsOf, intentOf, leaseOf, outcomeOf, progressOf, runOf, stepOf } = make

const isRepeat = true
/** Behind {@link make.stepOf}. */
const second = stepOf('r1', {
  messages: [{ role: 'tool', results: [{ id: 'k1', name: 'time', result: make.oddText }] }],
  stream: { firstSeq: 3, events: eventsOf(1) },
  progress: progressOf(2),
  intents: [intentOf('k1')],
})

/** Promises about writes that are made again because nobody knows whether they were kept, part of `runStoreConformance`. */
export const repeatedStepCases: readonly ConformanceCase<StoreHarness<JournaledRuns>>[] = [
  storeCase('A8: a step that was kept and is made again is kept once', async (store, { reopen }) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    for (const step of [stepOf('r1'), second]) {
      await store.saveRunStep(step)
      const before = await snapshotOf(store, 'r1')
      expectSame(await store.saveRunStep({ ...step, isRepeat }), true, 'the repeat')
      expectSame(await snapshotOf(store, 'r1'), before, 'everything afterwards')
    }
    await store.saveEffect({ runId: 'r1', owner: make.owner, outcome: outcomeOf('k1') })
    const before = await snapshotOf(store, 'r1')
    const again = (await reopen?.()) ?? store
    expectSame(await again.saveRunStep({ ...second, isRepeat }), true, 'a repeat behind an outcome')
    expectSame(await snapshotOf(again, 'r1'), before, 'everything behind that')
  }),
  storeCase('A8: a step that was not kept and is made again is kept', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    expectSame(await store.saveRunStep(stepOf('r1', { isRepeat })), true, 'the first step')
    // Each is told from the one before by one thing only.
    const steps = [
      { ...second, messages: [] },
      second,
      { ...second, intents: [intentOf('k2')] },
      { ...second, intents: [intentOf('k2')], progress: progressOf(3) },
      { ...second, intents: [], stream: { firstSeq: 3, events: [] }, progress: progressOf(3) },
      { ...second, intents: [], stream: { firstSeq: 4, events: [] }, progress: progressOf(3) },
    ]
    for (const [index, step] of steps.entries()) {
      expectSame(await store.saveRunStep({ ...step, isRepeat }), true, `step ${index}`)
    }
    expectSame((await store.listEvents({ limit: 99 })).length, 7, 'the journal')
    expectSame((await store.listRunMessages('r1')).length, 6, 'the messages')
    await store.saveRunStep(steps[5] ?? second)
    expectSame((await store.listEvents({ limit: 99 })).length, 8, 'the journal with one that is no repeat')
  }),
  storeCase('A20: a step that waits and is made again is kept once', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    await store.insertRun(runOf('r2'), leaseOf(), [])
    const waiting = make.waitingStepOf('r1', ['p1'])
    await store.saveRunStep(waiting)
    const before = await snapshotOf(store, 'r1')
    expectSame(await store.saveRunStep({ ...waiting, isRepeat }), true, 'the repeat')
    expectSame(await snapshotOf(store, 'r1'), before, 'everything afterwards')
    expectSame(await store.saveRunStep({ ...stepOf('r1'), isRepeat }), false, 'one that does not wait')
    const other = { ...make.waitingStepOf('r2', ['p2']), isRepeat }
    expectSame(await store.saveRunStep(other), true, 'one that was not kept')
    expectSame((await store.findRun('r2'))?.status, 'waiting', 'its run')
  }),
  storeCase('A8: a step that is made again is refused when somebody else has the run', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf({ until: at(1) }), [])
    await store.saveRunStep(stepOf('r1'))
    await store.claimRuns({ lease: { owner: 'o2', until: at(60) }, now: at(2), limit: 1 })
    expectSame(await store.saveRunStep(stepOf('r1', { isRepeat })), false, 'the repeat')
    await store.finishRun(make.finishOf('r1', { owner: 'o2' }))
    expectSame(await store.saveRunStep(stepOf('r1', { isRepeat })), false, 'a repeat when it has ended')
    expectSame((await store.listRunMessages('r1')).length, 2, 'the messages')
    expectSame(await store.saveRunStep(stepOf('nothing', { isRepeat })), false, 'a repeat for no run')
  }),
]
