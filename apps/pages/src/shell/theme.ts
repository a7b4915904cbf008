import { useSyncExternalStore } from 'react'

/** `system` follows what the operating system says. */
export type Theme = 'system' | 'light' | 'dark'

const cookieName = 'homeward-theme'
const keptSeconds = 400 * 24 * 3600
const themes: readonly Theme[] = ['system', 'light', 'dark']
const listeners = new Set<() => void>()

let current: Theme | undefined

function readTheme(): Theme {
  current ??= themes.find((theme) => theme === readStored()) ?? 'system'
  return current
}

/** A cookie, not the local storage: both ports of the server have it. */
function readStored(): string | undefined {
  const found = document.cookie.split('; ').find((each) => each.startsWith(`${cookieName}=`))
  return found?.slice(cookieName.length + 1)
}

/** Puts the stored theme onto the page: `tokens.css` has a rule for each. */
export function applyTheme(): void {
  document.documentElement.dataset['theme'] = readTheme()
}

/** Keeps the theme for all pages of this server. A browser that takes no cookies keeps it until the page is closed. */
export function saveTheme(theme: Theme): void {
  current = theme
  document.cookie = `${cookieName}=${theme}; path=/; max-age=${keptSeconds}; samesite=strict`
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
