import { useSyncExternalStore } from 'react'

const query = matchMedia('(pointer: coarse)')

function subscribe(listener: () => void): () => void {
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

/** Whether fingers write here: there is no Shift+Enter on the keyboard of a phone, and there is a camera. */
export function useHasTouch(): boolean {
  return useSyncExternalStore(subscribe, () => query.matches)
}
