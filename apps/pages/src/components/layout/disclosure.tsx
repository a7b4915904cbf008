import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, Disclosure as AriaDisclosure, DisclosurePanel } from 'react-aria-components'
import './disclosure.css'

/** What a {@link Disclosure} takes. */
interface DisclosureProps {
  readonly title: ReactNode
  /** @default false */
  readonly isDefaultExpanded?: boolean
  readonly isExpanded?: boolean
  readonly onExpandedChange?: (isExpanded: boolean) => void
  readonly children: ReactNode
}

/** Details that are folded until somebody wants them. */
export function Disclosure({ title, isDefaultExpanded = false, children, ...controlled }: DisclosureProps) {
  return (
    <AriaDisclosure {...controlled} defaultExpanded={isDefaultExpanded} className="disclosure">
      <div className="disclosure-heading">
        <Button slot="trigger" className="disclosure-trigger">
          <ChevronRight aria-hidden />
          <span className="foreign">{title}</span>
        </Button>
      </div>
      <DisclosurePanel className="disclosure-panel">{children}</DisclosurePanel>
    </AriaDisclosure>
  )
}
