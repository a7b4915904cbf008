import type { AgentStore } from '../store/ports/agent-store.ts'
import type { StoreSignal, StoreSignals } from '../store/ports/store-signal.ts'
import type { StoreHarness } from './conformance-case.ts'
import { type ConformanceCase, expectSame, expectTrue } from '@homeward/kit/testing'
import { storeCase } from './conformance-case.ts'
import * as make from './conformance-fixtures.ts'
import type { JournaledRuns } from './runs/run-conformance-store.ts'

type SignallingStore = JournaledRuns & AgentStore & StoreSignals

const { finishOf, journalOf, leaseOf, runOf, stepOf, waitingStepOf } = make

/** What a store tells while a call runs, each signal once: `run r1`, `journal`, ... in order. */
async function toldBy(store: StoreSignals, call: () => Promise<unknown>): Promise<string[]> {
  const told = new Set<string>()
  const end = store.subscribe((signal) => told.add(toName(signal)))
  await call()
  end()
  return [...told].toSorted()
}

const toName = (signal: StoreSignal) => (signal.topic === 'run' ? `run ${signal.runId}` : signal.topic)

async function expectTold(
  store: StoreSignals,
  call: () => Promise<unknown>,
  expected: readonly string[],
  what: string,
): Promise<void> {
  const told = await toldBy(store, call)
  for (const name of expected)
    expectTrue(told.includes(name), `that ${what} tells ${name} (got ${told.join(', ')})`)
}

/** What a store promises of `subscribe`, part of `runtimeStoreConformance`. */
export const signalCases: readonly ConformanceCase<StoreHarness<SignallingStore>>[] = [
  storeCase('tells of what happens to runs, of the journal and of definitions', async (store) => {
    const step = () => store.saveRunStep(stepOf('r1'))
    await store.insertRun(runOf('r1'), leaseOf(), [])
    await expectTold(store, step, ['run r1', 'journal'], 'a step')
    await expectTold(store, () => store.requestRunCancel('r1'), ['run r1'], 'a request to cancel')
    await expectTold(store, () => store.releaseRuns('o1', ['r1']), ['run r1'], 'giving back')
    await store.claimRuns({ lease: leaseOf(), now: make.at(0), limit: 1 })
    await store.saveRunStep(waitingStepOf('r1', ['p1']))
    const decide = () => store.settleWait(make.verdictOf('r1', 'p1'))
    await expectTold(store, decide, ['run r1', 'journal'], 'a decision')
    const finish = () => store.finishRun(finishOf('r1', { owner: undefined }))
    await expectTold(store, finish, ['run r1', 'journal', 'task'], 'an end')
    await expectTold(store, () => store.appendEvents([journalOf('r1')]), ['journal'], 'appending')
    await expectTold(store, () => store.insertAgent(make.agentOf('a1')), ['definition'], 'a new agent')
    await expectTold(store, () => store.replaceAgent(make.agentOf('a1')), ['definition'], 'a changed agent')
    await expectTold(store, () => store.deleteAgent('a1'), ['definition'], 'a deleted agent')
  }),
  storeCase('what a signal tells of can be read by then', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    const seen: Promise<unknown>[] = []
    const end = store.subscribe(({ topic }) => {
      if (topic === 'run') seen.push(store.listRunMessages('r1').then(({ length }) => length))
      if (topic === 'journal') seen.push(store.lastEventSeq().then((seq) => seq > 0))
    })
    await store.saveRunStep(stepOf('r1'))
    const read = await Promise.all(seen)
    expectSame(
      [read.includes(1), read.includes(true), read.length],
      [true, true, 2],
      'what the listener read',
    )
    end()
    await store.saveRunStep(stepOf('r1', { stream: { firstSeq: 3, events: [] } }))
    expectSame(seen.length, 2, 'how often it was told when it had ended')
  }),
  storeCase('a write that was refused tells nothing, and reading does not', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    const told = await toldBy(store, async () => {
      await store.saveRunStep(stepOf('r1', { owner: 'o2' }))
      await store.finishRun(finishOf('r1', { owner: 'o2' }))
      await store.requestRunCancel('nothing')
      await store.appendEvents([])
      await store.findRun('r1')
      await store.listEvents({ limit: 1 })
    })
    expectSame(told, [], 'what was told')
  }),
  storeCase('everybody who listens is told, also when another one fails', async (store) => {
    const calls: string[] = []
    const ends = [
      store.subscribe(() => {
        throw new Error('a listener that fails')
      }),
      store.subscribe(({ topic }) => calls.push(topic)),
    ]
    const last = await store.appendEvents([journalOf('r1')])
    expectSame([last > 0, calls], [true, ['journal']], 'what happened')
    for (const end of ends) end()
    for (const end of ends) end()
  }),
]
