import type { Journal } from '../ports/journal.ts'
import type { ConformanceCase, StoreHarness } from './conformance-case.ts'
import { race, storeCase } from './conformance-case.ts'
import { expectAborts, expectSame } from './conformance-expect.ts'
import { at, journalOf } from './conformance-fixtures.ts'

const all = { limit: 1000 }

/**
 * Everything that a `Journal` promises, as cases for any test runner.
 *
 * @example
 * for (const { name, run } of journalConformance) it(name, () => run({ create: async () => ({ store: createMyJournal() }) }))
 */
export const journalConformance: readonly ConformanceCase<StoreHarness<Journal>>[] = [
  storeCase('A14: numbers events in the order of writing and gives them back as they were', async (store) => {
    expectSame(await store.appendEvents([]), 0, 'the number of no event')
    const { runId: _, ...plain } = journalOf('r1', { type: 'skill.changed', timestamp: at(0) })
    const last = await store.appendEvents([journalOf('r1'), plain])
    const [first, second] = await store.listEvents(all)
    const { runId, ...event } = journalOf('r1')
    expectSame(first, { ...event, run_id: runId, seq: first?.seq }, 'the first event')
    expectSame(second, { ...plain, seq: last }, 'the second event')
    expectSame((first?.seq ?? 0) < last, true, 'that numbers grow')
    expectSame(await store.appendEvents([]), last, 'the last number')
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
  storeCase('an event does not change with the object it was given or gave', async (store) => {
    const event = journalOf('r1', { data: { list: [1] } })
    await store.appendEvents([event])
    event.data['list'] = [2]
    const [found] = await store.listEvents(all)
    if (found !== undefined) found.data['list'] = [3]
    expectSame((await store.listEvents(all))[0]?.data, { list: [1] }, 'the event')
  }),
  storeCase('verbs of the journal give up when their signal has aborted', async (store) => {
    await store.appendEvents([journalOf('r1')])
    await expectAborts({
      appendEvents: (signal) => store.appendEvents([journalOf('r2')], signal),
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
