import { Link } from 'wouter'
import { hrefOfLabel } from './device-filter.ts'
import './labels.css'

interface LabelsProps {
  readonly labels: readonly string[]
  /** Whether the row around them has the tab stop. @default false */
  readonly isInRow?: boolean
}

/** Labels of a device: each leads to the devices that have it. */
export function Labels({ labels, isInRow = false }: LabelsProps) {
  if (labels.length === 0) return <span className="muted">–</span>
  return (
    <span className="labels">
      {labels.map((label) => (
        <Link key={label} href={hrefOfLabel(label)} className="label" {...(isInRow && { tabIndex: -1 })}>
          {label}
        </Link>
      ))}
    </span>
  )
}
