import type { StoreHarness } from '../conformance-case.ts'
import { type ConformanceCase, race, expectSame } from '@homeward/kit/testing'
import { storeCase } from '../conformance-case.ts'
import * as make from '../conformance-fixtures.ts'
import type { JournaledRuns } from './run-conformance-store.ts'

const { at, finishOf, intentOf, leaseOf, outcomeOf, runOf, stepOf, waitingStepOf } = make
const mine = { runId: 'r1', owner: 'o1' }

/** Promises about the effect ledger, part of `runStoreConformance`. */
export const effectCases: readonly ConformanceCase<StoreHarness<JournaledRuns>>[] = [
  storeCase(
    'A8: the ledger has the calls of the newest step, and how those ended that have',
    async (store) => {
      await store.insertRun(runOf('r1'), leaseOf(), [])
      await store.insertRun(runOf('r2'), leaseOf(), [])
      expectSame(await store.listEffects('r1'), [], 'the ledger of a run without a step')
      const intents = [intentOf('k2'), intentOf('k1', { repeat: 'once' })]
      await store.saveRunStep(stepOf('r1', { intents }))
      await store.saveRunStep(stepOf('r2', { intents: [intentOf('k1')] }))
      expectSame(await store.listEffects('r1'), intents, 'the calls, in their order')
      expectSame(await store.saveEffect({ ...mine, outcome: outcomeOf('k1') }), true, 'an outcome')
      const known = [intents[0], { ...intentOf('k1', { repeat: 'once' }), outcome: outcomeOf('k1') }]
      expectSame(await store.listEffects('r1'), known, 'the calls with an outcome')
      expectSame(await store.listEffects('r2'), [intentOf('k1')], 'those of another run')
      await store.saveRunStep(stepOf('r1', { stream: { firstSeq: 3, events: [] } }))
      expectSame(await store.listEffects('r1'), [], 'the ledger behind the step that has them all')
      await store.saveRunStep(
        stepOf('r1', { intents: [intentOf('k1')], stream: { firstSeq: 3, events: [] } }),
      )
      expectSame(await store.listEffects('r1'), [intentOf('k1')], 'a call of the same key in a later step')
    },
  ),
  storeCase('A8: outcomes of parallel calls are all kept, however they race', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    const intents = Array.from({ length: 8 }, (_, index) => intentOf(`k${index}`))
    await store.saveRunStep(stepOf('r1', { intents }))
    const saved = await race((index) => store.saveEffect({ ...mine, outcome: outcomeOf(`k${index}`) }))
    expectSame(saved, Array(8).fill(true), 'the outcomes')
    const known = intents.map((intent) => ({ ...intent, outcome: outcomeOf(intent.key) }))
    expectSame(await store.listEffects('r1'), known, 'the ledger')
    const again = outcomeOf('k3', { untrusted: true })
    expectSame(await store.saveEffect({ ...mine, outcome: again }), true, 'an outcome once more')
    expectSame((await store.listEffects('r1'))[3]?.outcome, again, 'the one that counts')
  }),
  storeCase('A8: the ledger knows which calls wait for an answer, until they end', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    const intents = [intentOf('k1'), intentOf('k2', { repeat: 'once' })]
    await store.saveRunStep(stepOf('r1', { intents }))
    const parked = { key: 'k2', isParked: true } as const
    expectSame(await store.saveEffect({ ...mine, outcome: parked }), true, 'a call that waits')
    expectSame(await store.listEffects('r1'), [intents[0], { ...intents[1], isParked: true }], 'the ledger')
    expectSame(await store.saveEffect({ ...mine, outcome: outcomeOf('k2') }), true, 'its end')
    expectSame(
      await store.listEffects('r1'),
      [intents[0], { ...intents[1], outcome: outcomeOf('k2') }],
      'its end',
    )
  }),
  storeCase('A8: a call may bring its outcome along, and a step may wait with its calls', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    const intents = [intentOf('k1'), { ...intentOf('k2'), outcome: outcomeOf('k2') }]
    await store.saveRunStep({ ...waitingStepOf('r1', ['p1']), intents })
    expectSame(await store.listEffects('r1'), intents, 'the ledger')
    await store.settleWait(make.verdictOf('r1', 'p1'))
    expectSame(
      await store.saveEffect({ ...mine, outcome: outcomeOf('k1') }),
      false,
      'an outcome while it waits',
    )
    expectSame(await store.resumeRun('r1', leaseOf()), true, 'going on')
    expectSame(await store.listEffects('r1'), intents, 'the ledger of the run that goes on')
  }),
  storeCase(
    'A8: the ledger survives a change of the owner, and ends with the run',
    async (store, { reopen }) => {
      await store.insertRun(runOf('r1'), leaseOf(), [])
      await store.saveRunStep(stepOf('r1', { intents: [intentOf('k1'), intentOf('k2')] }))
      await store.saveEffect({ ...mine, outcome: outcomeOf('k1') })
      const before = await store.listEffects('r1')
      const next = (await reopen?.()) ?? store
      const lease = { owner: 'o2', until: at(60) }
      await next.claimRuns({ lease, now: at(30), limit: 1 })
      expectSame(await next.listEffects('r1'), before, 'the ledger for the new owner')
      const late = { ...mine, outcome: outcomeOf('k2') }
      expectSame(await next.saveEffect(late), false, 'an outcome by the one who lost the run')
      expectSame(await next.saveEffect({ ...late, owner: 'o2' }), true, 'an outcome by the new owner')
      await next.finishRun(finishOf('r1', { owner: 'o2' }))
      expectSame(await next.listEffects('r1'), [], 'the ledger of a run that has ended')
      expectSame(await next.saveEffect({ ...late, owner: 'o2' }), false, 'an outcome when it has ended')
      expectSame(await next.saveEffect({ ...late, runId: 'nothing' }), false, 'an outcome for no run')
    },
  ),
]
