import type { LucideIcon } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import './urgent.css'

/** What an {@link UrgentCard} takes. */
interface UrgentCardProps {
  readonly icon: LucideIcon
  /** @default 'info' */
  readonly tone?: 'bad' | 'warn' | 'info'
  readonly title: ReactNode
  readonly children?: ReactNode
  /** The one thing to do. */
  readonly action?: ReactNode
}

/** One thing that needs a person, with the one thing to do about it. */
export function UrgentCard({ icon: Icon, tone = 'info', title, children, action }: UrgentCardProps) {
  const id = useId()
  return (
    <article className="card urgent-card" data-tone={tone} aria-labelledby={id}>
      <Icon aria-hidden className="urgent-icon" />
      <div className="urgent-text">
        <h3 id={id} className="foreign">
          {title}
        </h3>
        {children}
      </div>
      {action !== undefined && <div className="row">{action}</div>}
    </article>
  )
}
