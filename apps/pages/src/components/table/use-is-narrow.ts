import { useSyncExternalStore } from 'react'

const query = matchMedia('(max-width: 44rem)')

function subscribe(listener: () => void): () => void {
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

/** Whether the window has no room for columns. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => query.matches)
}
