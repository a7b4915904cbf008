import { useSyncExternalStore } from 'react'
import * as z from 'zod/mini'

const SavedView = z.object({ name: z.string(), search: z.string() })
const ViewList = z.array(SavedView)

/** A filter of the list that has a name, kept in this browser. */
export type SavedView = z.infer<typeof SavedView>

/** More nobody finds again. */
export const mostViews = 30

/** Adds a view; one with the same name is replaced. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  return [...views.filter(({ name }) => name !== view.name), view].slice(-mostViews)
}

/** Text that is not a list of views counts as an empty list. */
export function parseViews(text: string | null): readonly SavedView[] {
  try {
    const read = ViewList.safeParse(JSON.parse(text ?? '[]'))
    return read.success ? read.data.slice(0, mostViews) : []
  } catch {
    return []
  }
}

/** Views of one list, kept in this browser. */
export interface SavedViews {
  /** The views, also those that another tab has saved. */
  useViews(): readonly SavedView[]
  save(view: SavedView): void
  remove(name: string): void
}

/** Keeps the views of one list under a key of the local storage. */
export function createSavedViews(storageKey: string): SavedViews {
  let cached: { readonly text: string | null; readonly views: readonly SavedView[] } | undefined
  const listeners = new Set<() => void>()

  function readViews(): readonly SavedView[] {
    const text = readText(storageKey)
    if (cached === undefined || cached.text !== text) cached = { text, views: parseViews(text) }
    return cached.views
  }

  function writeViews(views: readonly SavedView[]): void {
    try {
      localStorage.setItem(storageKey, JSON.stringify(views))
    } catch {
      // it keeps nothing, and the list shows so
    }
    for (const listener of listeners) listener()
  }

  function subscribe(listener: () => void): () => void {
    listeners.add(listener)
    addEventListener('storage', listener)
    return () => {
      listeners.delete(listener)
      removeEventListener('storage', listener)
    }
  }

  return {
    useViews: () => useSyncExternalStore(subscribe, readViews),
    save: (view) => writeViews(withView(readViews(), view)),
    remove: (name) => writeViews(readViews().filter((view) => view.name !== name)),
  }
}

/** A browser that stores nothing has an empty list of views. */
function readText(storageKey: string): string | null {
  try {
    return localStorage.getItem(storageKey)
  } catch {
    return null
  }
}
