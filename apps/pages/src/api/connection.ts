import { useSyncExternalStore } from 'react'

/** Whether the server answers: `connecting` until the first answer, and while it is tried again. */
export type Connection = 'online' | 'connecting' | 'offline'

let current: Connection = 'connecting'
const listeners = new Set<() => void>()

/** What the page last learned about its server. */
export function getConnection(): Connection {
  return current
}

/** Tells everybody who shows it. */
export function setConnection(next: Connection): void {
  if (next === current) return
  current = next
  for (const listener of listeners) listener()
}

/** Calls the listener after each change, until the returned function is called. */
export function onConnectionChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Whether the server answers. */
export function useConnection(): Connection {
  return useSyncExternalStore(onConnectionChange, getConnection)
}

/**
 * `fetch` that notices whether anybody answers; whatever the status, an answer is an answer. Each request has a header that
 * forms cannot send, nor pages of another origin: without it, the server does not accept the session of the person.
 */
export async function observedFetch(url: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('homeward-page', '1')
  try {
    const response = await fetch(url, { ...init, headers })
    setConnection('online')
    return response
  } catch (error) {
    if (init.signal?.aborted !== true) setConnection('offline')
    throw error
  }
}
