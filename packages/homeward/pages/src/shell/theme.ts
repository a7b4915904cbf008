import { useSyncExternalStore } from 'react'

/** `system` follows what the operating system says. */
export type Theme = 'system' | 'light' | 'dark'

const storageKey = 'homeward.theme'
const themes: readonly Theme[] = ['system', 'light', 'dark']
const listeners = new Set<() => void>()

let current: Theme | undefined

function readTheme(): Theme {
  current ??= themes.find((theme) => theme === readStored()) ?? 'system'
  return current
}

/** A browser that lets pages keep nothing throws at the question. */
function readStored(): string | null {
  try {
    return localStorage.getItem(storageKey)
  } catch {
    return null
  }
}

/** Puts the stored theme onto the page: `tokens.css` has a rule for each. */
export function applyTheme(): void {
  document.documentElement.dataset['theme'] = readTheme()
}

/** Keeps the theme for all pages of this server. */
export function saveTheme(theme: Theme): void {
  current = theme
  try {
    localStorage.setItem(storageKey, theme)
  } catch {
    // It counts until the page is closed.
  }
  applyTheme()
  for (const listener of listeners) listener()
}

/** The theme that was chosen. */
export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, readTheme)
}
