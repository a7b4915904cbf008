import { type RefObject, useLayoutEffect, useRef } from 'react'

/** The value of the last render, in a reference that stays the same: for what is called later and not shown. */
export function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value)
  useLayoutEffect(() => {
    latest.current = value
  })
  return latest
}
