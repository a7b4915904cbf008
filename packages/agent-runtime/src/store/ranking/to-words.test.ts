import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countWord } from './count-word.ts'
import { foldText, maxWordLength, toQueryWords, toWords } from './to-words.ts'

describe('toWords', () => {
  it.each([
    ['The Cat, the DOG.', ['the', 'cat', 'the', 'dog']],
    ["it's 3.5 km", ['it', 's', '3', '5', 'km']],
    ['Crème Brûlée', ['creme', 'brulee']],
    ['ΟΔΟΣ οδός', ['οδοσ', 'οδοσ']],
    ['हिन्दी भाषा', ['हिन्दी', 'भाषा']],
    ['猫', ['猫']],
    ['我的猫', ['我', '的', '猫', '我的', '的猫']],
    ['iPhone手机x', ['iphone', '手', '机', '手机', 'x']],
    ['\ud800 a \u0000 b', ['a', 'b']],
    ['"" -- ()', []],
    ['STRASSE Straße', ['strasse', 'strasse']],
    ['שָׁלוֹם كِتَاب أَحْمَد', ['שלום', 'كتاب', 'احمد']],
    ['❤️x🍕🎉', ['❤', 'x', '🍕', '🎉']],
    ['👨‍👩‍👧 👍🏽', ['👨', '👩', '👧', '👍']],
    ['to 🇯🇵!', ['to', '🇯', '🇵', '🇯🇵']],
  ])('splits %j', (text, words) => {
    expect(toWords(text)).toEqual(words)
  })

  it('keeps the beginning of a very long word, and no half characters', () => {
    expect(toWords('x'.repeat(500))).toEqual(['x'.repeat(maxWordLength)])
    const long = `a${'𐐨'.repeat(100)}`
    expect(toWords(long)).toEqual([`a${'𐐨'.repeat(31)}`])
    expect(countWord(long, `a${'𐐨'.repeat(31)}`)).toBe(1)
  })
})

describe('toQueryWords', () => {
  it('takes a text of any length without spaces', () => {
    expect(toWords('漢'.repeat(300_000))).toHaveLength(599_999)
  })

  it('asks for each word once, and for pairs where there are no spaces', () => {
    expect(toQueryWords('a cat is A cat')).toEqual(['a', 'cat', 'is'])
    expect(toQueryWords('我的猫 猫')).toEqual(['我的', '的猫', '猫'])
    expect(toQueryWords('🇯🇵 🇩🇪')).toEqual(['🇯🇵', '🇩🇪'])
  })

  it('stops at a number of words', () => {
    const question = Array.from({ length: 500 }, (_, index) => `w${index}`).join(' ')
    expect(toQueryWords(question)).toHaveLength(64)
    const unspaced = String.fromCodePoint(...Array.from({ length: 100 }, (_, index) => 0x4e00 + index))
    expect(toQueryWords(unspaced)).toHaveLength(64)
  })

  it('asks only for what a text with the same words has', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const words = new Set(toWords(text))
        expect(toQueryWords(text).filter((word) => !words.has(word))).toEqual([])
      }),
    )
  })
})

it('counts a word only where it stands alone', () => {
  expect(countWord('cat acat zcat 0cat 9cat cata catz cat0 cat9 (cat) ëcat 𐐨cat', 'cat')).toBe(2)
})

it('counts a word as often as splitting the text gives it', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'cat',
      'cats',
      'Cat',
      'cát',
      '猫',
      '猫猫',
      '的猫',
      'x猫',
      ' ',
      '. ',
      '-',
      '1',
      'ß',
      '𐐨',
      'ก',
      'กก',
      '🍕',
      '🍕🍕',
      '❤️',
      '🇯🇵',
      '🇵',
      'שָׁ',
    ),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
    fc.constantFrom('y'.repeat(maxWordLength), 'y'.repeat(maxWordLength + 9)),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('')
      const folded = foldText(text)
      const counts = new Map<string, number>()
      for (const word of toWords(text)) counts.set(word, (counts.get(word) ?? 0) + 1)
      for (const [word, count] of counts) expect([word, countWord(folded, word)]).toEqual([word, count])
      expect(countWord(folded, 'nowhere')).toBe(0)
    }),
    { numRuns: 500 },
  )
})
