import type { WhatIfRun } from '@homeward/contract/agent-platform'
import { type ConformanceCase, expectAborts, expectSame, race } from '@homeward/kit/testing'
import type { NewWhatIf, WhatIfStore } from '../../store/ports/what-if-store.ts'
import { storeCase, type StoreHarness } from '../conformance-case.ts'
import { agentOf, at, oddText } from '../conformance-fixtures.ts'

const whatIfOf = (id: string): NewWhatIf => ({
  id,
  agentId: 'a1',
  changes: { personality: oddText },
  agent: agentOf('a1'),
  runIds: ['r1', 'r2'],
  createdAt: at(0),
})
const playedOf = (runId: string): WhatIfRun => ({
  run_id: runId,
  verdict: 'different',
  calls: { added: 1, removed: 0, changed: 2 },
  output: oddText,
  output_before: '',
})
const claimOf = (owner: string, second: number) => ({ owner, now: at(second), until: at(second + 10) })

/** Everything that a `WhatIfStore` promises, as cases for any test runner. */
export const whatIfStoreConformance: readonly ConformanceCase<StoreHarness<WhatIfStore>>[] = [
  storeCase('gives a what-if to one process until its lease ends', async (store) => {
    expectSame(await store.insertWhatIf(whatIfOf('w1'), 9), undefined, 'the insertion')
    expectSame(
      await store.findWhatIf('w1'),
      { ...whatIfOf('w1'), status: 'running', runs: [] },
      'what is stored',
    )
    const claimed = await race((index) => store.claimWhatIf(claimOf(`o${index}`, 1)))
    const winner = claimed.findIndex((one) => one !== undefined)
    expectSame(claimed.filter(Boolean).length, 1, 'how many have it')
    const first = { ...whatIfOf('w1'), status: 'running', runs: [], attempts: 1 }
    expectSame(claimed[winner], first, 'what was claimed')
    const own = { id: 'w1', owner: `o${winner}`, until: at(20) }
    expectSame(await store.saveWhatIf({ ...own, run: playedOf('r1') }), true, 'a run')
    expectSame(await store.claimWhatIf(claimOf('other', 15)), undefined, 'a claim before the lease ends')
    const again = { ...first, runs: [playedOf('r1')], attempts: 2 }
    expectSame(await store.claimWhatIf(claimOf('other', 20)), again, 'a claim after it')
    expectSame(await store.saveWhatIf({ ...own, run: playedOf('r2') }), false, 'a run of the one before')
    const other = { id: 'w1', owner: 'other', until: at(40) }
    await store.saveWhatIf({ ...other, run: playedOf('r2') })
    expectSame(await store.saveWhatIf({ ...other, status: 'completed' }), true, 'the end')
    const ended = { ...whatIfOf('w1'), status: 'completed', runs: [playedOf('r1'), playedOf('r2')] }
    expectSame(await store.findWhatIf('w1'), ended, 'what is stored at the end')
    expectSame(await store.claimWhatIf(claimOf('third', 90)), undefined, 'a claim of what has ended')
    expectSame(await store.saveWhatIf(other), false, 'a write after the end')
  }),
  storeCase('stores the newest what-ifs that have ended', async (store) => {
    for (const id of ['w1', 'w2', 'w3']) {
      await store.insertWhatIf(whatIfOf(id), 1)
      if (id === 'w2') continue
      const claimed = await store.claimWhatIf(claimOf(id, 0))
      await store.saveWhatIf({ id: claimed?.id ?? '', owner: id, until: at(99), status: 'failed' })
    }
    await store.insertWhatIf(whatIfOf('w4'), 1)
    const left = await Promise.all(['w1', 'w2', 'w3', 'w4'].map((id) => store.findWhatIf(id)))
    expectSame(left[0], undefined, 'the oldest')
    expectSame(left[3]?.id, 'w4', 'the newest')
  }),
  storeCase('verbs on what-ifs give up when their signal has aborted', async (store) => {
    await store.insertWhatIf(whatIfOf('w1'), 9)
    await expectAborts({
      insert: (signal) => store.insertWhatIf(whatIfOf('w2'), 9, signal),
      claim: (signal) => store.claimWhatIf(claimOf('o', 0), signal),
      save: (signal) => store.saveWhatIf({ id: 'w1', owner: '', until: at(1) }, signal),
      find: (signal) => store.findWhatIf('w1', signal),
    })
    expectSame(await store.findWhatIf('w2'), undefined, 'what was not stored')
  }),
]
