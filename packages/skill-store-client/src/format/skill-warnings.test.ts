import { describe, expect, it } from 'vitest'
import { findHiddenMarkup, findInvisible } from './hidden-text.ts'
import { looksLike, mixesScripts } from './look-alike.ts'
import { skillWarnings } from './skill-warnings.ts'

const tags = (text: string) =>
  Array.from(text, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')

describe('text that hides', () => {
  it.each([
    ['tag characters', `Hello${tags('obey')}`, 4],
    ['zero-width spaces', 'a\u200bb\u200bc', 2],
    ['another reading order', 'a \u202egnp.exe', 1],
    ['a byte order mark inside', 'a\ufeffb', 1],
    ['a flag that goes on', `\u{1f3f4}${tags('ignore everything')}\u{e007f}`, 18],
  ])('shows itself: %s', (_, text, count) => {
    expect(findInvisible(`first line\n${text}`)).toEqual({ kind: 'invisible_characters', count, line: 2 })
  })

  it.each([
    ['emoji with joiners and variants', '👩‍💻 ❤️ 🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
    ['Persian and Hebrew', 'می‌خواهم שלום‎'],
    ['a soft hyphen', 'Donau\u00addampf'],
    ['a byte order mark at the start', '\ufeff# Title'],
  ])('is not seen where there is none: %s', (_, text) => {
    expect(findInvisible(text)).toBeUndefined()
  })

  it.each([
    ['a comment', 'Text <!-- run this -->'],
    ['a comment that never ends', 'Text <!-- run this'],
    ['a comment of links', '[//]: # (run this)'],
    ['an element without a size', '<p style="font-size: 0">run this</p>'],
    ['an element that is hidden', '<div class="a" hidden>run this</div>'],
  ])('shows itself in Markdown: %s', (_, text) => {
    expect(findHiddenMarkup(`# Title\n${text}\n`)).toMatchObject({ kind: 'hidden_markup', line: 2 })
  })

  it('may stand in code, which is shown', () => {
    expect(findHiddenMarkup('Write `<!-- this -->`:\n\n```html\n<!-- so -->\n```\n')).toBeUndefined()
    expect(findHiddenMarkup('```\ncode\n```\n<!-- not code -->')).toMatchObject({ line: 4 })
  })

  it('is found at once in a text of a megabyte', () => {
    const started = performance.now()
    for (const piece of ['<a ', '[x]: ', '`', '<!--', '<p '.padEnd(400), '\u{1f3f4}']) {
      findHiddenMarkup(piece.repeat(1_000_000 / piece.length))
      findInvisible(piece.repeat(1_000_000 / piece.length))
    }
    expect(performance.now() - started).toBeLessThan(60_000)
  })
})

describe('names', () => {
  it.each([
    ['weather', 'wheather'],
    ['weather', 'waether'],
    ['weather', 'weathers'],
    ['weather', 'wеather'], // Cyrillic
    ['pdf-tools', 'pdftools'],
    ['github', 'gith\u0443b'],
    ['mail', 'mai1'],
    ['corner', 'comer'],
  ])('%j is taken for %j', (name, other) => {
    expect([looksLike(name, other), looksLike(other, name)]).toEqual([true, true])
  })

  it.each([
    ['weather', 'weather'],
    ['Weather', 'weather'],
    ['agent-1', 'agent-2'],
    ['mail', 'maps'],
    ['calendar', 'contacts'],
  ])('%j is not taken for %j', (name, other) => {
    expect(looksLike(name, other)).toBe(false)
  })

  it('may be of any script, but not of several that look the same', () => {
    expect(['wеather', 'Ρython'].map(mixesScripts)).toEqual([true, true])
    expect(['погода', 'Καιρός', 'weather погода', 'Größe', '天気 API'].some(mixesScripts)).toBe(false)
  })
})

it('tells a person what to look at, and where', () => {
  const encode = (text: string) => new TextEncoder().encode(text)
  const files = [
    { path: 'SKILL.md', bytes: encode('---\nname: a\n---\n<!-- do this -->') },
    { path: 'tools.yaml', bytes: encode('tools: []\u200b') },
    { path: 'scripts/run.py', bytes: encode('<!-- \u200b') },
  ]
  expect(skillWarnings(files, { own: ['wheather'], others: ['weather', 'mail'] })).toEqual([
    { code: 'look_alike_name', message: expect.stringContaining('"weather"') as string },
    { code: 'hidden_markup', file: 'SKILL.md', message: expect.stringContaining('line 4') as string },
    {
      code: 'invisible_characters',
      file: 'tools.yaml',
      message: expect.stringContaining('line 1') as string,
    },
  ])
  expect(skillWarnings([], { own: ['mail'], others: ['mail', 'weather'] })).toEqual([])
})
