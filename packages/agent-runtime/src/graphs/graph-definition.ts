import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { EdgeCondition, GraphInput, GraphMap, GraphNode } from '@homeward/contract/agent-platform'
import type { NodeFunction } from '../ports/node-function.ts'
import { RuntimeError } from '../ports/runtime-error.ts'

/** What every node of a graph in code has. */
interface NodeFields<Id extends string> extends Pick<GraphNode, 'input' | 'retries' | 'on_error'> {
  readonly id: Id
  /**
   * Runs the node once for each item of a list, with `{{item}}` for the item. The data of the node is the list of results.
   */
  readonly map?: Omit<GraphMap, 'over'> & { readonly over: NoInfer<Id> | 'input' }
}

/** Something with an id, or the id itself. */
export type IdOf = string | { readonly id: string }

/** A node of a graph in code: an agent, another graph, a function, a wait, or a question. */
export type GraphNodeDefinition<Id extends string = string> = NodeFields<Id> &
  (
    | { readonly agent: IdOf; readonly graph?: never; readonly run?: never }
    | { readonly graph: IdOf; readonly agent?: never; readonly run?: never }
    | ((Required<Pick<GraphNode, 'wait'>> | Required<Pick<GraphNode, 'ask'>>) & {
        readonly agent?: never
        readonly graph?: never
        readonly run?: never
      })
    | {
        readonly run: NodeFunction
        /** Time limit of one call, in milliseconds. @default 600000 */
        readonly timeoutMs?: number
        readonly agent?: never
        readonly graph?: never
      }
  )

/** An edge of a graph in code. */
export interface GraphEdgeDefinition<Id extends string = string> {
  readonly from: Id
  readonly to: Id
  /**
   * Condition for the output of `from`. `data` is a schema of zod 4 or another library that provides a JSON Schema,
   * or a JSON Schema.
   */
  readonly when?:
    | string
    | (Omit<Exclude<EdgeCondition, string>, 'data'> & {
        readonly data?: StandardSchemaV1 | Readonly<Record<string, unknown>>
      })
}

/** A graph in code: the fields of a stored graph, with nodes that may be functions. */
export interface GraphDefinition<Id extends string = string> extends Omit<
  GraphInput,
  'id' | 'nodes' | 'edges'
> {
  readonly id: string
  readonly nodes: readonly GraphNodeDefinition<Id>[]
  /** Edges of the graph. @default no edges: all nodes run in parallel */
  readonly edges?: readonly GraphEdgeDefinition<NoInfer<Id>>[]
}

/**
 * Describes a graph in code, for `runtime.graphs.put()`.
 *
 * @throws {RuntimeError} `validation_error`, which names the field.
 * @example
 * ```ts
 * import { createRuntime, defineGraph } from '@homeward/agent-runtime'
 *
 * const count = defineGraph({
 *   id: 'count',
 *   nodes: [
 *     { id: 'words', run: ({ text }) => text.split(' ') },
 *     { id: 'lengths', map: { over: 'words' }, run: ({ item }) => String(item).length },
 *   ],
 *   edges: [{ from: 'words', to: 'lengths' }],
 * })
 * const runtime = createRuntime()
 * await runtime.graphs.put(count)
 * console.log((await runtime.graphs.run({ graph_id: 'count', input: 'one three' })).output) // [3,5]
 * await runtime.close()
 * ```
 */
export function defineGraph<const Id extends string>(definition: GraphDefinition<Id>): GraphDefinition<Id> {
  const { id, nodes }: Partial<GraphDefinition> = definition
  const isList: boolean = Array.isArray(nodes) // an app without types may give anything
  if (typeof id !== 'string' || id === '') throw unusableGraph('"id" must be a string')
  if (!isList || nodes === undefined) throw unusableGraph('"nodes" must be a list')
  for (const node of nodes) checkFunction(node)
  return definition
}

function checkFunction({ id, run, timeoutMs = 1 }: { id: string; run?: unknown; timeoutMs?: number }): void {
  if (run !== undefined && typeof run !== 'function')
    throw unusableGraph(`"run" of the node "${id}" must be a function`)
  if (!(Number.isInteger(timeoutMs) && timeoutMs > 0))
    throw unusableGraph(`"timeoutMs" of the node "${id}" must be an integer of at least 1`)
}

/** What an error about a definition begins with. */
export const defining = 'Defining the graph'

/** Says what is wrong with a definition. */
export const unusableGraph = (problem: string) =>
  new RuntimeError('validation_error', `${defining} failed: ${problem}.`)
