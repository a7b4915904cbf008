import * as dagre from '@dagrejs/dagre'
import { decisiveEdges } from './decisive-edges.ts'

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
export type Direction = 'right' | 'down'

/** Upper left corner of a box. */
export interface Position {
  readonly x: number
  readonly y: number
}

/** Pixels of a letter and of a line beside an edge. */
const labelCharacter = 6.5
const labelHeight = 18

/** What is laid out. */
export interface LayoutInput {
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
