import { array, assert, integer, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanLine, cleanMarkdown, cleanText, createTextCleaner, toSafeJson } from './clean-text.ts'

const title = '\u001b]0;Owned\u0007'
const clipboard = '\u001b]52;c;cm0gLXJm\u001b\\'
const link = '\u001b]8;;http://evil.example\u0007click\u001b]8;;\u0007'

describe('cleaning text for a terminal', () => {
  it.each([
    ['colors and cursor moves', 'a\u001b[31mb\u001b[2J\u001b[10;10Hc', 'abc'],
    ['a title', `a${title}b`, 'ab'],
    ['the clipboard', `a${clipboard}b`, 'ab'],
    ['a link, but not its text', `a${link}b`, 'aclickb'],
    ['a device control string', 'a\u001bPq#0\u001b\\b', 'ab'],
    ['8-bit controls', 'a\u009b31mb\u009d0;x\u009cc', 'abc'],
    ['bells, deletions and lonely escapes', 'a\u0007\u0008\u007fb\u001b', 'ab'],
    ['marks that reverse text', 'invoice\u202efdp.exe', 'invoicefdp.exe'],
  ])('takes out %s', (_name, given, expected) => {
    expect(cleanText(given)).toBe(expected)
  })

  it('leaves line breaks, tabs, other scripts and joined emoji', () => {
    expect(cleanText('a\r\n\tשלום 日本 👩\u200d👧\n')).toBe('a\n\tשלום 日本 👩\u200d👧\n')
    expect(cleanLine(' a\n\t b\u001b[1m ')).toBe('a b')
  })

  it('takes out character references to control characters', () => {
    expect(cleanMarkdown('a&#27;[31m &#x1B;]0;x&#7; &#x9b; &#169; &amp; &#10;')).toBe(
      'a[31m ]0;x  &#169; &amp;  ',
    )
  })

  it('takes out sequences however a text is cut into pieces', () => {
    const text = `one ${title}two\u001b[31m ${clipboard}three\r\nfour\u001b`
    const cuts = array(integer({ min: 0, max: text.length }), { maxLength: 12 })
    assert(
      property(cuts, (places) => {
        const cleaner = createTextCleaner()
        const sorted = [0, ...places.toSorted((a, b) => a - b), text.length]
        const pieces = sorted.slice(1).map((end, index) => cleaner.add(text.slice(sorted[index], end)))
        expect(pieces.join('') + cleaner.end()).toBe('one two three\nfour')
      }),
    )
  })

  it('does not wait forever for the end of a sequence', () => {
    const cleaner = createTextCleaner()
    expect(cleaner.add(`\u001b]0;${'x'.repeat(5000)}`)).toContain('xxx')
    expect(cleaner.add('after')).toBe('after')
  })

  it('prints JSON that a terminal does not act on', () => {
    const text = toSafeJson({ output: '\u001b[31m\u009b\u202e' })
    expect(text).toBe('{"output":"\\u001b[31m\\u009b\\u202e"}')
    expect(JSON.parse(text)).toEqual({ output: '\u001b[31m\u009b\u202e' })
  })
})
