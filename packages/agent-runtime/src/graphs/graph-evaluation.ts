import type {
  GraphEdge,
  GraphNode,
  Json,
  NodeResult,
  EdgeCondition,
  GraphMap,
} from '@homeward/contract/agent-platform'
import type { GraphShape } from './graph-shape.ts'
import { renderNodeInput } from './node-input.ts'
import { subjectOf, maxItems } from './node-subject.ts'
import { parseJson } from '../json/parse-json.ts'
import { RuntimeError } from '../ports/runtime-error.ts'

/** A node that is to run. */
export interface DueNode {
  readonly node: GraphNode
  /** Makes its task. @throws {RuntimeError} `validation_error` when it would be too long. */
  readonly task: (item?: Json) => string
  /** Another text of the node with its placeholders replaced. @throws {RuntimeError} as {@link task} */
  readonly fill: (text: string) => string
  /** The item that it is for, and its place in the list. Absent for a node that is for no item. */
  readonly item?: Json
  readonly index?: number
  /** Items of a node with `map`. @throws {RuntimeError} `validation_error` if there is no list. */
  readonly items: () => readonly Json[]
  /** What the nodes before it gave, by their ids. */
  readonly values: () => Readonly<Record<string, Json>>
}

/**
 * What a graph's run has come to, and what follows from it (A10). It knows no agents and no time.
 *
 * A node is due once all nodes before it have ended. It runs when at least one edge to it is taken, and is skipped when
 * none is. An edge is taken when the node it comes from completed, or failed with `continue`, and its condition holds.
 * Whatever is behind a node that failed with `fail`, directly or through others, is skipped.
 */
export interface GraphEvaluation {
  /** How nodes ended, by their id. */
  readonly results: ReadonlyMap<string, NodeResult>
  /** Nodes that became due since the last time; those that are skipped have ended with it. */
  takeDue(): { readonly runs: readonly DueNode[]; readonly skips: readonly NodeResult[] }
  /** A node has ended. */
  end(result: NodeResult): void
}

/**
 * @param ended what is known from before: nodes that have ended do not run again.
 * @param holds whether the data of an edge's node is as the edge wants it
 */
export function createGraphEvaluation(
  shape: GraphShape,
  input: string,
  ended: Iterable<NodeResult>,
  holds: (edge: GraphEdge) => boolean = () => true,
): GraphEvaluation {
  const results = new Map([...ended].map((result) => [result.node_id, result]))
  const begun = new Set<string>()
  /** Behind a node that failed with `fail`. */
  const cutOff = new Set<string>()

  /** What a node gives to those behind it; undefined for nothing. */
  function textOf(id: string): string | undefined {
    const result = results.get(id)
    if (result?.status === 'completed') return result.output
    if (result?.status !== 'failed' || shape.node(id).on_error !== 'continue') return undefined
    return `(${id} failed: ${result.error ?? 'unknown error'})`
  }

  function cutsOff(id: string): boolean {
    if (cutOff.has(id)) return true
    const { on_error: onError = 'fail' } = shape.node(id)
    return results.get(id)?.status === 'failed' && onError === 'fail'
  }

  /** What comes in over the edges that are taken; undefined when the node does not run. */
  function incomingOf(id: string): readonly string[] | undefined {
    const edges = shape.edgesTo(id)
    if (edges.length === 0) return [input]
    if (edges.some(({ from }) => cutsOff(from))) {
      cutOff.add(id)
      return undefined
    }
    const texts = edges.flatMap((edge) => {
      const text = textOf(edge.from)
      return text !== undefined && meetsCondition(edge.when, text) && holds(edge) ? [text] : []
    })
    return texts.length > 0 ? texts : undefined
  }

  const valueOf = (name: string) => (name === 'input' ? input : (textOf(name) ?? ''))
  /** Data of a node, or its text where it has none. */
  const dataOf = (id: string): Json | undefined => results.get(id)?.data ?? textOf(id)

  function toDue(node: GraphNode, incoming: readonly string[]): DueNode {
    const { id, input: template, map } = node
    return {
      node,
      task(item) {
        if (item === undefined) return renderNodeInput({ template, incoming, valueOf })
        const text = toText(item)
        const valueOfItem = (name: string) => (name === 'item' ? text : valueOf(name))
        return renderNodeInput({ template, incoming: [text], valueOf: valueOfItem })
      },
      fill: (text) => renderNodeInput({ template: text, incoming: [], valueOf }),
      items: () => (map ? listItems(map, map.over === 'input' ? input : dataOf(map.over)) : []),
      values: () =>
        Object.fromEntries(
          [...shape.ancestors(id)].flatMap((name) => {
            const value = dataOf(name)
            return value === undefined ? [] : [[name, value]]
          }),
        ),
    }
  }

  return {
    results,
    takeDue() {
      const runs: DueNode[] = []
      const skips: NodeResult[] = []
      for (const node of shape.ordered) {
        const { id } = node
        if (begun.has(id) || shape.edgesTo(id).some(({ from }) => !results.has(from))) continue
        begun.add(id)
        const incoming = incomingOf(id)
        if (results.has(id)) continue
        if (incoming) {
          runs.push(toDue(node, incoming))
          continue
        }
        const skipped = skippedNode(node)
        results.set(id, skipped)
        skips.push(skipped)
      }
      return { runs, skips }
    },
    end: (result) => void results.set(result.node_id, result),
  }
}

/** The result of a node that did not run. */
export function skippedNode(node: GraphNode): NodeResult {
  return {
    node_id: node.id,
    ...subjectOf(node),
    success: false,
    status: 'skipped',
    output: '',
    attempts: 0,
  }
}

/** Data as a task names it. */
export const toText = (data: Json) => (typeof data === 'string' ? data : JSON.stringify(data))

/** Whether an output is as an edge wants it (A10). Case does not count; all that is given must hold. */
export function meetsCondition(when: EdgeCondition | undefined, output: string): boolean {
  if (when === undefined) return true
  const text = output.toLowerCase()
  const holds = (needle: string) => text.includes(needle.toLowerCase())
  if (typeof when === 'string') return holds(when)
  const { contains, not_contains: absent, equals, starts_with: start } = when
  return (
    (contains === undefined || holds(contains)) &&
    (absent === undefined || !holds(absent)) &&
    (equals === undefined || text.trim() === equals.toLowerCase().trim()) &&
    (start === undefined || text.trimStart().startsWith(start.toLowerCase().trimStart()))
  )
}

/**
 * The list that a node with `map` goes over.
 *
 * @param source data or text of the node that has it
 * @throws {RuntimeError} `validation_error` if there is no list, or a too long one
 */
function listItems({ over, path = '' }: GraphMap, source: Json | undefined): readonly Json[] {
  let value = typeof source === 'string' ? parseJson(source) : source
  for (const step of path.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
  }
  const where = `${path || 'the data'} of "${over}"`
  if (!Array.isArray(value)) throw unusable(`${where} must be a list`)
  if (value.length > maxItems)
    throw unusable(`${where} must have at most ${maxItems} items, got ${value.length}`)
  return value
}

const isRecord = (value: Json | undefined): value is Record<string, Json> =>
  typeof value === 'object' && value !== null

const unusable = (problem: string) =>
  new RuntimeError('validation_error', `Listing the items failed: ${problem}.`)
