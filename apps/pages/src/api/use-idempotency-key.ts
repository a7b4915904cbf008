import { useRef } from 'react'
import { newId } from './new-id.ts'

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
