import type { Graph } from '@homeward/contract/agent-platform'
import type { GraphStore } from '../ports/graph-store.ts'
import type { ConformanceCase, StoreHarness } from './conformance-case.ts'
import { race, storeCase } from './conformance-case.ts'
import { expectAborts, expectSame } from './conformance-expect.ts'
import { at, idsOf, oddText } from './conformance-fixtures.ts'

/** A graph of two nodes, made at second 0. */
function graphOf(id: string, changes: Partial<Graph> = {}): Graph {
  return {
    id,
    nodes: [
      { id: 'first', agent: 'a1', input: oddText, retries: 2, on_error: 'continue' },
      { id: 'second', agent: 'a2' },
    ],
    edges: [{ from: 'first', to: 'second', when: { contains: oddText } }],
    description: oddText,
    budget: { max_tokens: 1000, period: 'day' },
    schedule_enabled: true,
    created_at: at(0),
    updated_at: at(0),
    ...changes,
  }
}

/**
 * Everything that a `GraphStore` promises, as cases for any test runner.
 *
 * @example
 * for (const { name, run } of graphStoreConformance) it(name, () => run({ create: async () => ({ store: createMyStore() }) }))
 */
export const graphStoreConformance: readonly ConformanceCase<StoreHarness<GraphStore>>[] = [
  storeCase('A10: gives a graph back as it was', async (store) => {
    expectSame(await store.insertGraph(graphOf('g1')), true, 'the insertion')
    expectSame(await store.findGraph('g1'), graphOf('g1'), 'the graph')
    expectSame(await store.findGraph('G1'), undefined, 'a graph under another spelling')
    expectSame(await store.listGraphs(), [graphOf('g1')], 'the list')
  }),
  storeCase('A10: an id is given once, however many insertions race', async (store) => {
    const outcomes = await race((index) => store.insertGraph(graphOf('g1', { name: `n${index}` })))
    const winner = outcomes.indexOf(true)
    expectSame(outcomes.filter(Boolean).length, 1, 'how many insertions succeeded')
    expectSame((await store.findGraph('g1'))?.name, `n${winner}`, 'the graph that is kept')
    expectSame(await store.insertGraph(graphOf('g1', { name: 'late' })), false, 'a late insertion')
    expectSame((await store.findGraph('g1'))?.name, `n${winner}`, 'the graph after it')
  }),
  storeCase('A10: replaces a graph as a whole, and only one that is there', async (store) => {
    const { description: _, ...plain } = graphOf('g1', { edges: [], updated_at: at(5) })
    expectSame(await store.replaceGraph(plain), false, 'replacing none')
    expectSame(await store.listGraphs(), [], 'the list after replacing none')
    await store.insertGraph(graphOf('g1'))
    await store.insertGraph(graphOf('g2'))
    expectSame(await store.replaceGraph(plain), true, 'replacing one')
    expectSame(await store.listGraphs(), [plain, graphOf('g2')], 'the list')
  }),
  storeCase('A10: deletes a graph once, however many deletions race', async (store) => {
    await store.insertGraph(graphOf('g1'))
    await store.insertGraph(graphOf('g2'))
    const outcomes = await race(() => store.deleteGraph('g1'))
    expectSame(outcomes.filter(Boolean).length, 1, 'how many deletions succeeded')
    expectSame(await store.findGraph('g1'), undefined, 'the deleted graph')
    expectSame(idsOf(await store.listGraphs()), ['g2'], 'the list')
    expectSame(await store.insertGraph(graphOf('g1')), true, 'a new graph under the id')
  }),
  storeCase('A10: lists graphs oldest first, then by id', async (store) => {
    for (const [id, second] of [
      ['c', 1],
      ['b', 2],
      ['a', 2],
      ['d', 0],
    ] as const) {
      await store.insertGraph(graphOf(id, { created_at: at(second) }))
    }
    expectSame(idsOf(await store.listGraphs()), ['d', 'c', 'a', 'b'], 'the order')
  }),
  storeCase('a graph does not change with the object it was given or gave', async (store) => {
    const given = graphOf('g1')
    await store.insertGraph(given)
    given.edges.length = 0
    const found = await store.findGraph('g1')
    found?.nodes.pop()
    expectSame(await store.findGraph('g1'), graphOf('g1'), 'the graph')
  }),
  storeCase('verbs on graphs give up when their signal has aborted', async (store) => {
    await store.insertGraph(graphOf('g1'))
    await expectAborts({
      insertGraph: (signal) => store.insertGraph(graphOf('g2'), signal),
      replaceGraph: (signal) => store.replaceGraph(graphOf('g1', { name: 'new' }), signal),
      deleteGraph: (signal) => store.deleteGraph('g1', signal),
      findGraph: (signal) => store.findGraph('g1', signal),
      listGraphs: (signal) => store.listGraphs(signal),
    })
    expectSame(await store.listGraphs(), [graphOf('g1')], 'the list afterwards')
  }),
  storeCase('graphs are still there when the storage is opened again', async (store, { reopen }) => {
    await store.insertGraph(graphOf('g1'))
    if (reopen === undefined) return
    expectSame(await (await reopen()).listGraphs(), [graphOf('g1')], 'the list')
  }),
]
