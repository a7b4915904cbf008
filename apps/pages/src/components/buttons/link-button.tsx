import type { ReactNode } from 'react'
import { Link as AriaLink, type LinkProps as AriaLinkProps } from 'react-aria-components'
import type { ButtonVariant } from './button.tsx'
import './button.css'

/** What a {@link LinkButton} takes besides what every link takes. */
interface LinkButtonProps extends Omit<AriaLinkProps, 'children' | 'className'> {
  readonly href: string
  /** @default 'secondary' */
  readonly variant?: ButtonVariant
  /** Before the text. */
  readonly icon?: ReactNode
  readonly children: ReactNode
}

/** A link that looks like a button: for what leads to another page, or downloads. */
export function LinkButton({ variant = 'secondary', icon, children, ...rest }: LinkButtonProps) {
  return (
    <AriaLink {...rest} className="button" data-variant={variant}>
      {icon}
      {children}
    </AriaLink>
  )
}
