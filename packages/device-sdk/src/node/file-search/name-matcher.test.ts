import { expect, it } from 'vitest'
import { threadCpuMs } from '../../../../../tests/thread-cpu-ms.ts'
import { createNameMatcher } from './name-matcher.ts'

const matches = (query: string, relativePath: string, platform: NodeJS.Platform = 'linux'): boolean =>
  createNameMatcher(query, platform)(relativePath.split('/').at(-1) ?? '', () => relativePath)

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
  expect(matches('docs\\*.md', 'docs/c.md', 'win32')).toBe(true)
  expect(matches('docs\\*.md', 'docs/c.md', 'linux')).toBe(false)
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

it('refuses a pattern that would become an endless regular expression', () => {
  expect(() => createNameMatcher(`{a,b}${'*a'.repeat(20)}`)).toThrow(/Use fewer/)
})
