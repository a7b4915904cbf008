import { LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components'
import './button.css'

/** How much a button stands out. */
export type ButtonVariant = 'primary' | 'secondary' | 'danger' | 'quiet'

/** What a {@link Button} takes besides what every button takes. */
interface ButtonProps extends Omit<AriaButtonProps, 'children' | 'className'> {
  /** @default 'secondary' */
  readonly variant?: ButtonVariant
  /** Before the text. */
  readonly icon?: ReactNode
  readonly children: ReactNode
}

/** A button with text. While `isPending` it keeps the focus, does nothing, and says so. */
export function Button({ variant = 'secondary', icon, children, ...rest }: ButtonProps) {
  return (
    <AriaButton {...rest} className="button" data-variant={variant}>
      {rest.isPending === true ? <LoaderCircle className="spinner" aria-hidden /> : icon}
      {children}
    </AriaButton>
  )
}
