import type { ReactElement } from 'react'
import { ListLayout, Popover, Virtualizer } from 'react-aria-components'
import './select-field.css'

/** What an {@link OptionPopover} takes. */
interface OptionPopoverProps {
  /** How many options there may be in the list. */
  readonly count: number
  /** A `ListBox` of the class `select-list`, with items of the class `select-item`. */
  readonly children: ReactElement
}

/** More of them would keep the page busy for seconds: only those in sight are in the document. */
const maxPlain = 100

/** The list that a field opens: of some options, or of thousands. */
export function OptionPopover({ count, children }: OptionPopoverProps) {
  const isLong = count > maxPlain
  return (
    <Popover className="popover select-popover" {...(isLong && { 'data-long': true })}>
      {isLong ? (
        <Virtualizer layout={ListLayout} layoutOptions={{ estimatedRowSize: 33 }}>
          {children}
        </Virtualizer>
      ) : (
        children
      )}
    </Popover>
  )
}
