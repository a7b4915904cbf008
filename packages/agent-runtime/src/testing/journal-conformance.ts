import type { Journal } from '../store/ports/journal.ts'
import type { StoreHarness } from './conformance-case.ts'
import { type ConformanceCase, race, expectAborts, expectSame } from '@homeward/kit/testing'
import { storeCase } from './conformance-case.ts'
import { at, journalOf } from './conformance-fixtures.ts'

const all = { limit: 1000 }

/**
 * Conformance cases for a `Journal`, for any test runner.
 *
 * @example
 * for (const { name, run } of journalConformance) it(name, () => run({ create: async () => ({ store: createMyJournal() }) }))
 */
export const journalConformance: readonly ConformanceCase<StoreHarness<Journal>>[] = [
  storeCase('A14: numbers events in the order of writing and gives them back as they were', async (store) => {
    expectSame(await store.appendEvents([]), 0, 'the number of no event')
    expectSame(await store.lastEventSeq(), 0, 'the last number of nothing')
    const { runId: _, ...plain } = journalOf('r1', { type: 'skill.changed', timestamp: at(0) })
    const last = await store.appendEvents([journalOf('r1'), plain])
    const [first, second] = await store.listEvents(all)
    const { runId, ...event } = journalOf('r1')
    expectSame(first, { ...event, run_id: runId, seq: first?.seq }, 'the first event')
    expectSame(second, { ...plain, seq: last }, 'the second event')
    expectSame((first?.seq ?? 0) < last, true, 'that numbers grow')
    expectSame(await store.appendEvents([]), last, 'the last number')
    expectSame(await store.lastEventSeq(), last, 'the last number, by its own verb')
  }),
  storeCase('A14: gives every event its own number, however many writers race', async (store) => {
    const lasts = await race((index) =>
      store.appendEvents([journalOf(`r${index}`), journalOf(`r${index}`), journalOf(`r${index}`)]),
    )
    const events = await store.listEvents(all)
    const numbers = events.map(({ seq }) => seq)
    expectSame(new Set(numbers).size, 24, 'how many numbers there are')
    expectSame(
      numbers,
      numbers.toSorted((a, b) => a - b),
      'the order',
    )
    for (const [index, last] of lasts.entries()) {
      const own = events.filter(({ run_id }) => run_id === `r${index}`).map(({ seq }) => seq)
      expectSame(own, [last - 2, last - 1, last], 'the numbers of one writer')
    }
  }),
  storeCase('A14: lists the newest events, or with `since` those behind it, oldest first', async (store) => {
    for (let index = 0; index < 6; index += 1) {
      const type = index % 2 === 0 ? 'tool.called' : 'agent.started'
      await store.appendEvents([journalOf(index < 3 ? 'r1' : 'r2', { type, data: { index } })])
    }
    const list = async (filter: Omit<Parameters<typeof store.listEvents>[0], 'limit'>, limit = 100) =>
      (await store.listEvents({ ...filter, limit })).map(({ data }) => data['index'])
    const [first] = await store.listEvents(all)
    const since = (first?.seq ?? 0) + 1
    expectSame(await list({}, 2), [4, 5], 'the newest two')
    expectSame(await list({ since: 0 }, 2), [0, 1], 'the first two')
    expectSame(await list({ since }), [2, 3, 4, 5], 'those behind the second')
    expectSame(await list({ since: since + 100 }), [], 'those behind the end')
    expectSame(await list({ type: 'tool.called' }, 2), [2, 4], 'the newest of a type')
    expectSame(await list({ type: 'tool.called', since }), [2, 4], 'those of a type behind the second')
    expectSame(await list({ runId: 'r1' }), [0, 1, 2], 'those of a run')
    expectSame(await list({ runId: 'r1', type: 'agent.started' }), [1], 'those of a run and a type')
    expectSame(await list({ runId: 'r2', since: since + 2 }, 1), [4], 'the next of a run')
    expectSame(await list({ runId: 'r3' }), [], 'those of another run')
  }),
  storeCase('A14: lists events of any of several types, frequent ones or not', async (store) => {
    const types = [
      'tool.called',
      'agent.started',
      'model.completed',
      'skill.changed',
      'agent.completed',
    ] as const
    for (let index = 0; index < 10; index += 1) {
      const type = types[index % 5] ?? 'tool.called'
      await store.appendEvents([journalOf(index < 5 ? 'r1' : 'r2', { type, data: { index } })])
    }
    const list = async (filter: Omit<Parameters<typeof store.listEvents>[0], 'limit'>, limit = 100) =>
      (await store.listEvents({ ...filter, limit })).map(({ data }) => data['index'])
    const [first] = await store.listEvents(all)
    const since = first?.seq ?? 0
    const rare = ['agent.started', 'skill.changed', 'unknown']
    const mixed = ['tool.called', 'agent.completed']
    expectSame(await list({ types: rare }), [1, 3, 6, 8], 'rare ones')
    expectSame(await list({ types: rare }, 3), [3, 6, 8], 'the newest rare ones')
    expectSame(await list({ types: rare, since }, 3), [1, 3, 6], 'the next rare ones')
    expectSame(await list({ types: mixed }), [0, 4, 5, 9], 'frequent ones too')
    expectSame(await list({ types: mixed }, 3), [4, 5, 9], 'the newest of them')
    expectSame(await list({ types: mixed, since }, 2), [4, 5], 'the next of them')
    expectSame(await list({ types: [...rare, ...rare], runId: 'r2' }), [6, 8], 'those of a run')
    expectSame(await list({ types: mixed, runId: 'r2' }, 1), [9], 'the newest of a run')
    expectSame(await list({ types: [] }), [], 'those of no type')
  }),
  storeCase('A14: gives every event of a run, however far apart they are', async (store) => {
    const wanted: number[] = []
    for (let index = 0; index < 30; index += 1) {
      const others = Array.from({ length: 37 }, (_, place) => journalOf(`other-${index}-${place % 3}`))
      await store.appendEvents(others)
      wanted.push(await store.appendEvents([journalOf('r1', { data: { index } })]))
    }
    const list = async (filter: { since?: number; limit: number; type?: string }) =>
      (await store.listEvents({ ...filter, runId: 'r1' })).map(({ seq }) => seq)
    expectSame(await list({ limit: 99 }), wanted, 'all of them')
    expectSame(await list({ limit: 7 }), wanted.slice(-7), 'the newest')
    expectSame(await list({ limit: 5, since: wanted[9] ?? 0 }), wanted.slice(10, 15), 'the next ones')
    expectSame(await list({ limit: 99, since: (wanted[28] ?? 0) + 1 }), wanted.slice(29), 'the last one')
    expectSame(await list({ limit: 3, type: 'skill.changed' }), [], 'those of another type')
    expectSame(await store.lastEventSeq(), wanted.at(-1), 'the last number')
  }),
  storeCase('an event does not change with the object it gave', async (store) => {
    await store.appendEvents([journalOf('r1', { data: { list: [1] } })])
    const [found] = await store.listEvents(all)
    if (found !== undefined) found.data['list'] = [3]
    expectSame((await store.listEvents(all))[0]?.data, { list: [1] }, 'the event')
  }),
  storeCase('verbs of the journal give up when their signal has aborted', async (store) => {
    await store.appendEvents([journalOf('r1')])
    await expectAborts({
      appendEvents: (signal) => store.appendEvents([journalOf('r2')], signal),
      lastEventSeq: (signal) => store.lastEventSeq(signal),
      listEvents: (signal) => store.listEvents(all, signal),
    })
    expectSame((await store.listEvents(all)).length, 1, 'how many events there are')
  }),
  storeCase('the journal goes on when the storage is opened again', async (store, { reopen }) => {
    const last = await store.appendEvents([journalOf('r1'), journalOf('r1')])
    const before = await store.listEvents(all)
    if (reopen === undefined) return
    const again = await reopen()
    expectSame(await again.listEvents(all), before, 'the events')
    expectSame((await again.appendEvents([journalOf('r1')])) > last, true, 'that numbers go on growing')
  }),
]
