import type { RunSort } from '@homeward/contract/agent-platform'
import { type ConformanceCase, expectCode, expectSame } from '@homeward/kit/testing'
import type { StoreHarness } from '../conformance-case.ts'
import { storeCase } from '../conformance-case.ts'
import * as make from '../conformance-fixtures.ts'
import type { JournaledRuns } from './run-conformance-store.ts'

const { at, finishOf, idsOf, leaseOf, progressOf, runOf } = make

/** Adds runs that ended: when each was created, how long it took, and what it cost. */
async function addEnded(store: JournaledRuns): Promise<void> {
  const rows = [
    ['a', 1, 500, 30],
    ['b', 2, 9000, undefined],
    ['c', 3, 500, 70],
    ['d', 4, 10, 30],
    ['e', 5, 700, undefined],
  ] as const
  for (const [id, second, durationMs, microUsd] of rows) {
    await store.insertRun(runOf(id, { createdAt: at(second), task: `task ${id}` }), leaseOf(), [])
    const progress = microUsd === undefined ? progressOf(1) : { ...progressOf(1), cost: { microUsd } }
    await store.finishRun(finishOf(id, { durationMs, progress, searched: [`task ${id}`, 'Über café'] }))
  }
  const partial = { ...progressOf(1), cost: { microUsd: 99, isPartial: true } }
  await store.insertRun(runOf('f', { createdAt: at(0), task: 'invoice of May' }), leaseOf(), [])
  await store.finishRun(finishOf('f', { durationMs: 1, progress: partial, searched: ['invoice', 'Paid.'] }))
  await store.insertRun(runOf('g', { createdAt: at(6), task: 'Find the invoice' }), leaseOf(), [])
}

