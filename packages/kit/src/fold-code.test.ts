import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { foldCode } from './fold-code.ts'

const alphabet = '23456789ABCDEFGHJKMNPQRSTVWXYZ'

it('A code is the same with any dash, blank, quote and width', () => {
  const between = fc.constantFrom(
    '',
    '-',
    ' ',
    '–',
    '—',
    '\u2011',
    '\u2212',
    '\u200b',
    '\u00ad',
    '\u00a0',
    '"',
    '“',
    '.',
    '\n',
  )
  const wide = (letter: string) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0)
  const spelling = fc.constantFrom(
    (letter: string) => letter,
    (letter: string) => letter.toLowerCase(),
    wide,
  )
  const letters = fc.array(fc.record({ letter: fc.constantFrom(...alphabet), before: between, spelling }), {
    minLength: 8,
    maxLength: 8,
  })
  fc.assert(
    fc.property(letters, between, (parts, after) => {
      const typed = parts.map((part) => part.before + part.spelling(part.letter)).join('') + after
      expect(foldCode(typed, alphabet)).toBe(parts.map(({ letter }) => letter).join(''))
    }),
  )
})

it('A code has no letters that its alphabet leaves out', () => {
  expect(foldCode('O0I1LU-ABCD', alphabet)).toBe('ABCD')
  expect(foldCode('ß', alphabet)).toBe('SS')
})
