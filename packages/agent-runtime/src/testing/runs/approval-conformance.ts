import type { StoreHarness } from '../conformance-case.ts'
import { type ConformanceCase, race, expectSame } from '@homeward/kit/testing'
import { storeCase } from '../conformance-case.ts'
import {
  approvalOf,
  at,
  finishOf,
  leaseOf,
  oddText,
  resultOf,
  runOf,
  stepOf,
  verdictOf,
  waitingStepOf,
} from '../conformance-fixtures.ts'
import type { JournaledRuns } from './run-conformance-store.ts'
import { snapshotOf } from './run-conformance-store.ts'

const decidedAs = (decision: 'approve' | 'deny') => {
  const { data, status, settledAt, settledBy } = verdictOf('r1', 'p1', decision)
  return { status, ...(data !== undefined && { data }), settledAt, settledBy }
}

/** Promises about approvals, part of `runStoreConformance`. */
export const approvalCases: readonly ConformanceCase<StoreHarness<JournaledRuns>>[] = [
  storeCase('A20: a step that waits keeps its approvals and stops the run', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    expectSame(await store.saveRunStep(waitingStepOf('r1', ['p2', 'p1'])), true, 'the step')
    const run = await store.findRun('r1')
    const result = resultOf('r1', { stop_reason: 'approval' })
    expectSame([run?.status, run?.result, run?.finishedAt], ['waiting', result, undefined], 'the run')
    expectSame(run?.lease, undefined, 'the lease of a run that waits')
    const approvals = [approvalOf('r1', 'p2'), approvalOf('r1', 'p1')]
    expectSame(await store.listWaitsOf(['r1']), approvals, 'the approvals, in the order they were asked for')
    expectSame(await store.saveRunStep(stepOf('r1')), false, 'a step while it waits')
    expectSame((await store.listRunMessages('r1')).length, 1, 'the messages')
  }),
  storeCase('A20: lists the approvals of several runs at once', async (store) => {
    const ids = Array.from({ length: 70 }, (_, index) => `r${index}`)
    for (const id of ids) await store.insertRun(runOf(id), leaseOf(), [])
    for (const id of ['r9', 'r3', 'r69']) await store.saveRunStep(waitingStepOf(id, ['p2', 'p1']))
    const found = await store.listWaitsOf([...ids, 'r3', 'nothing'])
    for (const id of ['r3', 'r9', 'r69']) {
      const expected = [approvalOf(id, 'p2'), approvalOf(id, 'p1')]
      expectSame(
        found.filter(({ runId }) => runId === id),
        expected,
        'those of a run',
      )
    }
    expectSame(found.length, 6, 'how many there are')
    expectSame(await store.listWaitsOf([]), [], 'those of no run')
  }),
  storeCase('A20: a run that was to be cancelled before it waited is so when it goes on', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    expectSame(await store.requestRunCancel('r1'), true, 'the request')
    await store.saveRunStep(waitingStepOf('r1', ['p1']))
    await store.settleWait(verdictOf('r1', 'p1'))
    expectSame(await store.resumeRun('r1', leaseOf()), true, 'going on')
    const renewed = await store.renewRuns(leaseOf(), ['r1'])
    expectSame(renewed.cancelRequested, ['r1'], 'what its owner hears with the next renewal')
  }),
  storeCase('A20: an approval is decided once, however many decisions race', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    await store.saveRunStep(waitingStepOf('r1', ['p1', 'p2']))
    const outcomes = await race((index) =>
      store.settleWait(verdictOf('r1', 'p1', index % 2 === 0 ? 'approve' : 'deny')),
    )
    const winner = outcomes.findIndex(({ outcome }) => outcome === 'settled')
    const decided = { ...approvalOf('r1', 'p1'), ...decidedAs(winner % 2 === 0 ? 'approve' : 'deny') }
    expectSame(outcomes[winner], { outcome: 'settled', wait: decided, open: 1 }, 'the decision')
    const others = outcomes.filter((_, index) => index !== winner)
    expectSame(
      others,
      Array.from({ length: 7 }, () => ({ outcome: 'already', wait: decided })),
      'what the others get',
    )
    expectSame(await store.listWaitsOf(['r1']), [decided, approvalOf('r1', 'p2')], 'the approvals')
    expectSame((await store.listEvents({ type: 'approval.resolved', limit: 9 })).length, 1, 'the journal')
  }),
  storeCase('A20: counts what is still open, and knows no approval of another run', async (store) => {
    for (const id of ['r1', 'r2']) {
      await store.insertRun(runOf(id), leaseOf(), [])
      await store.saveRunStep(waitingStepOf(id, ['p1', `${id}-only`]))
    }
    const before = await snapshotOf(store, 'r1')
    for (const verdict of [verdictOf('r1', 'r2-only'), verdictOf('r1', 'p9'), verdictOf('r9', 'p1')]) {
      expectSame(await store.settleWait(verdict), { outcome: 'unknown' }, 'the outcome')
    }
    expectSame(await snapshotOf(store, 'r1'), before, 'everything afterwards')
    const { data: _, settledBy: __, ...silent } = verdictOf('r1', 'p1')
    const declined = { ...silent, status: 'declined' } as const
    const wait = { ...approvalOf('r1', 'p1'), status: 'declined', settledAt: at(5) }
    expectSame(await store.settleWait(declined), { outcome: 'settled', wait, open: 1 }, 'the first one')
    const last = await store.settleWait(verdictOf('r1', 'r1-only'))
    expectSame(last.outcome === 'settled' && last.open, 0, 'what is open in the end')
    expectSame((await store.listWaitsOf(['r2']))[0]?.status, 'open', 'the other run')
  }),
  storeCase('A20: a run goes on once, when nothing of it is open, whoever asks', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    expectSame(await store.resumeRun('r1', leaseOf()), false, 'a run that runs')
    expectSame(await store.resumeRun('nothing', leaseOf()), false, 'none')
    await store.saveRunStep(waitingStepOf('r1', ['p1', 'p2']))
    await store.settleWait(verdictOf('r1', 'p1'))
    expectSame(await race(() => store.resumeRun('r1', leaseOf())), Array(8).fill(false), 'while one is open')
    await store.settleWait(verdictOf('r1', 'p2', 'deny'))
    const outcomes = await race(() => store.resumeRun('r1', leaseOf()))
    expectSame(outcomes.filter(Boolean).length, 1, 'how many may go on')
    const run = await store.findRun('r1')
    expectSame([run?.status, run?.result, run?.task], ['running', undefined, oddText], 'the run')
    expectSame(run?.lease, leaseOf(), 'its lease')
    expectSame(
      await store.saveRunStep(stepOf('r1', { stream: { firstSeq: 3, events: [] } })),
      true,
      'its next step',
    )
  }),
  storeCase('A20: a run that ends while it waits cancels what is open', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    await store.saveRunStep(waitingStepOf('r1', ['p1', 'p2']))
    await store.settleWait(verdictOf('r1', 'p1'))
    expectSame(
      await store.finishRun(finishOf('r1', { owner: undefined, status: 'cancelled' })),
      true,
      'the end',
    )
    const [first, second] = await store.listWaitsOf(['r1'])
    expectSame([first?.status, first?.settledBy], ['answered', oddText], 'what was decided')
    expectSame([second?.status, second?.settledAt], ['cancelled', at(9)], 'what was open')
    expectSame((await store.settleWait(verdictOf('r1', 'p2'))).outcome, 'already', 'a late decision')
    expectSame(await store.resumeRun('r1', leaseOf()), false, 'going on')
    expectSame((await store.findRun('r1'))?.status, 'cancelled', 'the run')
  }),
]
