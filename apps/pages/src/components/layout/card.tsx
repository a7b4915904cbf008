import type { ReactNode } from 'react'
import './card.css'

/** What a {@link Card} takes. */
interface CardProps {
  readonly title?: ReactNode
  /** Buttons beside the title. */
  readonly actions?: ReactNode
  /** Without padding, for tables that reach the edges. @default false */
  readonly isFlush?: boolean
  readonly children: ReactNode
}

/** What belongs together, in a frame. */
export function Card({ title, actions, isFlush = false, children }: CardProps) {
  return (
    <section className="card" {...(isFlush && { 'data-flush': true })}>
      {(title !== undefined || actions !== undefined) && (
        <header className="card-header">
          {title !== undefined && <h2>{title}</h2>}
          {actions !== undefined && <div className="row">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  )
}
