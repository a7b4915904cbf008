import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '@homeward/contract/agent-platform'
import { createRedactor, withoutNamedSecrets } from '../secrets/redact.ts'
import { copyJson, cut, toBoundedJson } from './to-json.ts'

// as text first: JSON has no negative zero
const json = fc.json().map((text) => JSON.parse(text) as Json)

describe('plain JSON', () => {
  it('passes through as it is, and a copy of it is equal and its own', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(toBoundedJson(value, Infinity)).toEqual(JSON.parse(JSON.stringify(value)))
        const copy = copyJson(value)
        expect(JSON.stringify(copy)).toBe(JSON.stringify(value))
        if (typeof value === 'object' && value !== null) expect(copy).not.toBe(value)
      }),
    )
  })

  it('keeps a key named __proto__ a key', () => {
    const value = JSON.parse('{"__proto__": {"admin": true}}') as Json
    expect(JSON.stringify(copyJson(value))).toBe('{"__proto__":{"admin":true}}')
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })

  it('holds no half of a surrogate pair in a text', () => {
    const half = '\uD83D'
    expect(toBoundedJson(half, 100)).toBe('\uFFFD')
    expect(toBoundedJson({ a: [half, '😀'] }, 100)).toEqual({ a: ['\uFFFD', '😀'] })
    expect(toBoundedJson(half.repeat(20), 10)).toEqual({
      truncated: true,
      chars: 20,
      text: '\uFFFD'.repeat(10),
    })
  })

  it('is never larger than its bound, whatever a tool gave', () => {
    fc.assert(
      fc.property(
        fc.anything({ withDate: true, withMap: true, withSparseArray: true }),
        fc.nat(200),
        (value, max) => {
          let bounded: Json
          try {
            bounded = toBoundedJson(value, max)
          } catch (error) {
            expect(error).toBeInstanceOf(Error)
            return
          }
          const text = JSON.stringify(bounded)
          if (typeof bounded === 'object' && bounded !== null && 'truncated' in bounded) {
            expect(typeof bounded.text === 'string' ? bounded.text.length : Infinity).toBeLessThanOrEqual(max)
          } else expect(text.length).toBeLessThanOrEqual(max * 6 + 30)
        },
      ),
    )
  })

  it('is never cut within a character', () => {
    expect(cut('a😀b', 2)).toBe('a')
    expect(cut('a😀b', 3)).toBe('a😀')
    expect(cut('abc', 3)).toBe('abc')
  })
})

describe('redacting', () => {
  it('leaves no secret anywhere, in no form, and changes nothing else', () => {
    const secret = 'key/with "quotes"+123'
    const redact = createRedactor([secret, 'short', ''])
    fc.assert(
      fc.property(json, fc.constantFrom(secret, encodeURIComponent(secret)), (value, form) => {
        const holding = { before: value, [form]: [form, { deep: `x${form}y` }] }
        const clean = redact.json(holding)
        expect(JSON.stringify(clean)).not.toContain(form)
        expect(clean.before).toEqual(value)
        expect(redact.json({ value })).toEqual({ value })
      }),
    )
    expect(redact.text('a short word')).toBe('a short word')
  })

  it('gives the same value back when there is nothing to hide', () => {
    const value = { a: [1, { b: 'text' }] }
    expect(createRedactor(['some secret']).json(value)).toBe(value)
    expect(createRedactor([]).json(value)).toBe(value)
  })

  it('hides what stands under the name of a secret', () => {
    expect(withoutNamedSecrets({ list: [{ apiKey: 'x', has_token: true, tokens: 5, name: 'n' }] })).toEqual({
      list: [{ apiKey: '[secret]', has_token: true, tokens: '[secret]', name: 'n' }],
    })
  })
})
