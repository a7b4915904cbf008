import { appendFile, mkdir, mkdtemp, readFile, realpath, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createDocumentReader, type DocumentReader } from '@homeward/kit/documents'
import * as fc from 'fast-check'
import { expect, it, onTestFinished, vi } from 'vitest'
import { makeDocx, makePdf } from '../../../../kit/src/testing/make-documents.ts'
import type { SearchTask } from '../../ports/search-provider.ts'
import { createContentSearch } from '../content-search/create-content-search.ts'
import * as scans from '../content-search/scan-file.ts'
import { createFileIndex, type FileIndexOptions } from './create-file-index.ts'

vi.mock('../content-search/scan-file.ts', { spy: true })

async function tempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'homeward-words-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const oldTime = 1_700_000_000
async function put(root: string, name: string, content: string | Uint8Array, at = oldTime): Promise<void> {
  await mkdir(path.dirname(path.join(root, name)), { recursive: true })
  await writeFile(path.join(root, name), content)
  // a file that has just changed is not read into the index yet
  await utimes(path.join(root, name), at, at)
}

const task = (query: string, more: Partial<SearchTask> = {}): SearchTask => ({
  queryId: 'q',
  query,
  scope: 'content',
  maxRows: 1000,
  sort: 'name',
  signal: new AbortController().signal,
  ...more,
})

async function indexOf(
  files: Readonly<Record<string, string | Uint8Array>>,
  options: Partial<FileIndexOptions> = {},
) {
  const root = await tempFolder()
  const state = await tempFolder()
  for (const [name, content] of Object.entries(files)) await put(root, name, content)
  return { root, state, ...openIndex(root, state, options) }
}

function openIndex(root: string, state: string, options: Partial<FileIndexOptions> = {}) {
  const file = path.join(state, 'index.db')
  const lines: string[] = []
  const index = createFileIndex({
    roots: [root],
    path: file,
    intervalMs: 86_400_000,
    maxWatches: 0,
    contents: {},
    log: (line) => void lines.push(line),
    ...options,
  })
  onTestFinished(() => index.close())
  const search = (query: string, more?: Partial<SearchTask>) => index.contents(task(query, more))
  const names = async (query: string, more?: Partial<SearchTask>) =>
    (await search(query, more)).found.map(({ name }) => name)
  /** Until nothing is left to be read: the first look is followed by another one, and only then contents are read. */
  const settle = async () => {
    await index.look()
    await index.look()
  }
  return { index, file, lines, search, names, settle }
}

/** Names of the files that were opened since the last call. */
function opened(): string[] {
  const names = vi.mocked(scans.scanFile).mock.calls.map(([at]) => path.basename(at))
  vi.mocked(scans.scanFile).mockClear()
  return names
}

it('opens only the files that it shows, and those that changed since they were read', async () => {
  const { root, search, settle, names } = await indexOf({
    'a.txt': 'one\nthe Invoice 7',
    'b.txt': 'nothing',
    'c/d.md': 'zwölf Rechnungen',
  })
  await settle()
  opened()
  const { found, source, asOf } = await search('invoice')
  expect(found).toMatchObject([{ name: 'a.txt', matches: [{ line: 2, text: 'the Invoice 7' }] }])
  expect([source, asOf]).toEqual(['index', expect.any(String)])
  expect(opened()).toEqual(['a.txt'])
  expect(await names('ZWÖLF rech')).toEqual(['d.md'])
  expect(await names('absent')).toEqual([])
  expect(opened()).toEqual(['d.md'])
  await put(root, 'b.txt', 'now an invoice', oldTime + 1)
  await settle()
  expect(await names('invoice')).toEqual(['a.txt', 'b.txt'])
  await put(root, 'a.txt', 'gone', oldTime + 2)
  await settle()
  opened()
  expect(await names('invoice')).toEqual(['b.txt'])
  expect(opened()).toEqual(['b.txt'])
})

it('finds what was written a moment ago, and reads only files that changed', async () => {
  const { root, index, names, settle } = await indexOf({ 'a.txt': 'first', 'b.txt': 'second' })
  await settle()
  vi.mocked(scans.readText).mockClear()
  await put(root, 'c.txt', 'third', Date.now() / 1000)
  await index.look()
  expect(await names('third')).toEqual(['c.txt'])
  expect(await names('first')).toEqual(['a.txt'])
  await put(root, 'd.txt', 'fourth')
  vi.mocked(scans.readText).mockClear()
  await index.look()
  expect(vi.mocked(scans.readText)).toHaveBeenCalledTimes(1)
})

