import { type FocusEvent, type RefObject, useLayoutEffect, useRef } from 'react'

/**
 * Gives the focus to a row when the button that had it goes away with what it did: nothing would have it otherwise.
 *
 * @param onFocus the row, or something in it, got the focus.
 */
export function useKeptRowFocus(
  row: RefObject<HTMLElement | null>,
  onFocus: () => void,
): {
  readonly onFocus: (event: FocusEvent) => void
  readonly onBlur: (event: FocusEvent) => void
} {
  const focused = useRef<Element>(null)
  useLayoutEffect(() => {
    if (focused.current?.isConnected !== false) return
    focused.current = null
    if (document.activeElement === document.body) row.current?.focus({ preventScroll: true })
  })
  return {
    onFocus({ target }) {
      focused.current = target
      onFocus()
    },
    // Without another that gets it, it may be the button that goes.
    onBlur({ relatedTarget }) {
      if (relatedTarget !== null) focused.current = null
    },
  }
}
