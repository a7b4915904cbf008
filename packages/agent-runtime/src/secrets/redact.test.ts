import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor, createRedactors } from './redact.ts'

describe('createRedactor', () => {
  it('takes secrets out of texts, values and names of fields, in each of their forms', () => {
    const { json, text } = createRedactor(['p@ss word"1', 'longer p@ss word"1'])
    expect(text('a longer p@ss word"1 b')).toBe('a [secret] b')
    expect(json({ 'p@ss word"1': ['x', { deep: encodeURIComponent('p@ss word"1') }] })).toEqual({
      '[secret]': ['x', { deep: '[secret]' }],
    })
    expect(text(Buffer.from('p@ss word"1').toString('base64'))).not.toMatch(/cEBzcyB3b3JkIjE/)
  })

  it('gives back the very value that holds none', () => {
    const value = { a: ['plain', { b: 1 }], c: null }
    expect(createRedactor(['secret-123']).json(value)).toBe(value)
  })

  it('takes any secret out of any text, whatever signs it has', () => {
    const secrets = fc.array(fc.string({ minLength: 6, maxLength: 20 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(secrets, fc.string(), fc.string(), (known, before, after) => {
        const [secret = ''] = known
        const { text, json } = createRedactor(known)
        const given = `${before}${secret}${after}`
        expect(text(given)).not.toBe(given)
        expect(json([given])).toEqual([text(given)])
      }),
    )
  })
})

it('makes one redactor for the same secrets, and another when they change', () => {
  const redactorOf = createRedactors()
  const secrets = ['secret-123']
  const first = redactorOf(secrets)
  expect(redactorOf(secrets)).toBe(first)
  const next = redactorOf(['secret-456'])
  expect(next.text('secret-456')).toBe('[secret]')
})

it('takes out the beginning of a secret where a text was cut in the midst of it', () => {
  const { text } = createRedactor(['sk-4711-abcdef', 'pass word/1'])
  expect(text('the key is sk-4711-abc', true)).toBe('the key is [secret]')
  expect(text('key=sk-4711-abcdef, q=pass%20wor', true)).toBe('key=[secret], q=[secret]')
  expect(text('the key is sk-47', true)).toBe('the key is sk-47')
  expect(text('the key is sk-4711-abc')).toBe('the key is sk-4711-abc')
  expect(text('', true)).toBe('')
})
