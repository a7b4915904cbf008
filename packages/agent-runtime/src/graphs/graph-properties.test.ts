import type {
  Graph,
  GraphEdge,
  GraphNode,
  GraphRunResult,
  NodeResult,
} from '@homeward/contract/agent-platform'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { meetsCondition } from './graph-evaluation.ts'
import { createGraphKit, graphOf } from './testing/graph-kit.ts'

/** A graph, and how each attempt of each node goes. */
interface World {
  readonly graph: Graph
  /** By node: attempts that fail before one succeeds. */
  readonly failures: Readonly<Record<string, number>>
  /** By node: what its output says. */
  readonly words: Readonly<Record<string, string>>
  /** By node: turns of the event loop that it takes. */
  readonly turns: Readonly<Record<string, number>>
}

const onError = fc.constantFrom(undefined, 'fail', 'skip', 'continue')
const when = fc.option(fc.constantFrom('yes', 'no', { not_contains: 'yes' }), { nil: undefined, freq: 2 })

/** Edges lead from a node to one with a greater number; the nodes are given in any order. */
const world: fc.Arbitrary<World> = fc.integer({ min: 1, max: 9 }).chain((size) => {
  const ids = Array.from({ length: size }, (_, index) => `n${index}`)
  const perNode = <T>(value: fc.Arbitrary<T>) =>
    fc
      .array(value, { minLength: size, maxLength: size })
      .map((values) => Object.fromEntries(values.map((each, index) => [ids[index], each])))
  const pairs = ids.flatMap((to, index) => ids.slice(0, index).map((from) => ({ from, to })))
  return fc
    .record({
      order: fc.shuffledSubarray(ids, { minLength: size }),
      errors: perNode(onError),
      retries: perNode(fc.integer({ min: 0, max: 2 })),
      failures: perNode(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3 }))),
      words: perNode(fc.constantFrom('yes', 'no', 'both yes and no')),
      turns: perNode(fc.integer({ min: 0, max: 12 })),
      edges: fc.shuffledSubarray(pairs),
      conditions: fc.array(when, { minLength: pairs.length, maxLength: pairs.length }),
    })
    .map(({ order, errors, retries, edges, conditions, ...plays }) => {
      const nodes = order.map((id): GraphNode => {
        return { id, agent: 'a', retries: retries[id], ...(errors[id] && { on_error: errors[id] }) }
      })
      const withConditions = edges.map((edge, index): GraphEdge => {
        const condition = conditions[index]
        return condition === undefined ? edge : { ...edge, when: condition }
      })
      return { graph: graphOf(nodes, withConditions), ...plays }
    })
})

type Reference = Pick<NodeResult, 'status' | 'output' | 'attempts'> & {
  readonly cut: boolean
  readonly text?: string
  readonly task?: string
}

/** What a graph comes to, told node by node and one after the other. */
function evaluate({ graph, failures, words }: World): ReadonlyMap<string, Reference> {
  const found = new Map<string, Reference>()
  const visit = (node: GraphNode): Reference => {
    const known = found.get(node.id)
    if (known) return known
    const edges = graph.nodes.flatMap((from) =>
      graph.edges
        .filter((edge) => edge.from === from.id && edge.to === node.id)
        .map((edge) => ({ edge, from: visit(from) })),
    )
    const texts = edges.flatMap(({ edge, from }) =>
      from.text !== undefined && meetsCondition(edge.when, from.text) ? [from.text] : [],
    )
    const cut = edges.some(({ from }) => from.cut)
    const reference =
      cut || (edges.length > 0 && texts.length === 0)
        ? { status: 'skipped' as const, output: '', attempts: 0, cut }
        : play(node, texts)
    found.set(node.id, reference)
    return reference
  }
  const play = ({ id, retries = 0, on_error }: GraphNode, texts: readonly string[]): Reference => {
    const task = texts.length > 0 ? texts.join('\n\n') : 'in'
    const failed = failures[id] ?? 0
    if (failed <= retries) {
      const output = `${id} ${words[id]}`
      return { status: 'completed', output, attempts: failed + 1, cut: false, text: output, task }
    }
    const ended = { status: 'failed', output: '', attempts: retries + 1, task } as const
    if (on_error === 'continue') return { ...ended, cut: false, text: `(${id} failed: ${id} broke)` }
    return { ...ended, cut: on_error !== 'skip' }
  }
  graph.nodes.forEach(visit)
  return found
}

