import type { StoreHarness } from '../conformance-case.ts'
import { type ConformanceCase, race, expectAborts, expectSame } from '@homeward/kit/testing'
import { storeCase } from '../conformance-case.ts'
import * as make from '../conformance-fixtures.ts'
import type { JournaledRuns } from './run-conformance-store.ts'
import { snapshotOf } from './run-conformance-store.ts'

const { at, finishOf, idsOf, leaseOf, runOf, stepOf, waitingStepOf } = make
const other = { owner: 'o2', until: at(60) }
const claimAt = (second: number, limit = 10) => ({ lease: other, now: at(second), limit })

/** Promises about who works on a run, part of `runStoreConformance`. */
export const leaseCases: readonly ConformanceCase<StoreHarness<JournaledRuns>>[] = [
  storeCase('A8: only the owner of a run writes it', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    await store.saveRunStep(stepOf('r1', { intents: [make.intentOf('k1')] }))
    const before = await snapshotOf(store, 'r1')
    const stranger = { owner: 'o2' }
    expectSame(await store.saveRunStep(stepOf('r1', stranger)), false, 'a step of another owner')
    const waiting = { ...waitingStepOf('r1', ['p1']), ...stranger }
    expectSame(await store.saveRunStep(waiting), false, 'a step of another owner that waits')
    const outcome = make.outcomeOf('k1')
    expectSame(
      await store.saveEffect({ runId: 'r1', ...stranger, outcome }),
      false,
      'an outcome of another owner',
    )
    expectSame(await store.finishRun(finishOf('r1', stranger)), false, 'an end by another owner')
    expectSame(await store.finishRun(finishOf('r1', { owner: undefined })), false, 'an end by nobody')
    expectSame(await snapshotOf(store, 'r1'), before, 'everything afterwards')
    expectSame(await store.finishRun(finishOf('r1')), true, 'the end by the owner')
    expectSame((await store.findRun('r1'))?.lease, undefined, 'the lease of a run that has ended')
  }),
  storeCase('A8: a run whose lease is over is taken over by one, however many try', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    await store.saveRunStep(stepOf('r1'))
    expectSame(await store.claimRuns(claimAt(19.999)), [], 'runs to take over before the lease is over')
    const claims = await race((index) =>
      store.claimRuns({ ...claimAt(20), lease: { owner: `c${index}`, until: at(60) } }),
    )
    const winner = claims.findIndex((runs) => runs.length > 0)
    expectSame(claims.flat().length, 1, 'how many took it over')
    const owner = `c${winner}`
    expectSame(claims[winner]?.[0], await store.findRun('r1'), 'the run as it is given')
    expectSame(claims[winner]?.[0]?.lease, { owner, until: at(60) }, 'its lease')
    expectSame(claims[winner]?.[0]?.progress, make.progressOf(1), 'how far it had come')
    expectSame(await store.saveRunStep(stepOf('r1')), false, 'a step of the one who lost it')
    expectSame(await store.saveRunStep(stepOf('r1', { owner })), true, 'a step of the new owner')
    expectSame((await store.listRunMessages('r1')).length, 2, 'how many messages it has')
  }),
  storeCase(
    'A8: takes over the oldest runs first, as many as are wanted, never those that do not run',
    async (store) => {
      for (const [id, second] of [
        ['b', 2],
        ['a', 2],
        ['c', 1],
        ['w', 0],
        ['e', 0],
        ['live', 0],
      ] as const) {
        const lease = id === 'live' ? leaseOf({ until: at(99) }) : leaseOf()
        await store.insertRun(runOf(id, { createdAt: at(second) }), lease, [])
      }
      await store.saveRunStep(waitingStepOf('w', ['p1']))
      await store.finishRun(finishOf('e'))
      expectSame(await store.claimRuns({ ...claimAt(30), id: 'live' }), [], 'one that somebody works on')
      expectSame(await store.claimRuns({ ...claimAt(30), id: 'w' }), [], 'one that waits')
      expectSame(idsOf(await store.claimRuns({ ...claimAt(30), id: 'b' })), ['b'], 'one by its id')
      expectSame(idsOf(await store.claimRuns(claimAt(30, 1))), ['c'], 'the oldest')
      expectSame(idsOf(await store.claimRuns(claimAt(30))), ['a'], 'the rest')
      expectSame(await store.claimRuns(claimAt(30)), [], 'nothing more')
      expectSame(
        idsOf(await store.claimRuns(claimAt(60))),
        ['c', 'a', 'b'],
        'all when the lease is over again',
      )
    },
  ),
  storeCase(
    'A8: renews the leases that the owner still has, and tells what is to be cancelled',
    async (store) => {
      for (const id of ['mine', 'lost', 'ended', 'waits', 'stop'])
        await store.insertRun(runOf(id), leaseOf(), [])
      await store.claimRuns({ ...claimAt(20), id: 'lost' })
      await store.finishRun(finishOf('ended'))
      await store.saveRunStep(waitingStepOf('waits', ['p1']))
      expectSame(await store.requestRunCancel('stop'), true, 'the request to cancel')
      const ids = ['mine', 'lost', 'ended', 'waits', 'stop', 'nothing']
      const { held, cancelRequested } = await store.renewRuns(leaseOf({ until: at(40) }), ids)
      expectSame([held.toSorted(), cancelRequested], [['mine', 'stop'], ['stop']], 'what is held')
      expectSame((await store.findRun('mine'))?.lease, leaseOf({ until: at(40) }), 'the new lease')
      expectSame((await store.findRun('lost'))?.lease, other, 'the lease of another')
      expectSame(await store.claimRuns(claimAt(39)), [], 'runs to take over')
      expectSame(await store.renewRuns(leaseOf(), []), { held: [], cancelRequested: [] }, 'renewing none')
    },
  ),
  storeCase('A8: renews hundreds of leases at once', async (store) => {
    const ids = Array.from({ length: 150 }, (_, index) => `r${index}`)
    for (const id of ids) await store.insertRun(runOf(id), leaseOf(), [])
    const { held } = await store.renewRuns(leaseOf({ until: at(40) }), ids)
    expectSame(held.toSorted(), ids.toSorted(), 'what is held')
    expectSame((await store.claimRuns(claimAt(30, 999))).length, 0, 'runs to take over')
  }),
  storeCase('A8: a run that was given back is taken over at once', async (store) => {
    for (const id of ['r1', 'r2', 'r3']) await store.insertRun(runOf(id), leaseOf(), [])
    await store.releaseRuns('o2', ['r1'])
    expectSame(await store.claimRuns(claimAt(1)), [], 'a run that another gave back')
    await store.releaseRuns('o1', ['nothing', 'r1', 'r3'])
    expectSame((await store.findRun('r1'))?.lease, undefined, 'the lease')
    expectSame(await store.saveRunStep(stepOf('r1')), false, 'a step of the one who gave it back')
    expectSame(idsOf(await store.claimRuns(claimAt(1))).toSorted(), ['r1', 'r3'], 'what is taken over')
    expectSame((await store.findRun('r2'))?.lease, leaseOf(), 'the other run')
  }),
  storeCase('a request to cancel reaches whoever works on the run', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    expectSame(await store.requestRunCancel('r1'), true, 'a run that runs')
    expectSame(await store.requestRunCancel('nothing'), false, 'none')
    expectSame((await store.findRun('r1'))?.cancelRequested, true, 'the run')
    expectSame(
      (await store.claimRuns(claimAt(20)))[0]?.cancelRequested,
      true,
      'the run when it is taken over',
    )
    await store.finishRun(finishOf('r1', { owner: 'o2', status: 'cancelled' }))
    expectSame(await store.requestRunCancel('r1'), false, 'a run that has ended')
    await store.insertRun(runOf('r2'), leaseOf(), [])
    await store.saveRunStep(waitingStepOf('r2', ['p2']))
    expectSame(await store.requestRunCancel('r2'), false, 'a run that waits')
    expectSame((await store.findRun('r2'))?.cancelRequested, false, 'the run that waits')
  }),
  storeCase('verbs on leases give up when their signal has aborted', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    await store.saveRunStep(stepOf('r1', { intents: [make.intentOf('k1')] }))
    const before = await snapshotOf(store, 'r1')
    await expectAborts({
      saveEffect: (signal) =>
        store.saveEffect({ runId: 'r1', owner: 'o1', outcome: make.outcomeOf('k1') }, signal),
      listEffects: (signal) => store.listEffects('r1', signal),
      renewRuns: (signal) => store.renewRuns(other, ['r1'], signal),
      claimRuns: (signal) => store.claimRuns(claimAt(99), signal),
      releaseRuns: (signal) => store.releaseRuns('o1', ['r1'], signal),
      requestRunCancel: (signal) => store.requestRunCancel('r1', signal),
    })
    expectSame(await snapshotOf(store, 'r1'), before, 'everything afterwards')
  }),
]
