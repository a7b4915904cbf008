import type { ChangeEvent } from 'react'
import './selection-box.css'

interface SelectionBoxProps {
  readonly label: string
  readonly isSelected: boolean
  readonly isIndeterminate?: boolean
  /** Whether Tab goes to it: not in each of ten thousand rows. @default true */
  readonly isTabStop?: boolean
  readonly onChange: (isSelected: boolean) => void
}

/**
 * The checkbox that chooses a row of a table, or all of them. The browser's own: there is one in each row, and a scroll makes
 * hundreds of them.
 */
export function SelectionBox({
  label,
  isSelected,
  isIndeterminate = false,
  isTabStop = true,
  onChange,
}: SelectionBoxProps) {
  return (
    <input
      type="checkbox"
      className="selection-box"
      aria-label={label}
      checked={isSelected}
      tabIndex={isTabStop ? 0 : -1}
      ref={(box) => {
        if (box) box.indeterminate = isIndeterminate
      }}
      onChange={(event: ChangeEvent<HTMLInputElement>) => onChange(event.currentTarget.checked)}
    />
  )
}
