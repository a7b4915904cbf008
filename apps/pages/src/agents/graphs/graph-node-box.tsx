import { Handle, type Node, type NodeProps, Position } from '@xyflow/react'
import { CircleAlert, CircleCheck, CircleDashed, CircleSlash, Hand, LoaderCircle } from 'lucide-react'
import type { NodeStatus } from './graph-run-state.ts'
import { nodeStatusLabels } from './node-status.ts'

/** What a box shows. */
export interface NodeBoxContent extends Record<string, unknown> {
  readonly title: string
  readonly subtitle: string
  /** In a run. */
  readonly status: NodeStatus | undefined
  /** Whether something is wrong with it. */
  readonly hasProblem: boolean
  readonly isEditable: boolean
}

/** A node as the drawing holds it. */
export type DrawnNode = Node<NodeBoxContent, 'step'>

const icons: Readonly<Record<NodeStatus, typeof CircleCheck>> = {
  pending: CircleDashed,
  running: LoaderCircle,
  waiting: Hand,
  completed: CircleCheck,
  failed: CircleAlert,
  skipped: CircleSlash,
}

/** The box of a node. What it says is text that people chose: it is only ever text. */
export function GraphNodeBox({ data, sourcePosition, targetPosition }: NodeProps<DrawnNode>) {
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
