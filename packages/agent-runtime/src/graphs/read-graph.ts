import { GraphInput, type JsonObject } from '@homeward/contract/agent-platform'
import { parseInput } from '../host-input/parse-input.ts'
import { readJsonSchema, standardOf } from '../host-input/standard-schema.ts'
import {
  defineGraph,
  defining,
  unusableGraph,
  type GraphDefinition,
  type GraphEdgeDefinition,
  type GraphNodeDefinition,
  type IdOf,
} from './graph-definition.ts'
import { functionName, type KnownFunction } from './node-functions.ts'

type GivenNode = GraphInput['nodes'][number]
type GivenEdge = NonNullable<GraphInput['edges']>[number]

const defaultTimeoutMs = 600_000

/** What is stored of a definition, and the functions that stay in this process. */
export function readGraph(definition: GraphDefinition): {
  readonly input: GraphInput & { readonly id: string }
  readonly functions: ReadonlyMap<string, KnownFunction>
} {
  const { id, nodes, edges, ...fields } = defineGraph(definition)
  const functions = new Map<string, KnownFunction>()
  const input = {
    ...fields,
    id,
    nodes: nodes.map((node) => toNode(id, node, functions)),
    ...(edges && { edges: edges.map(toEdge) }),
  }
  return { input: { ...parseInput(GraphInput, input, defining), id }, functions }
}

function toNode(
  graphId: string,
  node: GraphNodeDefinition,
  functions: Map<string, KnownFunction>,
): GivenNode {
  if (!('run' in node) || node.run === undefined) {
    const { agent, graph, ...others } = node
    return {
      ...others,
      ...(agent !== undefined && { agent: idOf(agent) }),
      ...(graph !== undefined && { graph: idOf(graph) }),
    }
  }
  const { run, timeoutMs = defaultTimeoutMs, ...others } = node
  const name = functionName(graphId, node.id)
  functions.set(name, { call: run, timeoutMs })
  return { ...others, function: name }
}

const idOf = (given: IdOf) => (typeof given === 'string' ? given : given.id)

function toEdge({ when, ...edge }: GraphEdgeDefinition): GivenEdge {
  if (typeof when !== 'object') return { ...edge, ...(when !== undefined && { when }) }
  const { data, ...others } = when
  if (data === undefined) return { ...edge, when: others }
  const standard = standardOf(data)
  if (!standard) return { ...edge, when: { ...others, data: data as JsonObject } } // the contract checks it
  const schema = readJsonSchema(standard)
  if (schema) return { ...edge, when: { ...others, data: schema } }
  throw unusableGraph(
    `"when.data" of the edge from "${edge.from}" to "${edge.to}" cannot be converted to JSON Schema. Set a JSON Schema instead`,
  )
}
