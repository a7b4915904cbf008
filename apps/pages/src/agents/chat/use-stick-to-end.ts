import { type RefObject, useEffect, useRef, useState } from 'react'

/** Where the newest text ends, and whether the reader is there. */
export interface StickyEnd {
  readonly endRef: RefObject<HTMLDivElement | null>
  readonly isAtEnd: boolean
  readonly scrollToEnd: () => void
}

/** Keeps the end in sight while it moves, as long as the reader has not scrolled away from it. */
export function useStickToEnd(moved: unknown): StickyEnd {
  const endRef = useRef<HTMLDivElement>(null)
  const wasAtEnd = useRef(true)
  const [isAtEnd, setIsAtEnd] = useState(true)

  useEffect(() => {
    const onScroll = () => {
      const { scrollHeight, clientHeight, scrollTop } = document.documentElement
      wasAtEnd.current = scrollHeight - clientHeight - scrollTop < 120
      setIsAtEnd(wasAtEnd.current)
    }
    window.addEventListener('scroll', onScroll, { passive: true })
    return () => window.removeEventListener('scroll', onScroll)
  }, [])

  const scrollToEnd = () => endRef.current?.scrollIntoView({ block: 'end' })
  useEffect(() => {
    if (wasAtEnd.current) endRef.current?.scrollIntoView({ block: 'end' })
  }, [moved])
  // What is laid out behind that, as Markdown is, moves it too. Who opens something in the transcript looks at that.
  useEffect(() => {
    const thread = endRef.current?.parentElement
    if (!thread) return undefined
    const observer = new ResizeObserver(() => {
      const isReading = document.activeElement?.closest('[role="log"]')
      if (wasAtEnd.current && !isReading) endRef.current?.scrollIntoView({ block: 'end' })
    })
    observer.observe(thread)
    return () => observer.disconnect()
  }, [])
  return { endRef, isAtEnd, scrollToEnd }
}
