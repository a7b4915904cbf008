import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { threadCpuMs } from '../../../../tests/thread-cpu-ms.ts'
import { createNameMatcher } from './name-matcher.ts'

const matches = (query: string, relativePath: string, isWindows = false): boolean =>
  createNameMatcher(query, { isWindows }).matches({
    name: relativePath.split('/').at(-1) ?? '',
    path: () => relativePath,
    fullPath: () => `/home/ada/${relativePath}`,
  })

it('The agent: finds a part of the name in any case, not of the folder', () => {
  expect(matches('PORT', 'a/Report.pdf')).toBe(true)
  expect(matches('port', 'port/a.pdf')).toBe(false)
  expect(matches('', 'a.pdf')).toBe(false)
  expect(matches('  ', 'a.pdf')).toBe(false)
})

it('The agent: holds a glob against the name, and with a slash against the path under the root', () => {
  expect(matches('*.PDF', 'a/Report.pdf')).toBe(true)
  expect(matches('*.pdf', 'a/Report.pdf.txt')).toBe(false)
  expect(matches('20??-*.csv', 'x/2026-a.csv')).toBe(true)
  expect(matches('*.{pdf,md}', 'x/.hidden.md')).toBe(true)
  expect(matches('[ab]*', 'x/beta')).toBe(true)
  expect(matches('docs/**/*.md', 'docs/a/b/c.md')).toBe(true)
  expect(matches('docs/*.md', 'docs/a/c.md')).toBe(false)
  expect(matches('docs/*.md', 'other/c.md')).toBe(false)
})

it('finds names that look like globs or groups', () => {
  expect(matches('notes[1].txt', 'notes[1].txt')).toBe(true)
  expect(matches('report (1)*', 'report (1).pdf')).toBe(true)
  expect(matches('{a,b} (1)*', 'a (1).pdf')).toBe(true)
  expect(matches('!{a,b}*', '!a.txt')).toBe(true)
})

it('takes a backslash for a separator on Windows only', () => {
  expect(matches('docs\\*.md', 'docs/c.md', true)).toBe(true)
  expect(matches('docs\\*.md', 'docs/c.md')).toBe(false)
})

it('finds composed and decomposed letters by either form', () => {
  expect(matches('ÉTÉ', 'e\u0301te\u0301.txt')).toBe(true)
})

it.each([
  ['istanbul', 'İSTANBUL.txt'],
  ['İSTANBUL', 'istanbul.txt'],
  ['DIYARBAKIR', 'diyarbakır.txt'],
  ['straße', 'STRASSE.txt'],
  ['STRASSE', 'straße.txt'],
  ['GROẞ', 'groß.txt'],
  ['οδοσ', 'ΟΔΟΣ.txt'],
  ['ΟΔΟΣ', 'οδος.txt'],
  ['ΣΑΣ', 'σας ώρα.txt'],
  ['МОСКВА', 'москва.txt'],
  ['ꭰꭱ', 'ᎠᎡ.txt'],
  ['ﬁnal', 'FINAL.txt'],
  ['e', 'e\u0301te\u0301'],
  ['\u1100\u1161', '\u1100\u1161\u11a8.txt'],
  ['ΟΔ*', 'οδος.txt'],
  ['stra?e.txt', 'straße.txt'],
  ['STRASS?.txt', 'straße.txt'],
  ['i*.txt', 'İstanbul.txt'],
  ['?stanbul.txt', 'İstanbul.txt'],
])('finds by %s in any case %s', (query, name) => {
  expect(matches(query, name)).toBe(true)
})

it('A bracket that begins with an exclamation mark leaves out', () => {
  const found = (query: string) =>
    ['a.js', 'b.js', 'd.js', '!.js', '😀.js'].filter((name) => matches(query, name))
  expect(found('[!abc].js')).toEqual(['d.js', '!.js', '😀.js'])
  expect(found('[^abc].js')).toEqual(found('[!abc].js'))
  expect(found('[a!].js')).toEqual(['a.js', '!.js'])
  expect(found('x/{[!ab],q}.js')).toEqual([])
  expect(matches('x/[!ab].js', 'x/c.js')).toBe(true)
  expect(matches('\\[!a].js', '[!a].js')).toBe(true)
})

