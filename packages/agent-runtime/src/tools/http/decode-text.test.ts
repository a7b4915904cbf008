import { expect, it } from 'vitest'
import { decodeText } from './decode-text.ts'

const bytes = (...given: number[]) => Uint8Array.from(given)
const decode = (contentType: string, body: Uint8Array, truncated = false, maxBytes = 1000) =>
  decodeText({ contentType, body, truncated }, maxBytes)

it.each([
  ['text/html; charset=ISO-8859-1', bytes(0x63, 0x61, 0x66, 0xe9), 'café'],
  ['text/plain;charset="windows-1251"', bytes(0xcc, 0xe8, 0xf0), 'Мир'],
  ['text/plain; format=flowed; Charset = shift_jis', bytes(0x93, 0x8c, 0x8b, 0x9e), '東京'],
  ['application/json; charset=utf-16le', bytes(0x7b, 0, 0x7d, 0), '{}'],
  ['text/plain; charset=utf-8', bytes(0xef, 0xbb, 0xbf, 0xc3, 0xa9), 'é'],
  ['text/plain; charset=nonsense', bytes(0xc3, 0xa9), 'é'],
  ['text/plain', bytes(0xc3, 0xa9), 'é'],
  ['text/plain', bytes(0xe9, 0xe9, 0x61), '\uFFFD\uFFFDa'],
])('A17: decodes an answer by the charset of %s', (type, body, text) => {
  expect(decode(type, body)).toEqual({ text, truncated: false })
})

it('A17: knows what is no text, whatever it is called', () => {
  expect(decode('text/plain', bytes(1, 0, 2))).toBeUndefined()
  expect(decode('text/plain; charset=latin1', bytes(1, 0, 2))).toBeUndefined()
})

it('A17: bounds the text, and cuts no character in two', () => {
  expect(decode('text/plain; charset=latin1', bytes(0xe9, 0xe9, 0xe9), false, 5)).toEqual({
    text: 'éé',
    truncated: true,
  })
  expect(decode('text/plain; charset=shift_jis', bytes(0x93, 0x8c, 0x8b), true)).toEqual({
    text: '東',
    truncated: true,
  })
})
