import { SlidersHorizontal } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../buttons/button.tsx'
import './filter-bar.css'
import { useMedia } from '../use-media.ts'

/** What a {@link FilterBar} takes. */
interface FilterBarProps {
  /**
   * Whether the first field takes what the others leave: one for words. Narrow windows fold the others.
   *
   * @default false
   */
  readonly isMainFirst?: boolean
  /** How many of the folded fields narrow the list. @default 0 */
  readonly active?: number
  readonly children: ReactNode
}

/** The fields above a list that narrow it. */
export function FilterBar({ isMainFirst = false, active = 0, children }: FilterBarProps) {
  const isFoldable = useMedia('(max-width: 56.25rem)') && isMainFirst
  const [isOpen, setIsOpen] = useState(false)
  return (
    <search
      aria-label="Filters"
      className="filter-bar"
      {...(isMainFirst && { 'data-main-first': true })}
      {...(isFoldable && { 'data-folds': isOpen ? 'open' : 'closed' })}
    >
      {children}
      {isFoldable && (
        <Button
          icon={<SlidersHorizontal aria-hidden />}
          aria-expanded={isOpen}
          onPress={() => setIsOpen(!isOpen)}
        >
          {active === 0 ? 'Filters' : `Filters (${active})`}
        </Button>
      )}
    </search>
  )
}
