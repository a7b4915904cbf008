import { RuntimeError } from '../ports/runtime-error.ts'
import { createGraphShape, type NodesAndEdges } from './graph-shape.ts'
import { placeholdersOf } from './node-input.ts'

/** Something wrong with a graph. */
export interface GraphProblem {
  /** Where it is, such as `edges.3.to`. */
  readonly path: string
  readonly message: string
}

/** Most problems that one answer names. */
const maxProblems = 20

/**
 * Checks a graph before it is saved (A10): ids that are there twice, edges to and from nowhere, cycles, agents that do
 * not exist, and placeholders for what is not known when the node begins.
 *
 * @param agentExists asked once for each agent.
 * @throws {RuntimeError} `validation_error` with all problems in `details.problems`.
 */
export async function checkGraph(
  graph: NodesAndEdges,
  agentExists: (id: string) => Promise<boolean>,
  attempt: string,
): Promise<void> {
  const problems = [...shapeProblems(graph), ...(await agentProblems(graph, agentExists))]
  // Which node is before which can be told once the edges are sound.
  if (problems.length === 0) problems.push(...placeholderProblems(graph))
  if (problems.length === 0) return
  const named = problems.slice(0, maxProblems)
  const texts = named.slice(0, 3).map(({ path, message }) => `${path}: ${message}`)
  const more = problems.length > texts.length ? `; and ${problems.length - texts.length} more` : ''
  throw new RuntimeError('validation_error', `${attempt}: ${texts.join('; ')}${more}.`, {
    details: { problems: named },
  })
}

function shapeProblems(graph: NodesAndEdges): readonly GraphProblem[] {
  const problems = [...nodeProblems(graph), ...edgeProblems(graph)]
  if (problems.length > 0) return problems
  const cycle = findCycle(graph)
  if (!cycle) return []
  return [{ path: 'edges', message: `the nodes wait for each other: ${cycle.map(quoted).join(' -> ')}` }]
}

function* nodeProblems({ nodes }: NodesAndEdges): Iterable<GraphProblem> {
  const seen = new Set<string>()
  for (const [index, { id }] of nodes.entries()) {
    if (seen.has(id)) yield { path: `nodes.${index}.id`, message: `${quoted(id)} is the id of another node` }
    seen.add(id)
  }
}

function* edgeProblems({ nodes, edges }: NodesAndEdges): Iterable<GraphProblem> {
  const ids = new Set(nodes.map(({ id }) => id))
  const seen = new Set<string>()
  for (const [index, { from, to }] of edges.entries()) {
    const path = `edges.${index}`
    const pair = `${from} ${to}` // ids hold no blank
    if (!ids.has(from)) yield { path: `${path}.from`, message: `there is no node ${quoted(from)}` }
    if (!ids.has(to)) yield { path: `${path}.to`, message: `there is no node ${quoted(to)}` }
    if (from === to) yield { path, message: `the node ${quoted(from)} would wait for itself` }
    if (seen.has(pair)) yield { path, message: `there is another edge from ${quoted(from)} to ${quoted(to)}` }
    seen.add(pair)
  }
}

/** The nodes of a cycle, the first one again at its end. */
function findCycle({ nodes, edges }: NodesAndEdges): readonly string[] | undefined {
  const next = Map.groupBy(edges, ({ from }) => from)
  const done = new Set<string>()
  const path: string[] = []

  function follow(id: string): readonly string[] | undefined {
    const start = path.indexOf(id)
    if (start !== -1) return [...path.slice(start), id]
    if (done.has(id)) return undefined
    path.push(id)
    for (const { to } of next.get(id) ?? []) {
      const cycle = follow(to)
      if (cycle) return cycle
    }
    path.pop()
    done.add(id)
    return undefined
  }

  for (const { id } of nodes) {
    const cycle = follow(id)
    if (cycle) return cycle
  }
  return undefined
}

async function agentProblems(
  { nodes }: NodesAndEdges,
  agentExists: (id: string) => Promise<boolean>,
): Promise<readonly GraphProblem[]> {
  const ids = [...new Set(nodes.map(({ agent }) => agent))]
  const found = await Promise.all(ids.map(async (id) => ((await agentExists(id)) ? [id] : [])))
  const known = new Set(found.flat())
  return nodes.flatMap(({ agent }, index) =>
    known.has(agent) ? [] : [{ path: `nodes.${index}.agent`, message: `there is no agent ${quoted(agent)}` }],
  )
}

function placeholderProblems(graph: NodesAndEdges): readonly GraphProblem[] {
  const shape = createGraphShape(graph)
  return graph.nodes.flatMap(({ id, input = '' }, index) => {
    const before = shape.ancestors(id)
    const unknown = placeholdersOf(input).filter((name) => name !== 'input' && !before.has(name))
    return unknown.map((name) => ({
      path: `nodes.${index}.input`,
      message: `{{${name}}} is neither {{input}} nor a node before ${quoted(id)}`,
    }))
  })
}

const quoted = (id: string) => `"${id}"`
