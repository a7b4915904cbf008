import { useSyncExternalStore } from 'react'

const storageKey = 'homeward.first-steps'
const listeners = new Set<() => void>()
let current: boolean | undefined

function read(): boolean {
  try {
    current ??= localStorage.getItem(storageKey) === 'hidden'
  } catch {
    current ??= false
  }
  return current
}

/** Hides the first steps in this browser, for good. */
export function hideChecklist(): void {
  current = true
  try {
    localStorage.setItem(storageKey, 'hidden')
  } catch {
    // It counts until the page is closed.
  }
  for (const listener of listeners) listener()
}

/** Whether this browser shows the first steps no more. */
export function useIsChecklistHidden(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, read)
}
