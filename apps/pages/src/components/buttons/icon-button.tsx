import type { ReactNode } from 'react'
import {
  Button as AriaButton,
  type ButtonProps as AriaButtonProps,
  TooltipTrigger,
  Tooltip as AriaTooltip,
} from 'react-aria-components'
import type { ButtonVariant } from './button.tsx'
import './button.css'
import './tooltip.css'

/** What an {@link IconButton} takes besides what every button takes. */
interface IconButtonProps extends Omit<AriaButtonProps, 'children' | 'className' | 'aria-label'> {
  /** What the button does: its name for those who do not see the icon, and its tooltip. */
  readonly label: string
  readonly icon: ReactNode
  /** @default 'quiet' */
  readonly variant?: ButtonVariant
}

/** A button with an icon alone. */
export function IconButton({ label, icon, variant = 'quiet', ...rest }: IconButtonProps) {
  return (
    <TooltipTrigger delay={500}>
      <AriaButton {...rest} aria-label={label} className="button" data-variant={variant} data-icon-only>
        {icon}
      </AriaButton>
      <Tooltip>{label}</Tooltip>
    </TooltipTrigger>
  )
}

/** A few words about the control that it is the second child of, beside, in React Aria's `TooltipTrigger`. */
function Tooltip({ children }: { readonly children: ReactNode }) {
  return (
    <AriaTooltip className="tooltip" offset={6}>
      {children}
    </AriaTooltip>
  )
}
