import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react'

/** Browsers take a change of the history's state some hundred times a minute. */
const pauseMs = 200

/**
 * Keeps the place of what scrolls within the page in the tab's history, as the browser does for the page itself: whoever
 * comes back finds it.
 *
 * @param name of what scrolls, once on its page.
 * @returns to be called when it scrolls.
 */
export function useKeptScroll(scroller: RefObject<HTMLElement | null>, name: string): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useLayoutEffect(() => {
    const top = readPlaces()[name]
    if (scroller.current && typeof top === 'number') scroller.current.scrollTop = top
  }, [scroller, name])
  useEffect(() => () => clearTimeout(timer.current), [])

  return useCallback(() => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      const places = { ...readPlaces(), [name]: scroller.current?.scrollTop ?? 0 }
      history.replaceState({ ...readState(), places }, '')
    }, pauseMs)
  }, [scroller, name])
}

function readState(): object {
  const state: unknown = history.state
  return typeof state === 'object' && state !== null ? state : {}
}

function readPlaces(): Readonly<Record<string, unknown>> {
  const places: unknown = Reflect.get(readState(), 'places')
  return typeof places === 'object' && places !== null ? { ...places } : {}
}
