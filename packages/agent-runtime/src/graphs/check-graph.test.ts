import { describe, expect, it } from 'vitest'
import { threadCpuMs } from '../../../../tests/thread-cpu-ms.ts'
import { checkGraph, type GraphProblem } from './check-graph.ts'
import { graphOf } from './testing/graph-kit.ts'

const known = { agent: async (id: string) => id === 'a' }

async function problemsOf(...given: Parameters<typeof graphOf>): Promise<readonly GraphProblem[]> {
  try {
    await checkGraph(graphOf(...given), known, 'Creating a graph')
    return []
  } catch (error) {
    expect(error).toMatchObject({ name: 'RuntimeError', code: 'validation_error' })
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the line above says
    return (error as { details: { problems: readonly GraphProblem[] } }).details.problems
  }
}

describe('checkGraph', () => {
  it('names an invalid time, unless a placeholder stands for it', async () => {
    expect(await problemsOf([{ id: 'x', wait: { until: 'nonsense' } }])).toEqual([
      { path: 'nodes.0.wait.until', message: expect.stringContaining('must be an ISO 8601 time') as string },
    ])
    expect(await problemsOf([{ id: 'x', wait: { until: '{{input}}' } }])).toEqual([])
    expect(await problemsOf([{ id: 'x', wait: { until: '2999-01-01T00:00:00Z' } }])).toEqual([])
  })

  it('A10: takes nodes without edges, chains, forks and joins', async () => {
    expect(await problemsOf(['x'])).toEqual([])
    expect(await problemsOf(['x', 'y', 'z'], ['x y', 'x z', 'y z'])).toEqual([])
  })

  it('A10: names the nodes of a cycle', async () => {
    expect(await problemsOf(['start', 'x', 'y', 'z'], ['start x', 'x y', 'y z', 'z x'])).toEqual([
      { path: 'edges', message: 'the edges must not form a cycle: "x" -> "y" -> "z" -> "x"' },
    ])
  })

  it('A10: names every edge that leads to nowhere, to itself, or is there twice', async () => {
    expect(await problemsOf(['x', 'y'], ['x nope', 'gone y', 'x x', 'x y', 'x y no'])).toEqual([
      { path: 'edges.0.to', message: 'no node has the id "nope"' },
      { path: 'edges.1.from', message: 'no node has the id "gone"' },
      { path: 'edges.2', message: 'the edge leads from the node "x" to itself' },
      { path: 'edges.4', message: 'another edge already leads from "x" to "y"' },
    ])
  })

  it('A10: names ids that are there twice, and agents that do not exist', async () => {
    expect(await problemsOf(['x', { id: 'x', agent: 'ghost' }])).toEqual([
      { path: 'nodes.1.id', message: '"x" is the id of another node' },
      { path: 'nodes.1.agent', message: 'no agent has the id "ghost"' },
    ])
  })

  it('A10: refuses a placeholder for what is not known when the node begins', async () => {
    const input = '{{input}} {{ first }} {{later}} {{nobody}} {{x}} {{not a name}} {{}}'
    const nodes = ['first', 'between', { id: 'x', agent: 'a', input }, 'later']
    expect(await problemsOf(nodes, ['first between', 'between x', 'x later'])).toEqual(
      ['later', 'nobody', 'x'].map((name) => ({
        path: 'nodes.2.input',
        message: `{{${name}}} must be {{input}} or the id of a node before "x"`,
      })),
    )
  })

  it('A10: the message names the first problems, and how many there are', async () => {
    const graph = graphOf(['x'], ['x a', 'x b', 'x c', 'x d', 'x e'])
    await expect(checkGraph(graph, known, 'Creating a graph')).rejects.toThrow(
      'Creating a graph failed: "edges.0.to": no node has the id "a"; "edges.1.to": no node has the id "b"; "edges.2.to": no node has the id "c"; and 2 more.',
    )
  })

  it('A10: looks at a large graph in no time', async () => {
    const ids = Array.from({ length: 200 }, (_, index) => `n${index}`)
    const edges = ids.flatMap((to, index) =>
      ids.slice(Math.max(0, index - 10), index).map((from) => `${from} ${to}`),
    )
    const input = '{{n0}}{{'.repeat(10_000)
    const nodes = ids.map((id, index) => (index === 199 ? { id, agent: 'a', input } : id))
    const check = async () => expect(await problemsOf(nodes, edges)).toEqual([])
    expect(await threadCpuMs(check)).toBeLessThan(1000)
  })
})
