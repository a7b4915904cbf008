import { expect, it } from 'vitest'
import { createTestStore } from './create-test-store.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import { firstFailureOf } from './first-failure-of.ts'
import { exactValueCases } from './letter-conformance.ts'

type Change = (value: unknown) => unknown

/** A store that is told something else than it was given. */
function telling(change: Change): RuntimeStore {
  const changed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(changed)
    if (typeof value !== 'object' || value === null) return change(value)
    return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, changed(held)]))
  }
  const entries = Object.entries(createTestStore()).map(([name, held]) => [
    name,
    typeof held === 'function'
      ? (...args: unknown[]) => (held as (...args: unknown[]) => unknown)(...args.map(changed))
      : held,
  ])
  return Object.fromEntries(entries) as RuntimeStore // the same verbs
}

/** Of texts that `fold` makes one of, a store only ever sees the first. */
function folding(fold: (text: string) => string): Change {
  const first = new Map<string, string>()
  return (value) => {
    if (typeof value !== 'string') return value
    if (!first.has(fold(value))) first.set(fold(value), value)
    return first.get(fold(value))
  }
}

const ofTexts =
  (change: (text: string) => unknown): Change =>
  (value) =>
    typeof value === 'string' ? change(value) : value

const changes: Record<string, () => Change> = {
  'takes no account of case': () => folding((text) => text.toLowerCase()),
  'takes no account of a space at the end': () => folding((text) => text.trimEnd()),
  'takes no account of how an accent is written': () => folding((text) => text.normalize('NFC')),
  'takes no account of accents': () => folding((text) => text.normalize('NFD').replace(/\p{M}/gu, '')),
  'keeps times to the second': () =>
    ofTexts((text) => (/^\d{4}-.*Z$/.test(text) ? text.replace(/\.\d+/, '.000') : text)),
  'keeps no fractions': () => (value) => (typeof value === 'number' ? Math.trunc(value) : value),
  'keeps small whole numbers': () => (value) => (typeof value === 'number' ? value | 0 : value),
  'keeps an empty text as none': () => ofTexts((text) => (text === '' ? null : text)),
  'cuts long texts': () => ofTexts((text) => text.slice(0, 65_535)),
}

it('a store that is whole passes', async () => {
  expect(await firstFailureOf(exactValueCases, () => telling((value) => value))).toBeUndefined()
})

it.each(Object.keys(changes))('a store that %s fails', async (name) => {
  expect(
    await firstFailureOf(exactValueCases, () => telling(changes[name]?.() ?? ((value) => value))),
  ).toBeDefined()
})
