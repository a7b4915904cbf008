import {
  mkdir,
  mkdtemp,
  open,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import * as fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import type { SearchTask } from '../../ports/search-provider.ts'
import { createFileSearch } from '../file-search/create-file-search.ts'
import { createFileIndex, type FileIndexOptions } from './create-file-index.ts'

async function tempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'homeward-index-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const task = (query: string, more: Partial<SearchTask> = {}): SearchTask => ({
  queryId: 'q',
  query,
  scope: 'files',
  maxRows: 1000,
  signal: new AbortController().signal,
  ...more,
})

/** An index of a folder with these files, and what is searched with it. */
async function indexOf(files: Readonly<Record<string, string>>, options: Partial<FileIndexOptions> = {}) {
  const root = await tempFolder()
  const state = await tempFolder()
  for (const [name, content] of Object.entries(files)) await put(root, name, content)
  return { root, state, ...openIndex(root, state, options) }
}

async function put(root: string, name: string, content: string): Promise<void> {
  await mkdir(path.dirname(path.join(root, name)), { recursive: true })
  await writeFile(path.join(root, name), content)
}

function openIndex(root: string, state: string, options: Partial<FileIndexOptions> = {}) {
  const file = path.join(state, 'index.db')
  const lines: string[] = []
  // far apart: only the looks that tests ask for, and what watchers see
  const settings = {
    roots: [root],
    path: file,
    intervalMs: 86_400_000,
    log: (line: string) => void lines.push(line),
  }
  const index = createFileIndex({ ...settings, ...options })
  onTestFinished(() => index.close())
  const search = (query: string, more?: Partial<SearchTask>) => index(task(query, more))
  const names = async (query: string, more?: Partial<SearchTask>) =>
    (await search(query, more)).found.map(({ name }) => name)
  return { index, file, lines, search, names }
}

it('walks until the first look is done, then answers from the index as a walk does', async () => {
  const { root, index, search } = await indexOf({
    'Acme/invoice 2024.pdf': 'four',
    'Müller.txt': '',
    'b/acme 2024 invoice.txt': 'x',
    'b/film.mkv': 'xyz',
  })
  expect(await search('invoice')).toMatchObject({ source: 'walk', asOf: expect.any(String) as string })
  await index.look()
  expect(index.status()).toMatchObject({ state: 'ready', files: 4 })
  const walk = createFileSearch({ roots: [root] })
  const questions: [string, Partial<SearchTask>?][] = [
    ['invoice'],
    ['acme invoice 2024'],
    ['muller'],
    ['24'],
    ['*.txt'],
    ['b/*.txt'],
    ['inv*2024*'],
    [`${root}/b/film.mkv`],
    ['{film,acme*}.*'],
    ['', { where: { kind: ['video'] } }],
    ['', { where: { minBytes: 1, maxBytes: 3 }, sort: '-size' }],
    ['', { where: { extension: ['TXT'], folder: path.join(root, 'b') } }],
    ['', { where: { kind: ['folder', 'document'] }, sort: 'name' }],
    ['invoice', { maxRows: 1 }],
    ['nothing'],
  ]
  for (const [query, more] of questions) {
    const { source, asOf, ...answer } = await search(query, more)
    expect(answer, query).toEqual(await walk(task(query, more)))
    expect([source, asOf]).toEqual(['index', index.status().updatedAt])
  }
})

it('never reports what is gone, and shows sizes and times as they are', async () => {
  const { root, index, search, names } = await indexOf(
    { 'hit-1': 'a', 'hit-2': 'a', 'hit-3': 'a' },
    { maxWatches: 0 },
  )
  await index.look()
  await rm(path.join(root, 'hit-1'))
  await writeFile(path.join(root, 'hit-2'), 'longer')
  const { found, source } = await search('hit', { sort: 'name' })
  expect([source, ...found.map(({ name, size }) => `${name} ${size}`)]).toEqual([
    'index',
    'hit-2 6',
    'hit-3 1',
  ])
  expect(await names('hit', { where: { maxBytes: 3 } })).toEqual(['hit-3'])
})

