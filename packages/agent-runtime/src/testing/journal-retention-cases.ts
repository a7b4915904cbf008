import { type ConformanceCase, expectSame, expectTrue } from '@homeward/kit/testing'
import type { Journal } from '../store/ports/journal.ts'
import type { Retention } from '../store/ports/retention.ts'
import { type StoreHarness, storeCase } from './conformance-case.ts'
import { at, journalOf } from './conformance-fixtures.ts'

type JournalWithRetention = Retention & Journal

/** What `Retention` promises of the journal. */
export const journalRetentionCases: readonly ConformanceCase<StoreHarness<JournalWithRetention>>[] = [
  storeCase('A14: removes events from before a time, and never the newest one', async (store) => {
    for (const second of [0, 10, 20, 30])
      await store.appendEvents([journalOf('r1', { timestamp: at(second) })])
    const last = await store.lastEventSeq()
    await pruneAll(store, { journalBefore: at(20) })
    expectSame(await timesOf(store), [at(20), at(30)], 'the events that stay')
    await pruneAll(store, { journalBefore: at(1000) })
    expectSame(await timesOf(store), [at(30)], 'that the newest one stays')
    expectSame(await store.lastEventSeq(), last, 'its number')
    expectSame(await store.appendEvents([journalOf('r1')]), last + 1, 'the number of the next one')
  }),
  storeCase('A14: removes the oldest events when there are too many', async (store) => {
    const many = Array.from({ length: 1500 }, (_, index) => journalOf('r1', { timestamp: at(index) }))
    await store.appendEvents(many)
    await pruneAll(store, { journalEvents: 3 })
    expectSame(await timesOf(store), [at(1497), at(1498), at(1499)], 'the events that stay')
    await pruneAll(store, { journalEvents: 1, journalBefore: at(0) })
    expectSame(await timesOf(store), [at(1499)], 'the newest event')
  }),
  storeCase('A14: finds by its id what is left of a run, and what comes behind that', async (store) => {
    const ofRun = async () => idsIn(await store.listEvents({ runId: 'r1', limit: 1000 }))
    const left = async () => {
      const all = await store.listEvents({ limit: 1000 })
      return idsIn(all.filter(({ run_id: runId }) => runId === 'r1'))
    }
    // of a clock that was ahead: it stays, whatever comes behind it
    await store.appendEvents([journalOf('r2', { timestamp: at(100_000) })])
    await store.appendEvents(
      Array.from({ length: 400 }, (_, index) => journalOf('r1', { timestamp: at(index) })),
    )
    await pruneAll(store, { journalBefore: at(200) })
    expectSame(await ofRun(), await left(), 'the events of a run that stay')
    await store.appendEvents([journalOf('r2', { timestamp: at(400) })])
    await pruneAll(store, { journalEvents: 1 })
    await store.appendEvents([journalOf('r1', { timestamp: at(500) })])
    expectSame(await ofRun(), await left(), 'what came of a run of which nothing was left')
  }),
]

/** Calls it until there is no more, which must not take long. */
export async function pruneAll(store: Retention, limits: Parameters<Retention['prune']>[0]): Promise<void> {
  for (let call = 0; call < 1000; call += 1) if (!(await store.prune(limits))) return
  expectTrue(false, 'that pruning comes to an end')
}

const idsIn = (events: readonly { readonly seq: number }[]) => events.map(({ seq }) => seq)

async function timesOf(store: Journal): Promise<string[]> {
  return (await store.listEvents({ limit: 1000 })).map(({ timestamp }) => timestamp)
}
