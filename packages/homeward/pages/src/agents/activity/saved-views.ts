import { useSyncExternalStore } from 'react'
import * as z from 'zod/mini'

const SavedView = z.object({ name: z.string(), search: z.string() })
const SavedViews = z.array(SavedView)

/** A filter of the list that has a name, kept in this browser. */
export type SavedView = z.infer<typeof SavedView>

const storageKey = 'homeward-activity-views'
/** More nobody finds again. */
export const mostViews = 30

/** Views that everybody has. */
export const usualViews: readonly SavedView[] = [
  { name: 'All', search: '' },
  { name: 'Failed, last 24 hours', search: 'status=failed&range=day' },
  { name: 'Waiting for a person', search: 'status=waiting' },
  { name: 'Highest cost, last 7 days', search: 'range=week&sort=-cost' },
]

let cached: { readonly text: string | null; readonly views: readonly SavedView[] } | undefined
const listeners = new Set<() => void>()

/** Adds a view; one with the same name is replaced. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  return [...views.filter(({ name }) => name !== view.name), view].slice(-mostViews)
}

function readViews(): readonly SavedView[] {
  const text = readText()
  if (cached === undefined || cached.text !== text) cached = { text, views: parseViews(text) }
  return cached.views
}

/** What somebody else wrote there, or nobody did, is no view. */
export function parseViews(text: string | null): readonly SavedView[] {
  try {
    const read = SavedViews.safeParse(JSON.parse(text ?? '[]'))
    return read.success ? read.data.slice(0, mostViews) : []
  } catch {
    return []
  }
}

/** A browser may keep nothing: then there are no views. */
function readText(): string | null {
  try {
    return localStorage.getItem(storageKey)
  } catch {
    return null
  }
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

/** The views that were saved in this browser, also by another tab. */
export function useSavedViews() {
  const views = useSyncExternalStore(subscribe, readViews)
  return {
    views,
    save: (view: SavedView) => writeViews(withView(readViews(), view)),
    remove: (name: string) => writeViews(readViews().filter((view) => view.name !== name)),
  }
}
