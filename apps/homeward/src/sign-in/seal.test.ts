import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSeal } from './seal.ts'

const seal = createSeal('a secret of the server, long enough')
const values = fc.dictionary(fc.string(), fc.jsonValue())

it('opens what it has sealed, for the same purpose only', () => {
  fc.assert(
    fc.property(values, fc.string(), fc.string(), (value, purpose, other) => {
      const text = seal.seal(purpose, value)
      expect(text).toMatch(/^[\w-]+$/)
      expect(seal.open(purpose, text)).toEqual(JSON.parse(JSON.stringify(value)))
      if (other !== purpose) expect(seal.open(other, text)).toBeUndefined()
    }),
  )
})

it('rejects a text of which one bit is another one', () => {
  fc.assert(
    fc.property(values, fc.nat(), (value, seed) => {
      const bytes = Buffer.from(seal.seal('session', value), 'base64url')
      const bit = seed % (bytes.length * 8)
      bytes[bit >> 3]! ^= 1 << (bit & 7)
      expect(seal.open('session', bytes.toString('base64url'))).toBeUndefined()
    }),
  )
})

it('rejects a text of which one character is another one, or that is cut or longer', () => {
  const text = seal.seal('session', { id: 'a' })
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/='
  for (let at = 0; at < text.length; at += 1) {
    for (const other of alphabet) {
      if (text[at] === other) continue
      expect(seal.open('session', text.slice(0, at) + other + text.slice(at + 1))).toBeUndefined()
    }
    expect(seal.open('session', text.slice(0, at))).toBeUndefined()
  }
  for (const more of alphabet) expect(seal.open('session', text + more)).toBeUndefined()
})

it('rejects what another server has sealed, and never writes the same text twice', () => {
  const other = createSeal('another secret of another server, too')
  expect(seal.open('session', other.seal('session', { id: 'a' }))).toBeUndefined()
  expect(seal.seal('session', { id: 'a' })).not.toBe(seal.seal('session', { id: 'a' }))
})
