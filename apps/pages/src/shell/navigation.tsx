import { Link } from 'react-aria-components'
import { useServerFacts } from '../api/server-facts.ts'
import { WaitingBadge } from './notices/lazy-notices.tsx'
import { findSection, type Half, type Section, sections } from './sections.ts'

/** The sections of the application. The one that is open shows its pages. */
export function Navigation({ path }: { readonly path: string }) {
  const serves = useServerFacts()?.serves
  const isServed = (half: Half) => serves?.[half] !== false
  const open = findSection(path)
  return (
    <nav aria-label="Pages" className="navigation">
      <ul>
        {sections.map((section) => {
          const pages = section.pages.filter(({ half = section.half }) => isServed(half))
          const [first] = pages
          if (!first) return null
          const isOpen = section === open?.section
          return (
            <li key={section.label}>
              <SectionLink section={section} href={first.href} isCurrent={isOpen && pages.length === 1} />
              {isOpen && pages.length > 1 && (
                <ul className="navigation-pages" aria-label={section.label}>
                  {pages.map(({ href, label }) => (
                    <li key={href}>
                      <Link href={href} className="navigation-item" {...current(href === open.page.href)}>
                        {label}
                      </Link>
                    </li>
                  ))}
                </ul>
              )}
            </li>
          )
        })}
      </ul>
    </nav>
  )
}

const current = (isCurrent: boolean) => (isCurrent ? { 'aria-current': 'page' as const } : {})

interface SectionLinkProps {
  readonly section: Section
  readonly href: string
  readonly isCurrent: boolean
}

function SectionLink({ section: { label, icon: Icon }, href, isCurrent }: SectionLinkProps) {
  return (
    <Link href={href} className="navigation-item" {...current(isCurrent)}>
      <Icon aria-hidden />
      {label}
      {href === '/' && <WaitingBadge />}
    </Link>
  )
}
