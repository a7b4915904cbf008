import type { ReactNode } from 'react'

/** What a {@link ForeignLink} takes. */
interface ForeignLinkProps {
  readonly href: string | undefined
  readonly children: ReactNode
}

/** A link that came from outside. One that leads anywhere but to the web or to a mail program is text. */
export function ForeignLink({ href, children }: ForeignLinkProps) {
  if (href === undefined || !isSafe(href)) return <span>{children}</span>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  )
}

/** Without a base: a relative address would lead to a page of this server. */
function isSafe(href: string): boolean {
  const url = URL.parse(href)
  return url !== null && ['http:', 'https:', 'mailto:'].includes(url.protocol)
}
