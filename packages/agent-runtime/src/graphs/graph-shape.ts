import type { Graph, GraphEdge, GraphNode } from '@homeward/contract/agent-platform'

/** Nodes and edges of a graph, as a person gave them or as they were checked. */
export type NodesAndEdges = Pick<Graph, 'nodes' | 'edges'>

/** A graph that was checked, made ready for questions about its order. */
export interface GraphShape {
  /** Every node behind all of its predecessors; else in the order they were given. */
  readonly ordered: readonly GraphNode[]
  /** Nodes without an edge that leaves them, in the order they were given. */
  readonly sinks: readonly GraphNode[]
  node(id: string): GraphNode
  /** Edges that lead to a node, in the order of the nodes they come from. */
  edgesTo(id: string): readonly GraphEdge[]
  /** Ids of all nodes before this one, through however many edges. */
  ancestors(id: string): ReadonlySet<string>
}

/** Reads the order out of a graph without cycles. */
export function createGraphShape({ nodes, edges }: NodesAndEdges): GraphShape {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const place = new Map(nodes.map(({ id }, index) => [id, index]))
  const incoming = Map.groupBy(
    edges.toSorted((a, b) => (place.get(a.from) ?? 0) - (place.get(b.from) ?? 0)),
    ({ to }) => to,
  )
  const left = new Set(edges.map(({ from }) => from))
  const edgesTo = (id: string) => incoming.get(id) ?? []
  const known = new Map<string, ReadonlySet<string>>()
  const ordered = new Set<GraphNode>()

  // Bounded by the number of nodes: a graph with a cycle never comes here.
  function ancestors(id: string): ReadonlySet<string> {
    const found = known.get(id)
    if (found) return found
    const before = new Set(edgesTo(id).flatMap(({ from }) => [from, ...ancestors(from)]))
    known.set(id, before)
    return before
  }

  function node(id: string): GraphNode {
    const found = byId.get(id)
    if (found) return found
    throw new Error(`Reading a graph failed: no node has the id "${id}". Correct the edges.`) // edges were checked
  }

  function putBehindPredecessors(each: GraphNode): void {
    if (ordered.has(each)) return
    for (const { from } of edgesTo(each.id)) putBehindPredecessors(node(from))
    ordered.add(each)
  }
  nodes.forEach(putBehindPredecessors)

  return {
    ordered: [...ordered],
    sinks: nodes.filter(({ id }) => !left.has(id)),
    node,
    edgesTo,
    ancestors,
  }
}
