import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { trimResults } from './run-search.ts'

const limits = { maxRows: 1000, maxBytes: 4 * 1024 * 1024 }
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length

it('C18: cuts a scope to 1,000 rows and says so', () => {
  const files = Array.from({ length: 1001 }, (_, index) => ({ index }))
  const results = trimResults(
    new Map<string, unknown>([
      ['files', files],
      ['apps', []],
    ]),
    new Set(),
    limits,
  )
  expect(results.files).toHaveLength(1000)
  expect(results.truncated).toEqual({ files: true })
  expect(results.apps).toEqual([])
})

it('C18: leaves what fits untouched, and keeps what a provider itself cut marked', () => {
  const found = new Map<string, unknown>([['files', [{ a: 1 }]]])
  expect(trimResults(found, new Set(), limits)).toEqual({ files: [{ a: 1 }] })
  expect(trimResults(found, new Set(['files']), limits)).toEqual({
    files: [{ a: 1 }],
    truncated: { files: true },
  })
})

it('C18: keeps the whole within its bytes, small scopes whole', () => {
  const rows = fc.array(fc.record({ name: fc.string({ unit: 'grapheme', maxLength: 60 }) }), {
    maxLength: 60,
  })
  fc.assert(
    fc.property(rows, rows, fc.string({ maxLength: 3000 }), (files, apps, notes) => {
      const found = new Map<string, unknown>([
        ['files', files],
        ['apps', apps],
        ['notes', { notes }],
        ['tiny', [1]],
      ])
      const { truncated, ...results } = trimResults(found, new Set(), { maxRows: 1000, maxBytes: 2000 })
      expect(bytes(results)).toBeLessThanOrEqual(2000 + 2)
      expect(results.tiny).toEqual([1])
      for (const [scope, value] of found) {
        expect(truncated?.[scope] ?? false).toBe(JSON.stringify(results[scope]) !== JSON.stringify(value))
      }
    }),
  )
})
