import { type RefObject, useEffect, useRef } from 'react'

/** Sent by the browser for a way back or forward, and by the router for each other change of the address. */
const addressEvents = ['popstate', 'pushState', 'replaceState']

/**
 * A page that was gone to begins at its top; the browser itself keeps the place of one that was come back to. The focus goes
 * to the content, unless it is there: a field of the page may have taken it.
 */
export function usePageStart(path: string, content: RefObject<HTMLElement | null>): void {
  const change = useRef('')
  useEffect(() => {
    const note = ({ type }: Event) => void (change.current = type)
    // Before the router hears of it, and shows the page.
    for (const type of addressEvents) window.addEventListener(type, note, true)
    return () => {
      for (const type of addressEvents) window.removeEventListener(type, note, true)
    }
  }, [])

  const shown = useRef(path)
  useEffect(() => {
    if (shown.current === path) return
    shown.current = path
    if (change.current !== 'popstate') window.scrollTo(0, 0)
    if (!hasFocus(content.current)) content.current?.focus({ preventScroll: true })
  }, [path, content])
}

/** What is left of the page before, until the next has loaded, is in the document and not in sight. */
function hasFocus(content: HTMLElement | null): boolean {
  const focused = document.activeElement
  return focused !== null && content?.contains(focused) === true && focused.checkVisibility()
}
