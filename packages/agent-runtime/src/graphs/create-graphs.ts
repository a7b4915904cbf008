import { isDeepStrictEqual } from 'node:util'
import type { Graph, GraphInput } from '@homeward/contract/agent-platform'
import { assertSameId } from '../agents/assert-same-id.ts'
import { withoutBlanks } from '../agents/without-blanks.ts'
import { createKeyedMutex } from '../concurrency/keyed-mutex.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { checkSchedule } from '../schedules/check-schedule.ts'
import { checkGraph, type KnownNames } from './check-graph.ts'
import type { GraphDefinition } from './graph-definition.ts'
import { readGraph } from './read-graph.ts'
import type { Graphs } from './graphs.ts'
import { createGraphRerun } from './rerun-graph.ts'
import { createGraphStart, type GraphStartContext } from './start-graph.ts'

/** What {@link createGraphs} is built from. */
export interface GraphsOptions extends GraphStartContext {
  /** Where agents are looked up: a graph is not saved with one that does not exist. */
  readonly agents: { find(id: string, signal?: AbortSignal): Promise<object | undefined> }
}

/** Times that a definition is tried while others change its graph. */
const maxTries = 3

const isSame = (one: Graph, other: Graph) =>
  isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)))

const notFound = (attempt: string, id: string) =>
  new RuntimeError(
    'not_found',
    `${attempt} failed: no graph has the id "${id.slice(0, 100)}". List the graphs to find it.`,
  )

/** Graphs over a store, and their runs (A10). */
export function createGraphs(options: GraphsOptions): Graphs {
  const { store, agents, functions, now, createId } = options
  const timestamp = () => new Date(now()).toISOString()
  /** Changes of one graph go one after the other: each merges into what the one before has left. */
  const inTurn = createKeyedMutex()

  async function get(id: string, attempt: string, signal: AbortSignal | undefined): Promise<Graph> {
    const graph = await store.findGraph(id, signal)
    if (graph) return graph
    throw notFound(attempt, id)
  }

  async function check(
    graph: Graph,
    attempt: string,
    signal: AbortSignal | undefined,
    own: ReadonlyMap<string, unknown> = new Map(),
  ): Promise<Graph> {
    await checkSchedule(graph, attempt)
    const known: KnownNames = {
      agent: async (id) => (await agents.find(id, signal)) !== undefined,
      graph: async (id) => (await store.findGraph(id, signal)) !== undefined,
      function: (name) => own.has(name) || functions.has(name),
    }
    await checkGraph(graph, known, attempt)
    return graph
  }

  /** Makes the stored graph the same as a definition. */
  async function put(definition: GraphDefinition, signal: AbortSignal | undefined): Promise<Graph> {
    const attempt = 'Putting a graph'
    const { input, functions: own } = readGraph(definition)
    const { id, edges = [], ...fields } = input
    return inTurn(id, async () => {
      for (let tries = 1; tries <= maxTries; tries += 1) {
        const before = await store.findGraph(id, signal)
        const at = timestamp()
        const fixed = { id, created_at: before?.created_at ?? at, updated_at: at }
        const graph = toGraph({ ...fields, edges: edges ?? [] }, fixed)
        await check(graph, attempt, signal, own)
        functions.set(id, own)
        if (before && isSame({ ...graph, updated_at: before.updated_at }, before)) return before
        const save = before ? store.replaceGraph : store.insertGraph
        if (await save(graph, undefined, signal)) return graph
        // another process has created or deleted it since
      }
      const fact = `other requests keep creating and deleting "${id}"`
      throw new RuntimeError('conflict', `${attempt} failed: ${fact}. Try again.`, { retryable: true })
    })
  }

  const start = createGraphStart(options)

  return {
    list: (signal) => store.listGraphs(signal),
    find: (id, signal) => store.findGraph(id, signal),
    get: (id, signal) => get(id, 'Getting a graph', signal),

    async create(given, signal) {
      const attempt = 'Creating a graph'
      const { id = newId(createId), edges = [], ...fields } = given
      const at = timestamp()
      const graph = toGraph({ ...fields, edges }, { id, created_at: at, updated_at: at })
      await check(graph, attempt, signal)
      if (await store.insertGraph(graph, undefined, signal)) return graph
      throw new RuntimeError(
        'conflict',
        `${attempt} failed: a graph with the id "${id}" already exists. Update it with PUT.`,
      )
    },

    async update(id, given, signal) {
      const attempt = 'Changing a graph'
      const { id: named, edges, ...patch } = given
      assertSameId(named, id, attempt)
      return inTurn(id, async () => {
        const before = await get(id, attempt, signal)
        const changes = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
        const graph = toGraph(
          { ...before, ...changes, ...(edges !== undefined && { edges: edges ?? [] }) },
          { id, created_at: before.created_at, updated_at: timestamp() },
        )
        await check(graph, attempt, signal)
        if (await store.replaceGraph(graph, undefined, signal)) return graph
        throw notFound(attempt, id)
      })
    },

    put: (definition, signal) => put(definition, signal),

    async delete(id, signal) {
      const deleted = await inTurn(id, () => store.deleteGraph(id, undefined, signal))
      if (!deleted) throw notFound('Deleting a graph', id)
    },

    start,
    rerun: createGraphRerun(options),
    async run(request, given) {
      const { result } = await start(request, given)
      return result
    },
  }
}

type Given = Omit<GraphInput, 'id' | 'nodes' | 'edges'> & Pick<Graph, 'nodes' | 'edges'>
type Fixed = Pick<Graph, 'id' | 'created_at' | 'updated_at'>

/** A graph without fields that have no value. */
function toGraph({ nodes, edges, ...fields }: Given, fixed: Fixed): Graph {
  return {
    schedule_enabled: true,
    ...withoutBlanks(fields),
    nodes: nodes.map((node) => withoutBlanks(node)),
    edges: edges.map((edge) => withoutBlanks(edge)),
    ...fixed,
  }
}

/** Short enough to be typed, long enough to be unique. */
function newId(createId: () => string): string {
  return `graph-${createId()
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .slice(0, 12)
    .toLowerCase()}`
}
