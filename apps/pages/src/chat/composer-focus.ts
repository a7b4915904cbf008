import { createContext } from 'react'

/**
 * Puts the focus where the next message is written: what had it may be gone once it has done its work. Pages where nothing
 * is written take it as a whole.
 */
export const ComposerFocus = createContext<() => void>(() => document.getElementById('content')?.focus())
