import { Inbox } from 'lucide-react'
import type { ReactNode } from 'react'
import './state.css'

/** What an {@link EmptyState} takes. */
interface EmptyStateProps {
  readonly title: string
  /** What to do about it. */
  readonly children?: ReactNode
  /** What can be done right here: a button. */
  readonly action?: ReactNode
  readonly icon?: ReactNode
}

/** Says that there is nothing, and what to do. */
export function EmptyState({ title, children, action, icon = <Inbox aria-hidden /> }: EmptyStateProps) {
  return (
    <div className="state">
      {icon}
      <h2>{title}</h2>
      {children !== undefined && <p>{children}</p>}
      {action}
    </div>
  )
}
