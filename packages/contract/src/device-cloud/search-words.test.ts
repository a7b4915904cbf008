import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { fileKindOf } from './file-kind.ts'
import { readSearchWords } from './search-words.ts'
import { createFileOrder, createFileTest } from './select-files.ts'

const matches = (query: string, path: string): boolean | undefined =>
  readSearchWords(query)?.matches({
    name: path.split('/').at(-1) ?? '',
    path: () => path,
    fullPath: () => `/home/ada/${path}`,
  })

it.each([
  ['acme invoice 2024', 'invoice Acme 2024-08.txt', true],
  ['acme invoice 2024', 'Acme/2024/invoice.txt', true],
  ['acme invoice 2024', 'Acme/2024/notes.txt', false],
  ['acme invoice 2025', 'invoice Acme 2024-08.txt', false],
  ['muller', 'Rechnung Müller.pdf', true],
  ['müller', 'Rechnung Mueller muller.pdf', true],
  ['soren lodz', 'Søren Łódź.txt', true],
  ['"acme invoice"', 'invoice acme.txt', false],
  ['“acme invoice” 2024', '2024 Acme\u00a0Invoice.txt', true],
  ['2024-08', '2024–08.txt', true],
  ['say "hi', 'say "hi.txt', true],
  ['ada', 'notes.txt', false],
  ['docs/report 2024', 'docs/2024/report.pdf', false],
  ['docs/2024 report', 'docs/2024/report.pdf', true],
  ['/home/ada/my docs/a.txt', 'my docs/a.txt', true],
])('C27: the words %s against %s: %s', (query, path, expected) => {
  expect(matches(query, path)).toBe(expected)
})

it('C27: finds words in any order', () => {
  const words = fc.uniqueArray(fc.stringMatching(/^[a-zü]{2,6}$/), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(words, fc.integer(), (list, seed) => {
      const other = list.toSorted((a, b) => ((a.length * 31 + seed) % 7) - ((b.length * 31 + seed) % 7))
      expect(matches(other.join(' '), `${list.join('_')}.txt`)).toBe(true)
    }),
  )
})

it('has no words for a glob, and none for spaces', () => {
  expect(['*.pdf', 'a?', '[ab]c', '{a,b}', ' ', '""'].map(readSearchWords).filter(Boolean)).toHaveLength(1)
})

it('orders by relevance: whole names, starts of words, the rest; accents first, and newer ones among equals', () => {
  const at = (name: string, modified = '2026-01-01T00:00:00Z') => ({
    name,
    path: `/${name}`,
    size: 1,
    modified,
  })
  const sorted = (query: string, files: ReturnType<typeof at>[]) =>
    files.toSorted(createFileOrder('relevance', query)).map(({ name }) => name)
  const files = ['my-reports', 'deport', 'port.txt', 'new port.md', 'report'].map((name) => at(name))
  expect(sorted('port', files)).toEqual(['port.txt', 'new port.md', 'deport', 'my-reports', 'report'])
  expect(sorted('müller', [at('muller'), at('x müllerx')])).toEqual(['x müllerx', 'muller'])
  expect(sorted('a*', [at('a1'), at('a2', '2026-01-01T01:00:00+00:00')])).toEqual(['a2', 'a1'])
})

it.each([
  ['name', ['a.txt', 'B.txt', 'c.txt']],
  ['size', ['c.txt', 'a.txt', 'B.txt']],
  ['-size', ['B.txt', 'a.txt', 'c.txt']],
  ['modified', ['B.txt', 'c.txt', 'a.txt']],
  ['-modified', ['a.txt', 'c.txt', 'B.txt']],
] as const)('orders by %s', (sort, expected) => {
  const files = [
    { path: '/c', name: 'c.txt', size: 1, modified: '2026-01-02T00:00:00Z' },
    { path: '/a', name: 'a.txt', size: 2, modified: '2026-01-02T00:00:00-02:00' },
    { path: '/b', name: 'B.txt', size: 3, modified: '2026-01-01T00:00:00Z' },
  ]
  expect(files.toSorted(createFileOrder(sort, 'x')).map(({ name }) => name)).toEqual(expected)
})

it('tests all conditions, lists as alternatives and bounds inclusive, as far as values are known', () => {
  const file = { path: '/home/Ann/a.tar.gz', name: 'a.tar.gz', size: 10, modified: '2026-01-01T00:00:00Z' }
  const meets = (where: Parameters<typeof createFileTest>[0], isWindows = false) =>
    createFileTest(where, { isWindows })(file)
  expect(meets({ kind: ['image', 'archive'], extension: ['TAR.GZ'], minBytes: 10, maxBytes: 10 })).toBe(true)
  expect(meets({ modifiedAfter: file.modified, modifiedBefore: '2026-01-01T01:00:00+01:00' })).toBe(true)
  expect(meets({ minBytes: 11 })).toBe(false)
  expect(meets({ maxBytes: 9 })).toBe(false)
  expect(meets({ extension: ['a.tar.gz'] })).toBe(false)
  expect(meets({ folder: '/home/Ann/' })).toBe(true)
  expect(meets({ folder: '/home/An' })).toBe(false)
  expect(meets({ folder: '/' })).toBe(true)
  expect(meets({ folder: '\\home\\ann' })).toBe(false)
  expect(meets({ folder: '\\home\\ann' }, true)).toBe(true)
  expect(createFileTest({ minBytes: 5, kind: ['image'], folder: '/x' }, { isWindows: false })({})).toBe(true)
  const isFolder = createFileTest({ kind: ['folder'] }, { isWindows: false })
  expect([isFolder({ name: 'a.txt' }), isFolder({ name: 'a.txt', kind: 'folder' })]).toEqual([false, true])
})

it('tells kinds by the last extension', () => {
  const names = ['A.PDF', 'b.tar.gz', 'c.heic', 'd.ts', '.pdf', 'e.', 'f', 'g.constructor']
  expect(names.map(fileKindOf)).toEqual([
    'document',
    'archive',
    'image',
    'code',
    'other',
    'other',
    'other',
    'other',
  ])
})
