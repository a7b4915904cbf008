import type { ReactNode } from 'react'
import './status-badge.css'

/** What a status means for who looks at it. */
export type StatusTone = 'good' | 'warn' | 'bad' | 'info' | 'neutral'

const toneOf: Readonly<Record<string, StatusTone>> = {
  online: 'good',
  completed: 'good',
  running: 'info',
  uploading: 'info',
  ok: 'good',
  on: 'good',
  enabled: 'good',
  active: 'good',
  pending: 'warn',
  queued: 'warn',
  waiting: 'warn',
  waiting_approval: 'warn',
  retrying: 'warn',
  failed: 'bad',
  error: 'bad',
  timeout: 'bad',
  denied: 'bad',
}

/** What a {@link StatusBadge} takes. */
interface StatusBadgeProps {
  readonly status: string
  /** @default what the status usually means */
  readonly tone?: StatusTone
  /** Instead of the status itself. */
  readonly children?: ReactNode
}

/** A status as a word, with a colour that says the same. */
export function StatusBadge({ status, tone = toneOf[status] ?? 'neutral', children }: StatusBadgeProps) {
  return (
    <span className="status-badge" data-tone={tone} data-status={status}>
      {children ?? status.replaceAll('_', ' ')}
    </span>
  )
}
