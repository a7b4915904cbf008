import { useSyncExternalStore } from 'react'

/** `system` follows what the operating system says. */
export type Theme = 'system' | 'light' | 'dark'

const storageKey = 'homeward.theme'
const themes: readonly Theme[] = ['system', 'light', 'dark']
const listeners = new Set<() => void>()

function readTheme(): Theme {
  const stored = localStorage.getItem(storageKey)
  return themes.find((theme) => theme === stored) ?? 'system'
}

/** Puts the stored theme onto the page: `tokens.css` has a rule for each. */
export function applyTheme(): void {
  document.documentElement.dataset['theme'] = readTheme()
}

/** Keeps the theme for all pages of this server. */
export function saveTheme(theme: Theme): void {
  localStorage.setItem(storageKey, theme)
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
