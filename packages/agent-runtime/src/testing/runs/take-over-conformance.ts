import type { StoreHarness } from '../conformance-case.ts'
import { type ConformanceCase, expectSame } from '@homeward/kit/testing'
import { storeCase } from '../conformance-case.ts'
import { at, eventsOf, intentOf, leaseOf, runOf, stepOf } from '../conformance-fixtures.ts'
import type { JournaledRuns } from './run-conformance-store.ts'

/** Gives each owner in turn the run `r1`, when the lease of the one before is over. @returns what gives it to the next. */
async function startChain(store: JournaledRuns) {
  let minute = 0
  await store.insertRun(runOf('r1'), leaseOf({ until: at(60) }), [])
  return async (owner: string) => {
    minute += 1
    const lease = { owner, until: at(60 * (minute + 1)) }
    const [run] = await store.claimRuns({ lease, now: at(60 * minute), limit: 1 })
    return run?.takeOvers
  }
}

/** Promises about runs whose owners are gone, part of `runStoreConformance`. */
export const takeOverCases: readonly ConformanceCase<StoreHarness<JournaledRuns>>[] = [
  storeCase('A8: counts how often a run is left, from each message on anew', async (store) => {
    await store.insertRun(runOf('r0'), leaseOf({ until: at(9999) }), [])
    const takeOver = await startChain(store)
    expectSame(await takeOver('o2'), 1, 'without a message')
    expectSame(await takeOver('o3'), 2, 'again')
    expectSame((await store.findRun('r1'))?.takeOvers, 2, 'as it is found')
    await store.saveRunStep(stepOf('r1', { owner: 'o3' }))
    expectSame(await takeOver('o4'), 1, 'behind a message')
    const empty = { messages: [], stream: { firstSeq: 3, events: eventsOf(1) } }
    await store.saveRunStep(stepOf('r1', { owner: 'o4', ...empty, intents: [intentOf('k1')] }))
    expectSame(await takeOver('o5'), 2, 'behind a step without one')
    expectSame((await store.findRun('r0'))?.takeOvers, undefined, 'of a run that nobody left')
  }),
  storeCase(
    'A8: does not count a run as left that was given back, or is taken by its own owner',
    async (store) => {
      const takeOver = await startChain(store)
      await store.releaseRuns('o1', ['r1'])
      expectSame(await takeOver('o2'), undefined, 'given back')
      expectSame(await takeOver('o2'), undefined, 'by its own owner')
      expectSame(await takeOver('o3'), 1, 'left')
      await store.releaseRuns('o3', ['r1'])
      expectSame(await takeOver('o4'), 1, 'left before, then given back')
      await store.saveRunStep(stepOf('r1', { owner: 'o4' }))
      await store.releaseRuns('o4', ['r1'])
      expectSame(await takeOver('o5'), undefined, 'given back behind a message')
      expectSame(await takeOver('o6'), 1, 'left since')
    },
  ),
  storeCase('A8: knows how often a run was left when it is opened again', async (store, { reopen }) => {
    const before = await startChain(store)
    await before('o2')
    const again = (await reopen?.()) ?? store
    const [run] = await again.claimRuns({ lease: { owner: 'o3', until: at(999) }, now: at(500), limit: 1 })
    expectSame(run?.takeOvers, 2, 'the second time')
  }),
]