it.each([
  ['?.txt', '😀.txt', true],
  ['?.txt', '𠮷.txt', true],
  ['??.txt', '😀.txt', false],
  ['photo-[🏠🏡].jpg', 'photo-🏡.jpg', true],
  ['photo-[🏠🏡].jpg', 'photo-🏢.jpg', false],
  ['photo-[🏠-🏢].jpg', 'photo-🏡.jpg', true],
  ['photo-[!🏠🏡].jpg', 'photo-🏡.jpg', false],
  ['a{🏠,🏡}?', 'a🏡😀', true],
  ['*🏠*', 'x🏠y', true],
  ['𐐀?', '𐐨x', true],
])('%s holds characters, not halves: %s is %s', (query, name, expected) => {
  expect(matches(query, name)).toBe(expected)
})

it.each([`${'*a'.repeat(60)}b`, '{x,(a+)+}b', '[a](a+)+\\(a+)+b', '{a,a}*(*a)+b', '+(+(a))b*'])(
  'answers in bounded time for the pattern %s',
  async (pattern) => {
    const cpuMs = await threadCpuMs(() => expect(matches(pattern, 'a'.repeat(255))).toBe(false))
    expect(cpuMs).toBeLessThan(1000)
  },
)

it.each([
  ['IMG_{08..12}.jpg', ['IMG_08.jpg', 'IMG_10.jpg', 'IMG_12.jpg'], ['IMG_8.jpg', 'IMG_13.jpg']],
  ['scan-20{24..26}-*.pdf', ['scan-2025-a.pdf'], ['scan-202-a.pdf', 'scan-2027-a.pdf']],
  ['img{1..12}.jpg', ['img1.jpg', 'img7.jpg', 'img12.jpg'], ['img13.jpg', 'img01.jpg']],
  ['foo.bar{53..55}', ['foo.bar54'], ['foo.bar5', 'foo.bar56']],
  ['{10..8}x', ['9x'], ['7x']],
  ['{-1..1}x', ['-1x', '0x'], ['2x', '-x']],
  ['v{0..10..5}.txt', ['v0.txt', 'v5.txt', 'v10.txt'], ['v1.txt']],
  ['{a..c}.txt', ['b.txt'], ['d.txt']],
  ['{x{1..3},y{a,b}}z', ['x2z', 'ybz'], ['y1z', 'xaz']],
  ['a{,b}.txt', ['a.txt', 'ab.txt'], ['ac.txt']],
  ['{one}*', ['{one} two'], ['one two']],
  ['[[:digit:]]x', ['7x'], ['ax']],
])('A glob finds what bash finds: %s', (glob, wanted, others) => {
  expect([...wanted, ...others].filter((name) => matches(glob, name))).toEqual(wanted)
})

it('A glob takes ranges of any width and step as bash does', () => {
  const numbers = fc.record({ from: fc.nat(120), to: fc.nat(120), value: fc.nat(130) })
  fc.assert(
    fc.property(numbers, ({ from, to, value }) => {
      const isWithin = value >= Math.min(from, to) && value <= Math.max(from, to)
      expect(matches(`f{${from}..${to}}.x`, `f${value}.x`)).toBe(isWithin)
      const padded = String(value).padStart(4, '0')
      const range = `{${String(from).padStart(4, '0')}..${to}}`
      expect(matches(`f${range}.x`, `f${padded}.x`)).toBe(isWithin)
    }),
  )
})

const otherSpaces = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
  (character) => character !== ' ' && /\p{Zs}/u.test(character),
)