/** Promises about the orders and the words of lists of runs, part of `runStoreConformance`. */
export const listCases: readonly ConformanceCase<StoreHarness<JournaledRuns>>[] = [
  storeCase('lists runs by time, cost and duration, page by page', async (store) => {
    await addEnded(store)
    const orders: Record<RunSort, string> = {
      '-created_at': 'gedcbaf',
      created_at: 'fabcdeg',
      '-cost': 'cdagebf',
      '-duration': 'becadfg',
    }
    for (const [name, expected] of Object.entries(orders)) {
      const sort = name as RunSort // one of the keys above
      for (const limit of [1, 2, 3, 9]) {
        const rows = await make.readAll((cursor) => store.listRuns({ sort }, { limit, cursor }))
        expectSame(idsOf(rows).join(''), expected, `${name}, ${limit} at once`)
      }
    }
    const { nextCursor: cursor } = await store.listRuns({ sort: '-cost' }, { limit: 1 })
    for (const sort of ['-duration', 'created_at', undefined] as const)
      await expectCode(
        () => store.listRuns({ sort }, { limit: 1, cursor }),
        'validation_error',
        'a cursor of another order',
      )
  }),
  storeCase('lists and counts runs by how they were started', async (store) => {
    const rows = [
      ['a', 'chat', 'pear'],
      ['b', 'schedule', 'pear'],
      ['c', 'chat', 'apple'],
      ['d', 'rerun', 'apple'],
      ['e', 'chat', 'apple'],
    ] as const
    for (const [place, [id, source, task]] of rows.entries())
      await store.insertRun(runOf(id, { source, task, createdAt: at(place) }), leaseOf(), [])
    await store.insertRun(make.graphRunOf('f', { source: 'graph', createdAt: at(9) }), leaseOf(), [])
    await store.finishRun(finishOf('b', { durationMs: 5, searched: ['pear'] }))
    const list = async (filter: Parameters<typeof store.listRuns>[0]) =>
      idsOf(await make.readAll((cursor) => store.listRuns(filter, { limit: 2, cursor }))).join('')
    expectSame((await store.findRun('b'))?.source, 'schedule', 'the source of a run')
    expectSame(await list({ source: 'chat' }), 'eca', 'one source, page by page')
    expectSame(await list({ source: 'task' }), '', 'a source without runs')
    expectSame(await list({ source: 'chat', text: 'pear' }), 'a', 'one source with a word')
    expectSame(await list({ source: 'schedule', sort: '-duration' }), 'b', 'one source in another order')
    const all = { chat: 3, schedule: 1, rerun: 1, graph: 1 }
    expectSame(await store.countRunSources({}), all, 'all sources')
    expectSame(
      await store.countRunSources({ source: 'chat', sort: '-cost' }),
      all,
      'with a source and an order',
    )
    expectSame(await store.countRunSources({ text: 'pear' }), { chat: 1, schedule: 1 }, 'with a word')
    expectSame(await store.countRunSources({ from: at(2), to: at(9) }), { chat: 2, rerun: 1 }, 'in a range')
    expectSame(await store.countRunSources({ graphId: 'g1' }), { graph: 1 }, 'of a graph')
    expectSame(await store.countRunSources({ status: 'completed' }), { schedule: 1 }, 'with a status')
    expectSame(await store.countRunSources({ text: '!?' }), {}, 'of no word')
  }),
  storeCase('counts runs by time, and failed ones by error', async (store) => {
    const early = '2026-03-01T08:09:59.999Z'
    const late = '2026-03-01T08:10:00.000Z'
    const failed = (id: string, error: string, microUsd?: number) => {
      const progress = microUsd === undefined ? progressOf(1) : { ...progressOf(1), cost: { microUsd } }
      const result = { ...make.resultOf(id), success: false, error, code: 'timeout' }
      return store.finishRun(finishOf(id, { status: 'failed', result, progress }))
    }
    for (const [id, createdAt, more] of [
      ['a', early, {}],
      ['b', late, { userId: 'u1', parentRunId: 'a' }],
      ['c', late, { userId: 'u1' }],
      ['d', late, { userId: 'u2' }],
      ['e', late, {}],
    ] as const)
      await store.insertRun(runOf(id, { createdAt, ...more }), leaseOf(), [])
    await failed('b', 'Too long.', 30)
    await failed('c', 'Too long.', 12)
    await failed('d', 'Too "long".')
    const times = [
      { start: '2026-03-01T08:00:00.000Z', status: 'running' as const, count: 1 },
      { start: late, status: 'failed' as const, count: 3 },
      { start: late, status: 'running' as const, count: 1 },
    ]
    expectSame(await store.countRunTimes({}), times, 'all times')
    expectSame(
      await store.countRunTimes({ status: 'failed', userId: 'u1' }),
      [{ ...times[1]!, count: 2 }],
      'some',
    )
    expectSame(await store.countRunTimes({ text: '!?' }), [], 'times of no word')
    const of = { agentId: 'a1', graphId: null, code: 'timeout', lastAt: at(9) }
    const long = {
      ...of,
      userId: 'u1',
      error: 'Too long.',
      count: 2,
      parts: 1,
      microUsd: 42,
      newest: `${late} c`,
    }
    const quoted = {
      ...of,
      userId: 'u2',
      error: 'Too "long".',
      count: 1,
      parts: 0,
      microUsd: null,
      newest: `${late} d`,
    }
    const errors = (await store.countFailures({})).toSorted((one, other) => other.count - one.count)
    expectSame(errors, [long, quoted], 'all errors')
    expectSame(await store.countFailures({ status: 'running', userId: 'u2' }), [quoted], 'errors of a user')
    expectSame(await store.countFailures({ from: at(9_000_000) }), [], 'errors of a time')
  }),
  storeCase('lists runs of a user, and of some agents and graphs', async (store) => {
    const rows = [
      ['a', 'u1', 'a1'],
      ['b', 'u2', 'a1'],
      ['c', 'u1', 'a2'],
      ['d', undefined, 'a2'],
    ] as const
    for (const [place, [id, userId, agentId]] of rows.entries()) {
      const user = userId !== undefined && { userId }
      await store.insertRun(runOf(id, { agentId, ...user, createdAt: at(place) }), leaseOf(), [])
    }
    await store.insertRun(make.graphRunOf('e', { userId: 'u1', createdAt: at(9) }), leaseOf(), [])
    const list = async (filter: Parameters<typeof store.listRuns>[0]) =>
      idsOf(await make.readAll((cursor) => store.listRuns(filter, { limit: 2, cursor }))).join('')
    expectSame(await list({ userId: 'u1' }), 'eca', 'of a user')
    expectSame(await list({ userId: 'u1', agentId: 'a1' }), 'a', 'of a user and an agent')
    expectSame(await list({ userId: 'u3' }), '', 'of another user')
    expectSame(await list({ within: { agentIds: ['a1', 'a3'], graphIds: [] } }), 'ba', 'of some agents')
    expectSame(await list({ within: { agentIds: ['a2'], graphIds: ['g1'] } }), 'edc', 'of graphs, too')
    expectSame(await list({ within: { agentIds: [], graphIds: [] } }), '', 'of none')
    const within = { agentIds: ['a2'], graphIds: ['g1'] }
    expectSame(
      (await store.listRuns({ userId: 'u1', within }, { limit: 2 })).nextCursor,
      undefined,
      'a full page',
    )
  }),
  storeCase('shows each run once in the order of cost, while others end', async (store) => {
    await addEnded(store)
    const cost = { microUsd: 20 }
    const end = async (pages: number) => {
      if (pages === 4) await store.finishRun(finishOf('g', { progress: { ...progressOf(1), cost } }))
    }
    const seen = await make.readAll((cursor) => store.listRuns({ sort: '-cost' }, { limit: 1, cursor }), end)
    expectSame(idsOf(seen).join(''), 'cdagebf', 'all pages')
  }),
  storeCase('finds runs by the words of their task and output, by time and by cost', async (store) => {
    await addEnded(store)
    const list = async (filter: Parameters<typeof store.listRuns>[0]) =>
      idsOf(await make.readAll((cursor) => store.listRuns(filter, { limit: 2, cursor }))).join('')
    expectSame(await list({ text: 'INVOICE' }), 'gf', 'a word of tasks, of a run that works too')
    expectSame(await list({ text: 'uber cafe' }), 'edcba', 'words of outputs, without accents')
    expectSame(await list({ text: 'cafe task c' }), 'c', 'words of both')
    expectSame(await list({ text: 'invoice may' }), '', 'a word that the end took out')
    expectSame(await list({ text: 'invoic' }), '', 'a part of a word')
    expectSame(await list({ text: 'Invoic*' }), 'gf', 'the beginning of a word')
    expectSame(await list({ text: 'ub caf*' }), '', 'only the last word may be a beginning')
    expectSame(await list({ text: 'uber caf* ' }), 'edcba', 'whole words and a beginning')
    expectSame(await list({ text: '!?"*' }), '', 'no word')
    expectSame(await list({ text: 'cafe', sort: '-cost' }), 'cdaeb', 'words in the order of cost')
    expectSame(await list({ text: 'task', agentId: 'a2' }), '', 'words of another agent')
    expectSame(await list({ from: at(2), to: at(4) }), 'cb', 'a range of time')
    expectSame(await list({ minMicroUsd: 30, sort: 'created_at' }), 'acd', 'a least cost')
    expectSame(await list({ minMicroUsd: 31, sort: '-cost' }), 'c', 'a least cost in the order of cost')
  }),
]
