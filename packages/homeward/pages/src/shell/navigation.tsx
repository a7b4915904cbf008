import type { LucideIcon } from 'lucide-react'
import { Link } from 'react-aria-components'

/** One page that the navigation leads to. */
export interface NavigationItem {
  readonly href: string
  readonly label: string
  readonly icon: LucideIcon
}

/** Pages that belong together. */
export interface NavigationGroup {
  /** Above them; none for the first few. */
  readonly label?: string
  readonly items: readonly NavigationItem[]
}

/** The pages of the application; the one that shows is marked. */
export function Navigation({
  groups,
  path,
}: {
  readonly groups: readonly NavigationGroup[]
  readonly path: string
}) {
  return (
    <nav aria-label="Pages" className="navigation">
      {groups.map(({ label, items }) => (
        <div key={label ?? ''} className="navigation-group">
          {label !== undefined && <div className="navigation-label">{label}</div>}
          <ul>
            {items.map(({ href, label: text, icon: Icon }) => (
              <li key={href}>
                <Link
                  href={href}
                  className="navigation-item"
                  {...(isCurrent(href, path) && { 'aria-current': 'page' as const })}
                >
                  <Icon aria-hidden />
                  {text}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}

function isCurrent(href: string, path: string): boolean {
  return href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`)
}