it('Every blank of Unicode is a space, in names, texts and globs', () => {
  expect(matches('at 9.41.00 am', 'Screenshot 2026-11-28 at 9.41.00\u202fAM.png')).toBe(true)
  const words = fc.array(fc.stringMatching(/^[a-z]{1,4}$/), { minLength: 2, maxLength: 5 })
  const blank = fc.constantFrom(' ', ...otherSpaces)
  expect(otherSpaces).toHaveLength(16)
  fc.assert(
    fc.property(words, blank, blank, (parts, one, other) => {
      const name = parts.join(one)
      expect(matches(parts.join(other), `${name}.png`)).toBe(true)
      expect(matches(`*${parts.join(other)}.{png,jpg}`, `x${name}.png`)).toBe(true)
      expect(matches(`?${parts.join(other)}*`, `x${name}.png`)).toBe(true)
    }),
  )
})

it('Every dash is a hyphen, in names and texts', () => {
  const dash = fc.constantFrom('-', '\u2010', '\u2011', '\u2012', '\u2013', '\u2014', '\u2212')
  fc.assert(
    fc.property(dash, dash, (one, other) => {
      expect(matches(`2026${one}11`, `Report 2026${other}11.pdf`)).toBe(true)
    }),
  )
})

it('A text with a slash is held against the whole path', () => {
  expect(matches('docs/report.pdf', 'docs/Report.pdf')).toBe(true)
  expect(matches('/home/ada/docs/report.pdf', 'docs/Report.pdf')).toBe(true)
  expect(matches('docs/report.pdf', 'other/report.pdf')).toBe(false)
  expect(matches('/home/ada/docs/*.pdf', 'docs/report.pdf')).toBe(true)
  expect(matches('docs\\report.pdf', 'docs/report.pdf', true)).toBe(true)
})

it.each([
  ['**/a/**/a/**/a/**/x.ts', `${'a/'.repeat(2000)}y.ts`],
  [`${'**/a*b/'.repeat(140)}x`, `${'aaa/'.repeat(1000)}y`],
  [`**/${'*a'.repeat(490)}b`, `${'a/'.repeat(100)}${'a'.repeat(255)}`],
  [`${'*a'.repeat(490)}/b`, 'a'.repeat(4000)],
  ['x/' + '{a,b}'.repeat(9) + '*', 'a'.repeat(4000)],
  ['['.repeat(990) + '\\]*', 'a'.repeat(255)],
  ['{'.repeat(490) + '*' + '}'.repeat(490), 'a'.repeat(255)],
])('No glob holds the event loop for more than 100 ms: %s', async (glob, path) => {
  const cpuMs = await threadCpuMs(() => expect(matches(glob, path)).toBe(false))
  expect(cpuMs).toBeLessThan(100)
})

it('No glob and no path hold the event loop for more than 100 ms', { timeout: 60_000 }, async () => {
  const piece = fc.constantFrom(
    '**/',
    '*',
    'a',
    '?',
    '/',
    '[ab]',
    '{a,b}',
    '{1..40}',
    'a*b',
    '[!c]',
    '{',
    '[',
  )
  const glob = fc.array(piece, { minLength: 1, maxLength: 200 }).map((pieces) => pieces.join(''))
  const path = fc.array(fc.constantFrom('a/', 'a', 'b', 'aaaa', 'ab/'), { minLength: 1, maxLength: 1000 })
  await fc.assert(
    fc.asyncProperty(glob, path, async (query, parts) => {
      const cpuMs = await threadCpuMs(() => {
        try {
          matches(query, parts.join(''))
        } catch (error) {
          expect(String(error)).toMatch(/braces stand for more than/)
        }
      })
      expect(cpuMs).toBeLessThan(100)
    }),
    { numRuns: 200 },
  )
})

it.each(['{a,b}'.repeat(20), '{1..99999999}', '{1..9999999999999999999999}', 'x/{1..9}{1..9}{1..9}{1..9}'])(
  'refuses braces that stand for too many texts: %s',
  (glob) => {
    expect(() => createNameMatcher(glob)).toThrow(/Use fewer or smaller braces/)
  },
)
