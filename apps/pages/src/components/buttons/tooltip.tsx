import type { ReactNode } from 'react'
import { Tooltip as AriaTooltip } from 'react-aria-components'
import './tooltip.css'

/** A few words about the control that it is the second child of, beside, in React Aria's `TooltipTrigger`. */
export function Tooltip({ children }: { readonly children: ReactNode }) {
  return (
    <AriaTooltip className="tooltip" offset={6}>
      {children}
    </AriaTooltip>
  )
}
