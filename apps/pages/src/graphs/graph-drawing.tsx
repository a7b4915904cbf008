import {
  Background,
  Controls,
  type Edge,
  type EdgeChange,
  MarkerType,
  type NodeChange,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
  Handle,
  type Node,
  type NodeProps,
} from '@xyflow/react'
import '@xyflow/react/dist/base.css'
import { useEffect, useMemo, useRef } from 'react'
import './graph-drawing.css'
import { layoutGraph, nodeSizes } from './graph-layout.ts'
import type { NodeStatus } from './graph-run-state.ts'
import { useIsNarrow } from '../components/use-media.ts'
import { CircleAlert, CircleCheck, CircleDashed, CircleSlash, Hand, LoaderCircle } from 'lucide-react'
import { nodeStatusLabels } from './graph-run-state.ts'

/** What a box shows. */
interface NodeBoxContent extends Record<string, unknown> {
  readonly title: string
  readonly subtitle: string
  /** In a run. */
  readonly status: NodeStatus | undefined
  /** Whether something is wrong with it. */
  readonly hasProblem: boolean
  readonly isEditable: boolean
}

/** A node as the drawing holds it. */
type DrawnNode = Node<NodeBoxContent, 'step'>

const icons: Readonly<Record<NodeStatus, typeof CircleCheck>> = {
  pending: CircleDashed,
  running: LoaderCircle,
  waiting: Hand,
  completed: CircleCheck,
  failed: CircleAlert,
  skipped: CircleSlash,
}

/** The box of a node. What it says is text that people chose: it is only ever text. */
function GraphNodeBox({ data, sourcePosition, targetPosition }: NodeProps<DrawnNode>) {
  const { title, subtitle, status, hasProblem, isEditable } = data
  const Icon = status === undefined ? (hasProblem ? CircleAlert : undefined) : icons[status]
  return (
    <div className="graph-node" data-status={status ?? 'none'} {...(hasProblem && { 'data-problem': true })}>
      <Handle type="target" position={targetPosition ?? Position.Left} isConnectable={isEditable} />
      <span className="graph-node-texts">
        <span className="graph-node-title truncate" dir="auto">
          {title}
        </span>
        <span className="graph-node-subtitle truncate" dir="auto">
          {status === undefined ? subtitle : `${subtitle} · ${nodeStatusLabels[status]}`}
        </span>
      </span>
      {Icon && <Icon className="graph-node-icon" aria-hidden />}
      <Handle type="source" position={sourcePosition ?? Position.Right} isConnectable={isEditable} />
    </div>
  )
}

/** A node to draw. */
interface DrawingNode {
  /** Never shown. */
  readonly key: string
  readonly title: string
  readonly subtitle: string
  readonly status?: NodeStatus | undefined
  readonly hasProblem?: boolean
}

/** An edge to draw; its ends are keys of nodes. */
interface DrawingEdge {
  readonly key: string
  readonly from: string
  readonly to: string
  /** When it is taken. */
  readonly label: string
  readonly hasProblem?: boolean
}

/** What a {@link GraphDrawing} shows, and what can be done to it. */
interface GraphDrawingProps {
  /** What the drawing is of, for those who do not see it. */
  readonly label: string
  readonly nodes: readonly DrawingNode[]
  readonly edges: readonly DrawingEdge[]
  /** Key of the node or the edge that is looked at. */
  readonly selected: string | undefined
  readonly onSelect: (key: string | undefined) => void
  /** With these the graph can be edited. */
  readonly onConnect?: (from: string, to: string) => void
  readonly onRemove?: (keys: readonly string[]) => void
}

const nodeTypes = { step: GraphNodeBox }
/** The buttons at the top take a row of their own. */
const fitting = { padding: { top: '52px', bottom: '12%', x: '12%' }, maxZoom: 1 } as const
const removeKeys = ['Delete', 'Backspace']
/** What is said besides the name of a box or an edge. Those of the library speak of moving boxes, and always of removing. */
const hintsOfEdited = toHints('Press Enter to select, Delete to remove the selection, Escape to deselect.')
const hintsOfShown = toHints('Press Enter to select, Escape to deselect.')

function toHints(hint: string) {
  return {
    'node.a11yDescription.default': hint,
    'node.a11yDescription.keyboardDisabled': hint,
    'edge.a11yDescription.default': hint,
  }
}

/** A graph as a drawing, laid out by its edges. Everything in it can be done beside it too, without seeing it. */
export function GraphDrawing(props: GraphDrawingProps) {
  return (
    <div className="graph-drawing">
      <ReactFlowProvider>
        <Drawing {...props} />
      </ReactFlowProvider>
    </div>
  )
}

