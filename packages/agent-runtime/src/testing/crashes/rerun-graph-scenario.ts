import type { NodeFunctionContext } from '../../ports/node-function.ts'
import { defineGraph } from '../../graphs/graph-definition.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import type { CrashScenario } from './scenario.ts'

/** Three nodes, of which the second fails until the client has repaired what it needs. */
function createGraph(cross: SimulatedProcess['cross'], isRepaired: () => boolean) {
  const act = (context: NodeFunctionContext, work: () => string) =>
    cross(`function.${context.nodeId}`, async () => work())
  return defineGraph({
    id: 'repaired',
    nodes: [
      { id: 'ask', agent: 'worker' },
      {
        id: 'store',
        input: '{{ask}}',
        run: ({ text }, context) =>
          act(context, () => {
            if (!isRepaired()) throw new Error('The disk is full')
            return `Stored: ${text}`
          }),
      },
      { id: 'tell', agent: 'teller', input: '{{store}}' },
    ],
    edges: [
      { from: 'ask', to: 'store' },
      { from: 'store', to: 'tell' },
    ],
  })
}

/** A graph that fails and runs again from its failed node: what had completed is not made again. */
export const rerunGraphScenario: CrashScenario = {
  name: 'a graph that runs again from its failed node',
  // A node whose call may have taken effect fails, and would be made again.
  tools: [{ id: 'look', repeat: 'safe' }],
  models: {
    worker: [{ toolCalls: [{ name: 'look', id: 'a', args: { place: 'door' } }] }, { text: 'Asked.' }],
    teller: [{ toolCalls: [{ name: 'look', id: 'b', args: { place: 'room' } }] }, { text: 'Told.' }],
  },
  async prepare(runtime) {
    for (const id of ['worker', 'teller'])
      await runtime.agents.create({ id, model: `crash/${id}`, limits: { max_runtime: 60 } })
  },
  begin() {
    let isRepaired = false
    return {
      async work(runtime, cross) {
        await runtime.graphs.put(createGraph(cross, () => isRepaired))
        const first = await runtime.graphs.run({
          graph_id: 'repaired',
          input: 'Work',
          idempotency_key: 'first',
        })
        isRepaired = true
        const again = await runtime.graphs.rerun(first.run_id, { from: 'failed', idempotency_key: 'again' })
        await again.result
      },
      async problems(runtime) {
        const { runs } = await runtime.runs.list()
        const asked = runs.filter(({ agent_id }) => agent_id === 'worker')
        const again = runs.filter(({ rerun_of }) => rerun_of !== undefined)
        return [
          ...(asked.length === 1 ? [] : [`the node that had completed ran ${asked.length} times`]),
          ...(again.length === 1 && again[0]?.status === 'completed'
            ? []
            : [`the graph ran again ${again.length} times, as ${again.map(({ status }) => status).join()}`]),
        ]
      },
    }
  },
}
