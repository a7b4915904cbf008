import { Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import './notice.css'

/** What a {@link Notice} takes. */
interface NoticeProps {
  /** @default 'info' */
  readonly tone?: 'info' | 'warn' | 'bad'
  readonly children: ReactNode
  /** Buttons. */
  readonly actions?: ReactNode
}

/** What people should know here, within a page or a form. */
export function Notice({ tone = 'info', children, actions }: NoticeProps) {
  const Icon = tone === 'info' ? Info : TriangleAlert
  return (
    <div className="notice" data-tone={tone}>
      <Icon aria-hidden />
      <div className="notice-text foreign">{children}</div>
      {actions !== undefined && <div className="row">{actions}</div>}
    </div>
  )
}
