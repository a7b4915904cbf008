import { useRef } from 'react'
import { newId } from './new-id.ts'

/**
 * Keys for creations (C20): the same content gets the same key until it was `done`, so that sending it again after a broken
 * connection creates nothing twice.
 */
export function useIdempotencyKey(): {
  readonly headersFor: (body: unknown) => Readonly<Record<string, string>>
  readonly done: () => void
} {
  const last = useRef<{ readonly content: string; readonly key: string }>(undefined)
  return {
    headersFor(body) {
      const content = JSON.stringify(body)
      if (last.current?.content !== content) last.current = { content, key: newId() }
      return { 'idempotency-key': last.current.key }
    },
    done: () => (last.current = undefined),
  }
}
