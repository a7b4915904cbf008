import { mkdir, mkdtemp, realpath, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import * as fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import type { SearchTask } from '../../ports/search-provider.ts'
import { type ContentSearchOptions, createContentSearch } from './create-content-search.ts'
import { foldCase } from '@homeward/kit'
import { createDocumentReader, type DocumentReader } from '@homeward/kit/documents'
import { makeDocx, makePdf, makePptx } from '../../../../kit/src/testing/make-documents.ts'
import { createLineFinder } from './line-finder.ts'

/** A folder with these files, by their path inside it. */
async function folderOf(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'homeward-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
    await writeFile(path.join(folder, name), content)
    // equal times: the order is that of the paths
    await utimes(path.join(folder, name), 0, 1_700_000_000)
  }
  return folder
}

const search = (root: string, query: string, options: Partial<ContentSearchOptions & SearchTask> = {}) =>
  createContentSearch({ roots: [root], ...options, maxRows: 1000 })({
    queryId: 'q',
    query,
    scope: 'content',
    ...(options.where && { where: options.where }),
    ...(options.sort && { sort: options.sort }),
    maxRows: options.maxRows ?? 1000,
    signal: options.signal ?? new AbortController().signal,
  })
const linesOf = async (...input: Parameters<typeof search>) => {
  const { found } = await search(...input)
  return found.map(({ name, matches }) => [
    name,
    ...(matches ?? []).map(({ line, text }) => `${line}: ${text}`),
  ])
}

it('gives each file that holds the text with its first matching lines, sorted by path', async () => {
  const root = await folderOf({
    'b/deep/notes.txt': 'one\r\nthe Invoice\r\nINVOICE 7',
    'a.md': 'invoice',
    'c.md': 'none',
  })
  await utimes(path.join(root, 'a.md'), 0, 1_700_000_000)
  const answer = await search(root, ' invoice ')
  expect(answer).toEqual({
    truncated: false,
    unread: [],
    found: [
      {
        path: path.join(root, 'a.md'),
        name: 'a.md',
        size: 7,
        modified: '2023-11-14T22:13:20.000Z',
        matches: [{ line: 1, text: 'invoice' }],
      },
      expect.objectContaining({
        path: path.join(root, 'b/deep/notes.txt'),
        matches: [
          { line: 2, text: 'the Invoice' },
          { line: 3, text: 'INVOICE 7' },
        ],
      }),
    ],
  })
})

it('reads the words of documents with their pages, and counts those that it cannot read', async () => {
  const root = await folderOf({
    'a.pdf': makePdf(['one', 'the Invoice 7']),
    'b.docx': makeDocx(['before', 'an invoice']),
    'c.pptx': makePptx(['one', 'two', 'invoice']),
    'd.html': '<p>before</p><p>in<b>voice</b> &amp; more</p>',
    'e.eml': 'Subject: invoice\r\n\r\nbody',
    'scan.pdf': makePdf(['']),
    'broken.pdf': '%PDF-1.4 nothing else',
    'odd.docx': 'no zip',
  })
  const documents = createDocumentReader()
  onTestFinished(() => documents.close())
  const { found, skipped, unread } = await search(root, 'invoice', { documents })
  expect(found.map(({ name, matches }) => [name, ...(matches ?? [])])).toEqual([
    ['a.pdf', { line: 2, text: 'the Invoice 7', page: 2 }],
    ['b.docx', { line: 2, text: 'an invoice' }],
    ['c.pptx', { line: 3, text: 'invoice', page: 3 }],
    ['d.html', { line: 2, text: 'invoice & more' }],
    ['e.eml', { line: 1, text: 'invoice' }],
  ])
  expect(new Map(skipped?.map(({ reason, count }) => [reason, count]))).toEqual(
    new Map([
      ['no_text', 1],
      ['unreadable', 2],
    ]),
  )
  expect(unread).toEqual([])
  const without = await search(root, 'invoice', { documents: false })
  // as plain text: a PDF that is not compressed, and mail
  expect(without.found.map(({ name }) => name)).toEqual(['a.pdf', 'e.eml'])
})

it('counts documents whose library is missing, and takes HTML for text then', async () => {
  const root = await folderOf({ 'a.pdf': makePdf(['invoice']), 'b.html': '<p>invoice</p>' })
  const documents: DocumentReader = {
    maxFileBytes: 1000,
    read: () => Promise.resolve({ outcome: 'unread', reason: 'unsupported' }),
    close() {},
  }
  const { found, skipped } = await search(root, 'invoice', { documents })
  expect(found.map(({ name, matches }) => [name, matches?.[0]?.text])).toEqual([['b.html', '<p>invoice</p>']])
  expect(skipped).toEqual([{ reason: 'unsupported', count: 1 }])
  const large = await folderOf({ 'a.pdf': Buffer.alloc(1001) })
  expect((await search(large, 'invoice', { documents })).skipped).toEqual([{ reason: 'too_large', count: 1 }])
})

it('looks only into files that meet the conditions, in the order of the search', async () => {
  const root = await folderOf({ 'a.md': 'hit', 'b/c.txt': 'hit hit', 'd.md': 'a hit', 'e.bin': '\u0001' })
  const inMarkdown = await search(root, 'hit', { where: { extension: ['md'] }, sort: '-size' })
  expect(inMarkdown.found.map(({ name }) => name)).toEqual(['d.md', 'a.md'])
  expect(inMarkdown.unread).toEqual([])
  const large = await search(root, 'hit', { where: { minBytes: 6, folder: path.join(root, 'b') } })
  expect(large.found.map(({ name }) => name)).toEqual(['c.txt'])
  const first = await search(root, 'hit', { sort: '-size', maxRows: 1 })
  expect([first.found.map(({ name }) => name), first.truncated]).toEqual([['c.txt'], true])
})