function Drawing({ label, nodes, edges, selected, onSelect, onConnect, onRemove }: GraphDrawingProps) {
  const drawn = useDrawn({ nodes, edges, selected, isEditable: onConnect !== undefined })
  useFitted(drawn.shape)

  // What is chosen and what is left for it is told by two calls, before anything is rendered again.
  const chosen = useRef(selected)
  chosen.current = selected
  function follow(changes: readonly (NodeChange<DrawnNode> | EdgeChange)[]): void {
    for (const change of changes) {
      if (change.type !== 'select') continue
      if (change.selected) chosen.current = change.id
      else if (change.id === chosen.current) chosen.current = undefined
    }
    if (chosen.current !== selected) onSelect(chosen.current)
  }

  return (
    <ReactFlow<DrawnNode>
      aria-label={label}
      ariaLabelConfig={onRemove ? hintsOfEdited : hintsOfShown}
      nodes={drawn.nodes}
      edges={drawn.edges}
      nodeTypes={nodeTypes}
      onNodesChange={follow}
      onEdgesChange={follow}
      onConnect={({ source, target }) => onConnect?.(source, target)}
      onDelete={(gone) => onRemove?.([...gone.nodes, ...gone.edges].map(({ id }) => id))}
      deleteKeyCode={onRemove ? removeKeys : null}
      nodesDraggable={false}
      nodesConnectable={onConnect !== undefined}
      zoomOnScroll={false}
      preventScrolling={false}
      minZoom={0.1}
      fitView
      fitViewOptions={fitting}
    >
      <Background />
      <Controls
        position="top-right"
        orientation="horizontal"
        showInteractive={false}
        fitViewOptions={fitting}
      />
    </ReactFlow>
  )
}

/** Shows all of it again whenever there is more or less of it, or of the room for it. */
function useFitted(shape: string): void {
  const { fitView } = useReactFlow()
  const room = useStore(({ width, height }) => `${width} × ${height}`)
  useEffect(() => {
    void fitView(fitting)
  }, [fitView, shape, room])
}

interface DrawnInput extends Pick<GraphDrawingProps, 'nodes' | 'edges' | 'selected'> {
  readonly isEditable: boolean
}

function useDrawn({ nodes, edges, selected, isEditable }: DrawnInput) {
  const direction = useIsNarrow() ? 'down' : 'right'
  const shape = JSON.stringify([
    direction,
    nodes.map(({ key }) => key),
    edges.map(({ from, to, label }) => [from, to, shorten(label).length]),
  ])
  const places = useMemo(
    () =>
      layoutGraph({
        ids: nodes.map(({ key }) => key),
        edges: edges.map(({ from, to, label }) => ({ source: from, target: to, label: shorten(label) })),
        direction,
      }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- all that a layout depends on; texts and states move nothing
    [shape],
  )
  const isDown = direction === 'down'
  return {
    shape,
    nodes: nodes.map(({ key, title, subtitle, status, hasProblem = false }): DrawnNode => ({
      id: key,
      type: 'step',
      position: places.get(key) ?? { x: 0, y: 0 },
      ...nodeSizes[direction],
      data: { title, subtitle, status, hasProblem, isEditable },
      selected: key === selected,
      sourcePosition: isDown ? Position.Bottom : Position.Right,
      targetPosition: isDown ? Position.Top : Position.Left,
      ariaRole: 'button',
      domAttributes: { 'aria-pressed': key === selected },
    })),
    edges: edges.map((edge) => toDrawnEdge(edge, nodes, selected)),
  }
}

/** Longer conditions are told beside the drawing. */
const maxLabel = 32
const shorten = (label: string) => (label.length > maxLabel ? `${label.slice(0, maxLabel)}…` : label)

function toDrawnEdge(
  { key, from, to, label, hasProblem = false }: DrawingEdge,
  nodes: readonly DrawingNode[],
  selected: string | undefined,
): Edge {
  const nodeOf = (id: string) => nodes.find((node) => node.key === id)
  const isLive = nodeOf(to)?.status === 'running' && nodeOf(from)?.status === 'completed'
  const text = shorten(label)
  const ends = `from ${nodeOf(from)?.title ?? 'nowhere'} to ${nodeOf(to)?.title ?? 'nowhere'}`
  return {
    id: key,
    source: from,
    target: to,
    selected: key === selected,
    animated: isLive,
    ...(text !== '' && { label: text }),
    className: hasProblem ? 'graph-edge-problem' : '',
    markerEnd: {
      type: MarkerType.ArrowClosed,
      width: 18,
      height: 18,
      color: key === selected ? 'var(--color-focus)' : 'var(--graph-edge)',
    },
    ariaLabel: `Edge ${ends}${label && `, when the output ${label}`}`,
    ariaRole: 'button',
    domAttributes: { 'aria-pressed': key === selected },
  }
}