it('gives the first of many by size and time, as a walk does', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 250 }, (_, at) => [`f${at % 3}/hit ${at}`, 'x'.repeat(at % 17)]),
  )
  const { root, index, search } = await indexOf(files)
  await index.look()
  const walk = createFileSearch({ roots: [root] })
  for (const sort of ['size', '-size', 'modified', '-modified'] as const)
    for (const maxRows of [1, 20, 1000]) {
      const { source: _, asOf: __, ...answer } = await search('hit', { sort, maxRows })
      expect(answer).toEqual(await walk(task('hit', { sort, maxRows })))
    }
})

it('sees what was created, renamed, changed and deleted with the next look', async () => {
  const { root, index, names } = await indexOf(
    { 'a/hit-1': '', 'b/hit-2': '', 'c/hit-3': '' },
    { maxWatches: 0 },
  )
  await index.look()
  await put(root, 'd/e/hit-4', '')
  await rename(path.join(root, 'a'), path.join(root, 'f'))
  await rename(path.join(root, 'b/hit-2'), path.join(root, 'b/Hit two'))
  await rm(path.join(root, 'c'), { recursive: true })
  await index.look()
  expect(await names('hit', { sort: 'name' })).toEqual(['Hit two', 'hit-1', 'hit-4'])
  await writeFile(path.join(root, 'b/Hit two'), 'x'.repeat(50))
  await index.look()
  expect(await names('hit', { where: { minBytes: 50 } })).toEqual(['Hit two'])
})

it.skipIf(process.platform !== 'linux')('sees changes in watched folders without a look', async () => {
  const { root, index, names } = await indexOf({ 'a/hit-1': '' })
  await index.look()
  await put(root, 'a/hit-2', '')
  await put(root, 'a/new/hit-3', '')
  await expect
    .poll(() => names('hit', { sort: 'name' }), { timeout: 20_000 })
    .toEqual(['hit-1', 'hit-2', 'hit-3'])
})

it('answers of a root that was removed end at once, and its names leave the file', async () => {
  const base = await tempFolder()
  const state = await tempFolder()
  await put(base, 'one/hit-in-one', '')
  await put(base, 'two/hit-in-two-secret', '')
  const roots = [path.join(base, 'one'), path.join(base, 'two')]
  const first = openIndex(base, state, { roots })
  await first.index.look()
  expect(await first.names('hit')).toHaveLength(2)
  await first.index.close()
  const second = openIndex(base, state, { roots: [path.join(base, 'one')] })
  expect(await second.names('hit')).toEqual(['hit-in-one'])
  await second.index.look()
  await second.index.close()
  const bytes = await readFile(second.file)
  expect(bytes.includes('hit-in-one')).toBe(true)
  expect(bytes.includes('secret')).toBe(false)
  expect(bytes.includes(path.join(base, 'two'))).toBe(false)
})

it('has no path outside the roots in its file, nor in what SQLite keeps beside it', async () => {
  const base = await tempFolder()
  const state = await tempFolder()
  await put(base, 'inside/deep/hit-1', 'word')
  await put(base, 'outside-secret/folder-secret/hit-secret', 'word-secret')
  await symlink(path.join(base, 'outside-secret'), path.join(base, 'inside/link'))
  await symlink(
    path.join(base, 'outside-secret/folder-secret/hit-secret'),
    path.join(base, 'inside/deep/other'),
  )
  const { index, file, names } = openIndex(base, state, {
    roots: [path.join(base, 'inside')],
    contents: {},
  })
  await index.look()
  await rename(path.join(base, 'inside/deep'), path.join(base, 'outside-secret/moved'))
  await put(base, 'inside/hit-2', 'word')
  await index.look()
  expect(await names('hit')).toEqual(['hit-2'])
  const bytes = Buffer.concat(await Promise.all(['', '-wal', '-shm'].map((each) => readFile(file + each))))
  expect(bytes.includes('secret')).toBe(false)
  expect(bytes.includes(path.join(base, 'inside'))).toBe(true)
})

