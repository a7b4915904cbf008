import { ChevronLeft } from 'lucide-react'
import { useEffect, type ReactNode } from 'react'
import { Link } from 'react-aria-components'
import { setPageTitle } from './page-title.ts'
import './page-header.css'

/** What a {@link PageHeader} takes. */
export interface PageHeaderProps {
  /** Also the title of the window. */
  readonly title: string
  readonly description?: ReactNode
  /** Buttons of the whole page. */
  readonly actions?: ReactNode
  /** Where the page belongs. */
  readonly back?: { readonly href: string; readonly label: string }
  /** Stays in sight while the page is scrolled, where there is room. @default false */
  readonly isSticky?: boolean
}

/** Of the title, which names the content for screen readers. */
export const pageTitleId = 'page-title'

/** The head of a page: what it is, and what can be done with it. */
export function PageHeader({ title, description, actions, back, isSticky = false }: PageHeaderProps) {
  useEffect(() => {
    setPageTitle(title)
  }, [title])
  return (
    <header className="page-header" {...(isSticky && { 'data-sticky': true })}>
      {back && (
        <Link href={back.href} className="page-back">
          <ChevronLeft aria-hidden />
          {back.label}
        </Link>
      )}
      <div className="page-header-row">
        <div className="page-header-text">
          <h1 id={pageTitleId} className="foreign">
            {title}
          </h1>
          {description !== undefined && <div className="muted foreign">{description}</div>}
        </div>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </div>
    </header>
  )
}
