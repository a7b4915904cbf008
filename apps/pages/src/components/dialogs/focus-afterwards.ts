import { useEffect } from 'react'

/** React Aria gives the focus back with the next frame, and takes another to look for where it is gone. */
const frames = 2

/**
 * Within a window: keeps the focus on the page when the window closes and what opened it is gone by then, a row that was
 * deleted or the page that was left. It goes to the content, as where a page begins; the keyboard would begin at the top.
 */
export function FocusAfterwards() {
  // No layout effect: it would also end while the next page loads, with the window still there.
  useEffect(() => keepFocus, [])
  return null
}

/** To be called when what has the focus goes away, or takes no press any more: unless something else takes it, the content does. */
export function keepFocus(): void {
  afterFrames(frames, focusContentIfLost)
}

function focusContentIfLost(): void {
  if (document.activeElement !== null && document.activeElement !== document.body) return
  const content = document.getElementById('content')
  // Another window is open, and keeps the focus.
  if (content === null || content.closest('[inert], [aria-hidden="true"]') !== null) return
  content.focus({ preventScroll: true })
}

function afterFrames(count: number, then: () => void): void {
  requestAnimationFrame(() => (count > 1 ? afterFrames(count - 1, then) : then()))
}