it('finds what a search without an index finds', { timeout: 240_000 }, async () => {
  const piece = fc.constantFrom(
    'ab',
    'c',
    'ß',
    'e\u0301',
    'é',
    'İ',
    '\u00a0',
    ' ',
    '\n',
    '\r\n',
    'Ab',
    'ΣΣ',
    '\0',
    '文書',
    '😀',
    '-',
    'word',
    'x',
  )
  const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))
  const long = fc
    .tuple(text, text, fc.integer({ min: 65_500, max: 65_560 }), fc.constantFrom('y', 'z\n', 'ß '))
    .map(([before, after, length, filler]) => before + filler.repeat(length / filler.length) + after)
  const content = fc.oneof(
    { weight: 5, arbitrary: text },
    { weight: 1, arbitrary: long },
    { weight: 1, arbitrary: text.map((some) => Buffer.from(`\uFEFF${some}`, 'utf16le')) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 50 }) },
    { weight: 1, arbitrary: text.map((some) => makeDocx([some, 'word'])) },
    { weight: 1, arbitrary: fc.constant(makePdf([''])) },
  )
  const name = fc.constantFrom('a.txt', 'b.log', 'c.pdf', 'd.docx', 'e/f.txt', 'e/g.html', 'h')
  const query = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''))
  const where = fc.constantFrom<SearchTask['where'][]>(
    undefined,
    { extension: ['txt'] },
    { kind: ['document'] },
    { maxBytes: 20 },
  )
  const documents = createDocumentReader()
  onTestFinished(() => documents.close())
  const contents = { documents, maxFileBytes: 140_000, maxMatches: 2 }
  const question = fc.tuple(query, where)
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(name, content, { minKeys: 1 }),
      fc.array(question, { minLength: 1, maxLength: 8 }),
      async (files, questions) => {
        const { root, index, search, settle } = await indexOf(files, { contents })
        await settle()
        const walk = createContentSearch({ ...contents, roots: [root] })
        for (const [text, where] of questions) {
          const more = where === undefined ? {} : { where }
          const { source, asOf: _, ...answer } = await search(text, more)
          const { unread = [], skipped = [], ...walked } = await walk(task(text, more))
          expect({ ...answer, unread: new Set(answer.unread), skipped: new Set(answer.skipped) }).toEqual({
            ...walked,
            unread: new Set(unread),
            skipped: new Set(skipped),
          })
          const letters = Array.from(text.trim()).length
          if (letters > 4) expect(source).toBe('index')
        }
        await index.close()
      },
    ),
    { numRuns: 30 },
  )
})

it('counts documents without text as a search that reads them does, and reads each once', async () => {
  let reads = 0
  const documents: DocumentReader = {
    maxFileBytes: 1000,
    read(format) {
      reads += 1
      return Promise.resolve({ outcome: 'unread', reason: format === 'pdf' ? 'timeout' : 'encrypted' })
    },
    close() {},
  }
  const files = {
    'a.pdf': 'x',
    'b.pdf': 'x',
    'c.docx': 'x',
    'd/e.pdf': Buffer.alloc(1001),
    'f.bin': '\u0001',
  }
  const { root, search, settle } = await indexOf(files, { contents: { documents } })
  await settle()
  await settle()
  expect(reads).toBe(3)
  const { skipped, unread } = await search('invoice')
  expect(new Map(skipped?.map(({ reason, count }) => [reason, count]))).toEqual(
    new Map([
      ['timeout', 2],
      ['encrypted', 1],
      ['too_large', 1],
    ]),
  )
  expect(unread).toEqual([{ reason: 'not_text', count: 1 }])
  const inFolder = await search('invoice', { where: { folder: path.join(root, 'd') } })
  expect([inFolder.skipped, inFolder.unread]).toEqual([[{ reason: 'too_large', count: 1 }], []])
  expect(reads).toBe(3)
  await put(root, 'c.docx', 'xy')
  await settle()
  expect(reads).toBe(4)
})

it('reads no content without the option, and leaves no word in the file when it is taken away', async () => {
  const { root, state, index, file, settle } = await indexOf({ 'a.txt': 'the word ☃☄★' })
  await settle()
  await index.close()
  const holds = async () => (await readFile(file)).includes('☄')
  expect(await holds()).toBe(true)
  vi.mocked(scans.readText).mockClear()
  const without = openIndex(root, state, { contents: false })
  await without.index.look()
  expect(vi.mocked(scans.readText)).not.toHaveBeenCalled()
  expect(without.lines[0]).toMatch(/built with another setting for contents/)
  expect(await without.search('☃☄★')).toMatchObject({ source: 'walk', found: [{ name: 'a.txt' }] })
  await without.index.close()
  expect(await holds()).toBe(false)
})

it('forgets the words of a root that was taken away, at once in answers and with the next look in the file', async () => {
  const base = await tempFolder()
  const state = await tempFolder()
  await put(base, 'one/a.txt', 'aardvark')
  await put(base, 'two/b.txt', 'aardvark zzyzx')
  const both = openIndex(base, state, { roots: [path.join(base, 'one'), path.join(base, 'two')] })
  await both.settle()
  expect(await both.names('aardvark')).toEqual(['a.txt', 'b.txt'])
  await both.index.close()
  const one = openIndex(base, state, { roots: [path.join(base, 'one')] })
  expect(await one.names('aardvark')).toEqual(['a.txt'])
  await one.index.look()
  await one.index.close()
  const bytes = await readFile(both.file)
  expect([bytes.includes('ardv'), bytes.includes('zzy'), bytes.includes('zyz')]).toEqual([
    false,
    false,
    false,
  ])
})

it('keeps a file unread that changes while it is read', async () => {
  const { root, index, names } = await indexOf({ 'a.txt': 'before' })
  vi.mocked(scans.readText).mockImplementationOnce(async (handle, take) => {
    take((await handle.readFile()).toString())
    await appendFile(path.join(root, 'a.txt'), ' and after')
    return 'whole'
  })
  await index.look()
  await index.look()
  expect(await names('after')).toEqual(['a.txt'])
})
