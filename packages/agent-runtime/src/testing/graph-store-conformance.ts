import type { Graph } from '@homeward/contract/agent-platform'
import type { GraphStore } from '../store/ports/graph-store.ts'
import type { StoreHarness } from './conformance-case.ts'
import type { ConformanceCase } from '@homeward/kit/testing'
import { at, oddText } from './conformance-fixtures.ts'
import { definitionCases } from './definition-cases.ts'

/** A graph with every kind of node, made at second 0. */
function graphOf(id: string, changes: Partial<Graph> = {}): Graph {
  return {
    id,
    nodes: [
      { id: 'first', agent: 'a1', input: oddText, retries: 2, on_error: 'continue' },
      { id: 'second', agent: 'a2' },
      { id: 'third', function: 'g/third', map: { over: 'first', path: '/a~1b', concurrency: 2 } },
      { id: 'fourth', graph: 'other' },
    ],
    edges: [
      { from: 'first', to: 'second', when: { contains: oddText } },
      { from: 'first', to: 'third', when: { data: { const: oddText } } },
    ],
    description: oddText,
    budget: { max_tokens: 1000, period: 'day' },
    schedule_enabled: true,
    created_at: at(0),
    updated_at: at(0),
    ...changes,
  }
}

/**
 * Conformance cases for a `GraphStore`, for any test runner.
 *
 * @example
 * for (const { name, run } of graphStoreConformance) it(name, () => run({ create: async () => ({ store: createMyStore() }) }))
 */
export const graphStoreConformance: readonly ConformanceCase<StoreHarness<GraphStore>>[] = definitionCases<
  GraphStore,
  Graph
>({
  decision: 'A10',
  one: 'a graph',
  many: 'graphs',
  create: graphOf,
  withoutField(graph) {
    const { description: _, ...rest } = graph
    return { ...rest, edges: [] }
  },
  spoil(graph) {
    graph.edges.length = 0
    graph.nodes.pop()
  },
  verbsOf: (store) => ({
    insert: (graph, signal) => store.insertGraph(graph, undefined, signal),
    replace: (graph, signal) => store.replaceGraph(graph, undefined, signal),
    remove: (id, signal) => store.deleteGraph(id, undefined, signal),
    find: store.findGraph.bind(store),
    list: store.listGraphs.bind(store),
  }),
})