function createKit({ graph, failures, words, turns }: World) {
  return createGraphKit({
    graph,
    options: { maxParallel: 3 },
    play: async ({ node, attempt }) => {
      for (let turn = 0; turn < (turns[node] ?? 0); turn += 1) await Promise.resolve()
      if (attempt <= (failures[node] ?? 0)) return { code: 'run_error' }
      return { output: `${node} ${words[node]}` }
    },
  })
}

function assertEvaluated(given: World, kit: ReturnType<typeof createKit>, result: GraphRunResult): void {
  const reference = evaluate(given)
  expect(result.node_results.map(({ node_id }) => node_id)).toEqual(given.graph.nodes.map(({ id }) => id))
  for (const { node_id: id, status, output, attempts } of result.node_results) {
    const { task, cut: _, text: __, ...expected } = reference.get(id) ?? {}
    expect({ id, status, output, attempts }).toEqual({ id, ...expected })
    const made = kit.attempts.filter(({ node }) => node === id)
    // each attempt once, in their order, all with the same task
    expect(made.map(({ attempt, task: given_ }) => [attempt, given_])).toEqual(
      Array.from({ length: attempts }, (_each, index) => [index + 1, task]),
    )
  }
  const ends = result.node_results.map(({ status }) => status)
  expect(result.success).toBe(!ends.includes('failed'))
  const left = new Set(given.graph.edges.map(({ from }) => from))
  const sinks = result.node_results.filter(
    ({ node_id, status }) => !left.has(node_id) && status === 'completed',
  )
  expect(result.output).toBe(sinks.map(({ output }) => output).join('\n\n'))
}

/** Every node begins behind the ends of all nodes before it, and each begins and ends once in the stream. */
function assertStream({ graph }: World, kit: ReturnType<typeof createKit>): void {
  const done: string[] = []
  const started: string[] = []
  for (const { event, data } of kit.kept) {
    if (event === 'node_done') done.push(data.node_id)
    if (event !== 'node_start') continue
    started.push(data.run_id ?? '')
    const before = graph.edges.filter(({ to }) => to === data.node_id).map(({ from }) => from)
    expect(done).toEqual(expect.arrayContaining(before))
  }
  expect(done.toSorted()).toEqual(graph.nodes.map(({ id }) => id).toSorted())
  expect(new Set(started).size).toBe(started.length)
  expect(started.toSorted()).toEqual(kit.attempts.map(({ runId }) => runId).toSorted())
}

it('A10: a graph comes to what its nodes come to one after the other, however they overlap', async () => {
  await fc.assert(
    fc.asyncProperty(world, async (given) => {
      const kit = createKit(given)
      const { result, isWaiting } = await kit.drive()
      expect(isWaiting).toBe(false)
      assertEvaluated(given, kit, result)
      assertStream(given, kit)
    }),
    { numRuns: 200 },
  )
})

it('A10: a graph that is left at any checkpoint, again and again, comes to the same and runs nothing twice', async () => {
  const crashes = fc.array(fc.record({ save: fc.integer({ min: 1, max: 6 }), isKept: fc.boolean() }), {
    minLength: 1,
    maxLength: 8,
  })
  await fc.assert(
    fc.asyncProperty(world, crashes, async (given, points) => {
      const kit = createKit(given)
      for (const { save, isKept } of points) {
        const crash = (at: number) => {
          if (at === save) throw new Error('the process is gone')
        }
        await kit.drive(isKept ? { afterSave: crash } : { beforeSave: crash }).catch((error: unknown) => {
          expect(error).toMatchObject({ message: 'the process is gone' })
        })
      }
      const { result } = await kit.drive()
      assertEvaluated(given, kit, result)
      assertStream(given, kit)
    }),
    { numRuns: 200 },
  )
})
