import type { ReactNode } from 'react'
import './filter-bar.css'

/** What a {@link FilterBar} takes. */
export interface FilterBarProps {
  /** Whether the first field takes what the others leave: one for words. @default false */
  readonly isMainFirst?: boolean
  readonly children: ReactNode
}

/** The fields above a list that narrow it. */
export function FilterBar({ isMainFirst = false, children }: FilterBarProps) {
  return (
    <search aria-label="Filters" className="filter-bar" {...(isMainFirst && { 'data-main-first': true })}>
      {children}
    </search>
  )
}