it('walks below a root that was mounted after the last look', async () => {
  const base = await tempFolder()
  const state = await tempFolder()
  await put(base, 'one/hit-1', '')
  const roots = [path.join(base, 'one'), path.join(base, 'drive')]
  const { index, search } = openIndex(base, state, { roots })
  await index.look()
  expect(await search('hit')).toMatchObject({
    source: 'index',
    unread: [{ reason: 'missing_root', path: roots[1] }],
  })
  await put(base, 'drive/hit-2', '')
  expect(await search('hit')).toMatchObject({ source: 'walk', found: [{}, {}], unread: [] })
  await index.look()
  expect(await search('hit')).toMatchObject({ source: 'index', found: [{}, {}] })
})

it('rebuilds a damaged file, and says so', async () => {
  const { root, state, index, file } = await indexOf({ 'hit-1': '' })
  await index.look()
  await index.close()
  await writeFile(file, 'no database at all, '.repeat(500))
  const second = openIndex(root, state)
  await second.index.look()
  expect(await second.search('hit')).toMatchObject({ source: 'index', found: [{ name: 'hit-1' }] })
  expect(second.lines[0]).toMatch(/damaged/)
})

it('answers all the same, whatever happens to the pages of its file', { timeout: 120_000 }, async () => {
  const files = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [`folder-${at % 7}/hit ${at}.txt`, 'x']),
  )
  const { root, state, index, file } = await indexOf(files)
  await index.look()
  await index.close()
  const whole = await readFile(file)
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 5000 }), async (at, length) => {
      await writeFile(file, whole)
      const handle = await open(file, 'r+')
      await handle.write(Buffer.alloc(length, 0xa5), 0, length, at)
      await handle.close()
      await rm(`${file}-wal`, { force: true })
      const again = openIndex(root, state)
      await again.index.look()
      await again.index.look()
      expect((await again.search('hit')).found).toHaveLength(300)
      await again.index.close()
    }),
    { numRuns: 15 },
  )
})

it('walks where there can be no index, and says why', async () => {
  const root = await tempFolder()
  await put(root, 'hit', '')
  const lines: string[] = []
  const index = createFileIndex({
    roots: [root],
    path: path.join(root, 'hit/index.db'),
    log: (line) => void lines.push(line),
  })
  expect(await index(task('hit'))).toMatchObject({ source: 'walk', found: [{ name: 'hit' }] })
  expect(index.status().state).toBe('off')
  expect(lines).toEqual([expect.stringMatching(/^the index is unavailable/) as string])
  await index.close()
})

it('equals a fresh walk after any changes and looks', { timeout: 120_000 }, async () => {
  const name = fc.constantFrom('a', 'b', 'hit', 'hit c')
  const change = fc.oneof(
    fc.record({ do: fc.constant('put' as const), at: fc.array(name, { minLength: 1, maxLength: 3 }) }),
    fc.record({ do: fc.constant('remove' as const), at: fc.array(name, { minLength: 1, maxLength: 2 }) }),
    fc.record({ do: fc.constant('look' as const), at: fc.constant<string[]>([]) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
      const { root, index, search } = await indexOf({}, { maxWatches: 0 })
      for (const { do: action, at } of changes) {
        const target = path.join(root, ...at)
        if (action === 'look') await index.look()
        else if (action === 'remove') await rm(target, { recursive: true, force: true }).catch(() => {})
        else await put(root, at.join('/'), 'x').catch(() => {}) // a folder is there, or a file where a folder should be
      }
      await index.look()
      const { source, asOf: _, ...answer } = await search('hit')
      expect(source).toBe('index')
      expect(answer).toEqual(await createFileSearch({ roots: [root] })(task('hit')))
      await index.close()
    }),
    { numRuns: 40 },
  )
})

it('lists a folder again whose time is new or too young to be sure', async () => {
  const { root, index, names } = await indexOf({ 'old/hit-1': '' }, { maxWatches: 0 })
  await utimes(path.join(root, 'old'), 1_700_000_000, 1_700_000_000)
  await index.look()
  await put(root, 'old/hit-2', '')
  await index.look()
  expect(await names('hit', { sort: 'name' })).toEqual(['hit-1', 'hit-2'])
})
