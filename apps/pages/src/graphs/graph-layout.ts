import * as dagre from '@dagrejs/dagre'

/** Size of a node's box, in pixels: all are alike, so that a long text moves nothing. Those side by side are narrower. */
export const nodeSizes = { right: { width: 208, height: 68 }, down: { width: 148, height: 60 } } as const

/** What is used of the library: TypeScript does not find its own types, which lack the endings of files. */
interface LayoutGraph {
  setGraph(label: { rankdir: 'LR' | 'TB'; nodesep: number; ranksep: number }): void
  setDefaultEdgeLabel(create: () => object): void
  setNode(id: string, label: { width: number; height: number }): void
  setEdge(from: string, to: string, label: { width?: number; height?: number; labelpos?: 'c' }): void
  /** Its label, in which `layout` has written where its middle is. */
  node(id: string): { x?: number; y?: number }
}
interface LayoutLibrary {
  readonly Graph: new () => LayoutGraph
  readonly layout: (graph: LayoutGraph) => void
}
const { Graph, layout } = dagre as unknown as LayoutLibrary

/** With more edges than these, only those that decide about the layers are laid out: all of them would take seconds. */
const manyEdges = 150

/** Which way a graph is read. */
type Direction = 'right' | 'down'

/** Upper left corner of a box. */
interface Position {
  readonly x: number
  readonly y: number
}

/** Pixels of a letter and of a line beside an edge. */
const labelCharacter = 6.5
const labelHeight = 18

/** What is laid out. */
interface LayoutInput {
  readonly ids: readonly string[]
  readonly edges: readonly {
    readonly source: string
    readonly target: string
    /** What stands beside it needs room. */
    readonly label: string
  }[]
  readonly direction: Direction
}

/**
 * Places the nodes in layers, along the edges. Edges to nowhere are left out, and a cycle harms nothing: a graph that is
 * being edited may have both.
 */
export function layoutGraph({ ids, edges, direction }: LayoutInput): ReadonlyMap<string, Position> {
  const graph = new Graph()
  graph.setGraph({ rankdir: direction === 'right' ? 'LR' : 'TB', nodesep: 28, ranksep: 64 })
  graph.setDefaultEdgeLabel(() => ({}))
  const nodeSize = nodeSizes[direction]
  for (const id of ids) graph.setNode(id, { ...nodeSize })
  const known = new Set(ids)
  const drawn = edges.filter(
    ({ source, target }) => source !== target && known.has(source) && known.has(target),
  )
  for (const { source, target, label } of drawn.length > manyEdges ? decisiveEdges(ids, drawn) : drawn) {
    const width = label.length * labelCharacter
    graph.setEdge(source, target, label === '' ? {} : { width, height: labelHeight, labelpos: 'c' })
  }
  layout(graph)
  return new Map(
    ids.map((id) => {
      const { x = 0, y = 0 } = graph.node(id)
      return [id, { x: x - nodeSize.width / 2, y: y - nodeSize.height / 2 }]
    }),
  )
}

interface Edge {
  readonly source: string
  readonly target: string
}

/**
 * The edges that decide in which layer each node stands: of those that lead to it, the one whose path is the longest. Nodes
 * of a cycle have none.
 */
export function decisiveEdges<E extends Edge>(ids: readonly string[], edges: readonly E[]): readonly E[] {
  const incoming = Map.groupBy(edges, ({ target }) => target)
  const outgoing = Map.groupBy(edges, ({ source }) => source)
  const waitsFor = new Map(ids.map((id) => [id, incoming.get(id)?.length ?? 0]))
  const depths = new Map<string, number>()
  const decisive: E[] = []
  const ready = ids.filter((id) => waitsFor.get(id) === 0)
  for (let id = ready.pop(); id !== undefined; id = ready.pop()) {
    const depthOf = ({ source }: E) => depths.get(source) ?? 0
    const deepest = incoming.get(id)?.reduce((one, other) => (depthOf(other) > depthOf(one) ? other : one))
    depths.set(id, deepest ? depthOf(deepest) + 1 : 0)
    if (deepest) decisive.push(deepest)
    for (const { target } of outgoing.get(id) ?? []) {
      const left = (waitsFor.get(target) ?? 0) - 1
      waitsFor.set(target, left)
      if (left === 0) ready.push(target)
    }
  }
  return decisive
}
