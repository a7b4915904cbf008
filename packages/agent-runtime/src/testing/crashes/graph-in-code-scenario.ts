import type { Json } from '@homeward/contract/agent-platform'
import { defineGraph } from '../../graphs/graph-definition.ts'
import type { NodeFunctionContext } from '../../ports/node-function.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import type { CrashScenario } from './scenario.ts'

/** A call of a function. */
interface Call {
  readonly node: string
  readonly key: string
  readonly wasInterrupted: boolean
}

/** Two graphs whose functions do something outside: one call at a time. */
function createGraphs(cross: SimulatedProcess['cross'], calls: Call[]) {
  const act = (context: NodeFunctionContext, result: Json) =>
    cross(`function.${context.nodeId}`, async () => {
      const { graphId, nodeId, idempotencyKey: key, wasInterrupted } = context
      calls.push({ node: `${graphId} ${nodeId}`, key, wasInterrupted })
      return result
    })
  const inner = defineGraph({
    id: 'inner',
    nodes: [{ id: 'last', run: ({ text }, context) => act(context, `(${text})`) }],
  })
  const outer = defineGraph({
    id: 'outer',
    nodes: [
      { id: 'plan', run: (_, context) => act(context, { parts: ['a', 'b'] }) },
      {
        id: 'each',
        map: { over: 'plan', path: '/parts', concurrency: 1 },
        run: ({ item = null }, context) => act(context, { item }),
      },
      { id: 'ask', agent: 'worker', input: 'Work on {{each}}' },
      { id: 'end', graph: inner },
      { id: 'never', run: (_, context) => act(context, 'never') },
    ],
    edges: [
      { from: 'plan', to: 'each' },
      { from: 'each', to: 'ask' },
      { from: 'ask', to: 'end' },
      { from: 'each', to: 'never', when: { data: { maxItems: 1 } } },
    ],
  })
  return [inner, outer]
}

/** What is wrong with the calls of functions, of which at most one was under way at the crash. */
function problemsOf(calls: readonly Call[]): string[] {
  const repeated = calls.filter(({ node }, index) => calls.findIndex((each) => each.node === node) < index)
  const problems = repeated.flatMap(({ node, wasInterrupted }) =>
    wasInterrupted ? [] : [`the function ${node} was called again, and not told that it was interrupted`],
  )
  if (repeated.length > 1) problems.push(`${repeated.length} functions were called again`)
  const keys = Map.groupBy(calls, ({ key }) => key)
  if ([...keys.values()].some((same) => new Set(same.map(({ node }) => node)).size > 1))
    problems.push('two functions have the same idempotency key')
  if (
    new Set(calls.map(({ node, key }) => `${node} ${key}`)).size !==
    new Set(calls.map(({ node }) => node)).size
  )
    problems.push('a function was called again with another idempotency key')
  return problems
}

/** A graph of functions, a list, an agent and another graph: each step that has ended is not made again. */
export const graphInCodeScenario: CrashScenario = {
  name: 'a graph in code',
  tools: [{ id: 'send', repeat: 'once' }],
  models: {
    worker: [{ toolCalls: [{ name: 'send', id: 'a', args: { to: 1 } }] }, { text: 'Worked.' }],
  },
  async prepare(runtime) {
    await runtime.agents.create({ id: 'worker', model: 'crash/worker', limits: { max_runtime: 60 } })
  },
  begin() {
    const calls: Call[] = []
    return {
      async work(runtime, cross) {
        for (const graph of createGraphs(cross, calls)) await runtime.graphs.put(graph)
        await runtime.graphs.run({ graph_id: 'outer', input: 'Work', idempotency_key: 'the-same-request' })
      },
      problems: async () => problemsOf(calls),
    }
  },
}