it('counts files that are not text, and reads a text with NUL bytes', async () => {
  const log = `before secret\n${'\0'.repeat(4096)}\nafter secret`
  const late = Buffer.concat([Buffer.from('secret\n'), Buffer.alloc(100_000, 'x'), Buffer.from([0])])
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452736563726574', 'hex')
  const root = await folderOf({
    'a.log': log,
    'b.png': png,
    'c.bin': Buffer.from('secret with no mark', 'utf16le'),
    'd.txt': late,
    'e.txt': 'secret\0',
  })
  expect(await linesOf(root, 'secret')).toEqual([
    ['a.log', '1: before secret', '3: after secret'],
    ['d.txt', '1: secret'],
    ['e.txt', '1: secret\uFFFD'],
  ])
  const { unread, truncated } = await search(root, 'secret')
  expect([unread, truncated]).toEqual([[{ reason: 'not_text', count: 2 }], false])
})

it('finds words with any blank of Unicode between them', async () => {
  const root = await folderOf({ 'a.txt': 'foo\u00a0bar', 'b.txt': 'foo bar', 'c.txt': 'foobar' })
  expect(await linesOf(root, 'foo\u202fbar')).toEqual([
    ['a.txt', '1: foo\u00a0bar'],
    ['b.txt', '1: foo bar'],
  ])
  const blanks = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter((character) =>
    /\p{Zs}/u.test(character),
  )
  for (const asked of blanks) {
    const finder = createLineFinder({ folded: foldCase(`foo${asked}bar`), maxMatches: 99, maxText: 99 })
    finder.add(blanks.map((blank) => `foo${blank}bar`).join('\n'))
    finder.end()
    expect(finder.matches).toHaveLength(blanks.length)
  }
})

it('shows the part of a long line that holds the text, whatever letters stand before it', () => {
  const letter = fc.constantFrom('ß', 'e\u0301', 'ﬃ', 'İ', '\u1112\u1161\u11ab', 'x', '😀', '\u00a0')
  fc.assert(
    fc.property(fc.array(letter, { minLength: 300, maxLength: 900 }), (letters) => {
      const finder = createLineFinder({ folded: 'needle', maxMatches: 1, maxText: 300 })
      finder.add(`${letters.join('')}Needle${'y'.repeat(1000)}`)
      finder.end()
      expect(finder.matches[0]?.text).toContain('Needle')
    }),
  )
})

it('finds letters of every language, split between two reads too, and UTF-16 with a byte order mark', async () => {
  const utf16 = Buffer.from('\uFEFFeins\nGrüße', 'utf16le')
  const root = await folderOf({ 'a.txt': `${'x'.repeat(65_535)}\n`.repeat(2) + 'ΣΊΣΥΦΟΣ', 'b.txt': utf16 })
  expect(await linesOf(root, 'σίσυφος')).toEqual([['a.txt', '3: ΣΊΣΥΦΟΣ']])
  expect(await linesOf(root, 'GRÜSSE')).toEqual([['b.txt', '2: Grüße']])
  await writeFile(path.join(root, 'c.txt'), `${'y'.repeat(65_535)}ü here`)
  expect(await linesOf(root, 'ü here')).toEqual([['c.txt', expect.stringMatching(/^1: y+ü here$/) as string]])
})

it('cuts long lines to the part around the text', async () => {
  const root = await folderOf({ 'min.js': `${'a;'.repeat(20_000)}needle${';b'.repeat(20_000)}` })
  const { found } = await search(root, 'needle')
  const text = found[0]?.matches?.[0]?.text ?? ''
  expect(text).toHaveLength(300)
  expect(text).toContain('a;needle;b')
})

it('stops at its limits and says so', async () => {
  const root = await folderOf({ a: 'hit\nhit\nhit', b: `${'-\n'.repeat(1000)}hit`, c: 'hit' })
  expect(await linesOf(root, 'hit', { maxMatches: 2 })).toContainEqual(['a', '1: hit', '2: hit'])
  const short = await search(root, 'hit', { maxFileBytes: 1000 })
  expect(short.found.map(({ name }) => name)).toEqual(['a', 'c'])
  expect(short.truncated).toBe(true)
  const few = await search(root, 'hit', { maxRows: 1 })
  expect([few.found.length, few.truncated]).toEqual([1, true])
  const exact = await search(root, 'hit', { maxRows: 3, maxFileBytes: 2003 })
  expect([exact.found.length, exact.truncated]).toEqual([3, false])
  let ms = 0
  const late = await search(root, 'hit', { maxDurationMs: 5, now: () => (ms += 3) })
  expect([late.found.length, late.truncated]).toEqual([0, true])
  const stopped = await search(root, 'hit', { signal: AbortSignal.abort() })
  expect(stopped).toEqual({ found: [], truncated: true, unread: [] })
})

it('reads nothing through links inside a root', async () => {
  const outside = await folderOf({ 'deep/passwords.txt': 'secret' })
  const root = await folderOf({ 'deep/plain.txt': 'plain' })
  await symlink(outside, path.join(root, 'out'))
  await symlink(path.join(outside, 'deep/passwords.txt'), path.join(root, 'link.txt'))
  expect(await linesOf(root, 'secret')).toEqual([])
})

it('finds nothing for a blank text', async () => {
  const root = await folderOf({ a: ' \n ' })
  expect(await search(root, '  ')).toEqual({ found: [] })
})

it('rejects roots and limits that cannot be used', () => {
  expect(() => createContentSearch({ roots: ['relative'] })).toThrow('the path is not absolute')
  expect(() => createContentSearch({ roots: ['/a'], maxFileBytes: NaN })).toThrow('maxFileBytes')
})
