import { useRef } from 'react'

/**
 * Keys for creations (C20): the same content gets the same key until it was `done`, so that sending it again after a broken
 * connection creates nothing twice.
 */
export function useIdempotencyKey(): {
  readonly keyFor: (body: unknown) => string
  readonly headersFor: (body: unknown) => Readonly<Record<string, string>>
  readonly done: () => void
} {
  const last = useRef<{ readonly content: string; readonly key: string }>(undefined)
  const keyFor = (body: unknown): string => {
    const content = JSON.stringify(body)
    if (last.current?.content !== content) last.current = { content, key: newId() }
    return last.current.key
  }
  return {
    keyFor,
    headersFor: (body) => ({ 'idempotency-key': keyFor(body) }),
    done: () => (last.current = undefined),
  }
}

/** A new id that nobody guesses. `crypto.randomUUID` is not there on plain HTTP, which a server at home may speak. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
