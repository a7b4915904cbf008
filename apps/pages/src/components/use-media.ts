import { useCallback, useSyncExternalStore } from 'react'

/** Whether a condition on the window or its device holds, such as `(pointer: coarse)`. */
export function useMedia(condition: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const query = matchMedia(condition)
      query.addEventListener('change', listener)
      return () => query.removeEventListener('change', listener)
    },
    [condition],
  )
  return useSyncExternalStore(subscribe, () => matchMedia(condition).matches)
}

/** Whether the window has no room for columns. */
export const useIsNarrow = (): boolean => useMedia('(max-width: 44rem)')
