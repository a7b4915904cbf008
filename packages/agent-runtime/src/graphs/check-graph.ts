import { RuntimeError } from '../ports/runtime-error.ts'
import { createGraphShape, type NodesAndEdges } from './graph-shape.ts'
import { missingFunction } from './assert-functions.ts'
import { createSchemaCheck } from '../json-schema/schema-problem.ts'
import { dataSchemaOf } from './edge-conditions.ts'
import { notATime, placeholdersOf, toTime } from './node-input.ts'
import { isItemOf, maxMapIdLength } from './node-subject.ts'

/** Something wrong with a graph. */
export interface GraphProblem {
  /** Where it is, such as `edges.3.to`. */
  readonly path: string
  readonly message: string
}

/** A graph, with its id if it has one. */
type CheckedGraph = NodesAndEdges & { readonly id?: string }

/** Most problems that one answer names. */
const maxProblems = 20

/** What a graph may name. */
export interface KnownNames {
  /** Asked once for each agent. */
  agent(id: string): Promise<boolean>
  /** Asked once for each graph. @default there is none */
  graph?(id: string): Promise<boolean>
  /** Whether this process has a function. @default it has none */
  function?(name: string): boolean
}

/**
 * Checks a graph before it is saved (A10): ids that are there twice, edges to and from nowhere, cycles, agents that do
 * not exist, and placeholders for what is not known when the node begins.
 *
 * @throws {RuntimeError} `validation_error` with all problems in `details.problems`.
 */
export async function checkGraph(graph: CheckedGraph, known: KnownNames, attempt: string): Promise<void> {
  const problems = [...shapeProblems(graph), ...(await nameProblems(graph, known))]
  problems.push(...(await conditionProblems(graph)))
  // Which node is before which can be told once the edges are sound.
  if (problems.length === 0) problems.push(...placeholderProblems(graph), ...mapProblems(graph))
  if (problems.length === 0) return
  const named = problems.slice(0, maxProblems)
  const texts = named.slice(0, 3).map(({ path, message }) => `"${path}": ${message}`)
  const more = problems.length > texts.length ? `; and ${problems.length - texts.length} more` : ''
  throw new RuntimeError('validation_error', `${attempt} failed: ${texts.join('; ')}${more}.`, {
    details: { problems: named },
  })
}

function shapeProblems(graph: NodesAndEdges): readonly GraphProblem[] {
  const problems = [...nodeProblems(graph), ...edgeProblems(graph)]
  if (problems.length > 0) return problems
  const cycle = findCycle(graph)
  if (!cycle) return []
  return [{ path: 'edges', message: `the edges must not form a cycle: ${cycle.map(quoted).join(' -> ')}` }]
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
    if (!ids.has(from)) yield { path: `${path}.from`, message: `no node has the id ${quoted(from)}` }
    if (!ids.has(to)) yield { path: `${path}.to`, message: `no node has the id ${quoted(to)}` }
    if (from === to) yield { path, message: `the edge leads from the node ${quoted(from)} to itself` }
    if (seen.has(pair))
      yield { path, message: `another edge already leads from ${quoted(from)} to ${quoted(to)}` }
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

async function nameProblems(
  { id: own, nodes }: CheckedGraph,
  known: KnownNames,
): Promise<readonly GraphProblem[]> {
  const agents = await existing(
    nodes.map(({ agent }) => agent),
    known.agent,
  )
  const graphs = await existing(
    nodes.map(({ graph }) => graph),
    known.graph ?? noGraph,
  )
  return nodes.flatMap(({ id, agent, graph, function: name }, index) => {
    const path = `nodes.${index}`
    if (agent !== undefined && !agents.has(agent)) {
      return [{ path: `${path}.agent`, message: `no agent has the id ${quoted(agent)}` }]
    }
    if (graph !== undefined && graph === own)
      return [{ path: `${path}.graph`, message: 'a graph cannot run itself' }]
    if (graph !== undefined && !graphs.has(graph)) {
      return [{ path: `${path}.graph`, message: `no graph has the id ${quoted(graph)}` }]
    }
    if (name === undefined || known.function?.(name)) return []
    return [{ path: `${path}.function`, message: missingFunction(id, name) }]
  })
}

const noGraph = async () => false

async function existing(
  given: readonly (string | undefined)[],
  exists: (id: string) => Promise<boolean>,
): Promise<ReadonlySet<string>> {
  const ids = [...new Set(given)].filter((id) => id !== undefined)
  const found = await Promise.all(ids.map(async (id) => ((await exists(id)) ? [id] : [])))
  return new Set(found.flat())
}

async function conditionProblems({ nodes, edges }: NodesAndEdges): Promise<readonly GraphProblem[]> {
  const schemaProblem = createSchemaCheck()
  const asked = nodes.map(async ({ wait, ask }, index): Promise<readonly GraphProblem[]> => {
    const schema = wait?.match ?? ask?.schema
    const problem = schema && (await schemaProblem(schema))
    const path = `nodes.${index}.${wait ? 'wait.match' : 'ask.schema'}`
    return problem === undefined ? [] : [{ path, message: `not a valid JSON Schema: ${problem}` }]
  })
  const problems = await Promise.all([
    ...asked,
    ...edges.map(async (edge, index): Promise<readonly GraphProblem[]> => {
      const schema = dataSchemaOf(edge)
      const problem = schema && (await schemaProblem(schema))
      return problem === undefined
        ? []
        : [{ path: `edges.${index}.when.data`, message: `not a valid JSON Schema: ${problem}` }]
    }),
  ])
  return problems.flat()
}

function mapProblems(graph: NodesAndEdges): readonly GraphProblem[] {
  const shape = createGraphShape(graph)
  return graph.nodes.flatMap(({ id, map }, index): readonly GraphProblem[] => {
    if (!map) return []
    const path = `nodes.${index}`
    const { over } = map
    const problems: GraphProblem[] = []
    if (over !== 'input' && !shape.ancestors(id).has(over)) {
      const message = `"over" must be "input" or a node before ${quoted(id)}, got ${quoted(over)}`
      problems.push({ path: `${path}.map.over`, message })
    }
    if (id.length > maxMapIdLength) {
      const message = `the id of a node with "map" must have at most ${maxMapIdLength} characters, got ${id.length}`
      problems.push({ path: `${path}.id`, message })
    }
    const taken = graph.nodes.find((other) => isItemOf(id, other.id))
    if (taken)
      problems.push({
        path: `${path}.id`,
        message: `the items of this node would use the id ${quoted(taken.id)}, which another node has`,
      })
    return problems
  })
}

function placeholderProblems(graph: NodesAndEdges): readonly GraphProblem[] {
  const shape = createGraphShape(graph)
  return graph.nodes.flatMap(({ id, input = '', map, wait, ask }, index) => {
    const until = wait?.until
    if (until !== undefined && placeholdersOf(until).length === 0 && toTime(until) === undefined)
      return [{ path: `nodes.${index}.wait.until`, message: notATime(until) }]
    const text = ask?.message ?? wait?.until ?? input
    const before = shape.ancestors(id)
    const isKnown = (name: string) => name === 'input' || before.has(name) || (map && name === 'item')
    const unknown = placeholdersOf(text).filter((name) => !isKnown(name))
    return unknown.map((name) => ({
      path: `nodes.${index}.${ask ? 'ask.message' : wait ? 'wait.until' : 'input'}`,
      message: `{{${name}}} must be {{input}} or the id of a node before ${quoted(id)}`,
    }))
  })
}

const quoted = (id: string) => `"${id}"`
