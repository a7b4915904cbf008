import { describe, expect, it } from 'vitest'
import { markWords } from './found-memories.tsx'

const marked = (text: string, query: string) =>
  markWords(text, query).flatMap((piece) => (piece.isMatch ? [piece.text] : []))

describe('the words of a search in a text', () => {
  it('are marked whatever their case, and the rest stays as it is', () => {
    const pieces = markWords('The Garden gate is in the garden.', 'garden GATE')
    expect(pieces.filter(({ isMatch }) => isMatch).map(({ text }) => text)).toEqual([
      'Garden',
      'gate',
      'garden',
    ])
    expect(pieces.map(({ text }) => text).join('')).toBe('The Garden gate is in the garden.')
  })

  it('are marked whole where one begins with another', () => {
    expect(marked('gardener', 'garden gardener')).toEqual(['gardener'])
  })

  it.each(['.*', '(', '[a-z]+', '\\', '<b>', '$&'])('are never a pattern: %s', (query) => {
    const text = 'plain <b>text</b> (with) signs'
    expect(
      markWords(text, query)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text)
  })

  it('of a huge text and a huge query are few', () => {
    const query = Array.from({ length: 5000 }, (_, index) => `word${index}`).join(' ')
    const pieces = markWords('word1 '.repeat(100_000), query)
    expect(pieces.map(({ text }) => text).join('')).toHaveLength(20_000)
  })
})
