import { useSyncExternalStore } from 'react'

const storageKey = 'homeward.handled-failures'
const mostKept = 50
const listeners = new Set<() => void>()
const none: Readonly<Record<string, string>> = {}

let current: Readonly<Record<string, string>> | undefined

function read(): Readonly<Record<string, string>> {
  current ??= parse()
  return current
}

function parse(): Readonly<Record<string, string>> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '{}')
    if (typeof stored !== 'object' || stored === null) return none
    const entries = Object.entries(stored as Record<string, unknown>)
    return Object.fromEntries(
      entries.flatMap(([key, value]) => (typeof value === 'string' ? [[key, value] as const] : [])),
    )
  } catch {
    return none
  }
}

/** Remembers in this browser that a person has dealt with the failures of a group up to a time. */
export function markHandled(key: string, until: string): void {
  const others = Object.entries(read()).filter(([each]) => each !== key)
  const entries: [string, string][] = [...others, [key, until]]
  current = Object.fromEntries(entries.slice(-mostKept))
  try {
    localStorage.setItem(storageKey, JSON.stringify(current))
  } catch {
    // It counts until the page is closed.
  }
  for (const listener of listeners) listener()
}

/** Until when a person has dealt with the failures of each group, by its key. */
export function useHandledFailures(): Readonly<Record<string, string>> {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, read)
}
