import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import * as fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import type { SearchTask } from '../../ports/search-provider.ts'
import { createFileSearch, type FileSearchOptions } from './create-file-search.ts'
import { toTimestamp } from './describe-file.ts'
import { createUnreadParts } from './unread-parts.ts'

async function tempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'homeward-')))
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
const search = (options: FileSearchOptions, query: string, more?: Partial<SearchTask>) =>
  createFileSearch(options)(task(query, more))

it('gives path, name, size and time of what matched, the best first', async () => {
  const root = await tempFolder()
  await mkdir(path.join(root, 'b/c'), { recursive: true })
  await writeFile(path.join(root, 'b/c/Report.txt'), 'four')
  await utimes(path.join(root, 'b/c/Report.txt'), 0, 1_700_000_000)
  await writeFile(path.join(root, 'a-report.txt'), '')
  await writeFile(path.join(root, 'other.txt'), '')
  const answer = await search({ roots: [root, path.join(root, 'b')] }, 'report')
  expect(answer.truncated).toBe(false)
  expect(answer.found.map(({ name }) => name)).toEqual(['Report.txt', 'a-report.txt'])
  expect(answer.found[0]).toEqual({
    path: path.join(root, 'b/c/Report.txt'),
    name: 'Report.txt',
    size: 4,
    modified: '2023-11-14T22:13:20.000Z',
  })
})

it('The agent: follows a root that is a link, and no link inside', async () => {
  const outside = await tempFolder()
  const root = await tempFolder()
  const links = await tempFolder()
  await writeFile(path.join(outside, 'hit-outside'), '')
  await writeFile(path.join(root, 'hit'), '')
  await symlink(outside, path.join(root, 'out'))
  await symlink(path.join(outside, 'hit-outside'), path.join(root, 'hit-link'))
  await symlink(root, path.join(root, 'loop'))
  await symlink(root, path.join(links, 'root'))
  const { found } = await search({ roots: [path.join(links, 'root')] }, 'hit')
  expect(found.map((file) => file.path)).toEqual([path.join(root, 'hit')])
})

it('passes over pipes, sockets, missing roots and what cannot be read', async () => {
  const root = await tempFolder()
  execFileSync('mkfifo', [path.join(root, 'hit-fifo')])
  const server = createServer().listen(path.join(root, 'hit-socket'))
  onTestFinished(() => void server.close())
  await mkdir(path.join(root, 'locked'), { mode: 0 })
  await writeFile(path.join(root, 'hit'), '')
  const { found } = await search({ roots: [root, path.join(root, 'missing'), path.join(root, 'hit')] }, 'hit')
  expect(found.map(({ name }) => name)).toEqual(['hit'])
})

it('shows odd names, the invalid ones with a replacement', async () => {
  const root = await tempFolder()
  await writeFile(path.join(root, 'hit\nline'), '')
  await writeFile(Buffer.concat([Buffer.from(`${root}/hit-`), Buffer.from([0xff, 0xfe])]), 'abc')
  const { found } = await search({ roots: [root] }, 'hit')
  expect(found.map(({ name, size }) => [name, size])).toEqual([
    ['hit\nline', 0],
    ['hit-\uFFFD\uFFFD', 3],
  ])
})

it.skipIf(process.platform !== 'linux')(
  'gives each of many invalid names the facts of its own file',
  async () => {
    const root = await tempFolder()
    // U+FFFD itself is a valid name.
    await writeFile(path.join(root, 'hit-\uFFFD'), 'four')
    const names = Array.from({ length: 100 }, (_, index) => Buffer.from([0x68, 0x69, 0x74, 0x80 + index]))
    for (const [index, name] of names.entries()) {
      await writeFile(Buffer.concat([Buffer.from(`${root}/`), name]), 'x'.repeat(100 + index))
    }
    const { found } = await search({ roots: [root] }, 'hit')
    const sizes = found.map(({ size }) => size).toSorted((one, other) => one - other)
    expect(sizes).toEqual([4, ...names.map((_, index) => 100 + index)])
  },
)

it('says truncated only when there is more than the rows it gives', async () => {
  const root = await tempFolder()
  for (const name of ['hit-1', 'hit-2', 'hit-3']) await writeFile(path.join(root, name), '')
  const roots = [root]
  expect(await search({ roots }, 'hit', { maxRows: 3 })).toMatchObject({ truncated: false })
  const cut = await search({ roots }, 'hit', { maxRows: 2 })
  expect([cut.found.length, cut.truncated]).toEqual([2, true])
  expect(await search({ roots, maxRows: 1 }, 'hit')).toMatchObject({ truncated: true, found: [{}] })
  expect(await search({ roots, maxEntries: 2 }, 'hit')).toMatchObject({ truncated: true })
})

it('C27: finds words in any order, in the name and the folders below the root', async () => {
  const root = await tempFolder()
  await mkdir(path.join(root, 'Acme'))
  for (const name of [
    'invoice Acme 2024-08.txt',
    'Acme/Invoice 2024.pdf',
    'Acme/notes 2024.txt',
    'Müller.txt',
  ])
    await writeFile(path.join(root, name), '')
  const names = async (query: string) =>
    (await search({ roots: [root] }, query)).found.map(({ name }) => name)
  expect(await names('acme invoice 2024')).toEqual(['invoice Acme 2024-08.txt', 'Invoice 2024.pdf'])
  expect(await names('muller')).toEqual(['Müller.txt'])
  expect(await names(`${path.basename(root)} muller`)).toEqual([])
})

it('finds what meets all conditions, also without a text, and folders if they are asked for', async () => {
  const root = await tempFolder()
  await mkdir(path.join(root, 'films/old films'), { recursive: true })
  for (const [name, bytes] of [
    ['films/a.mkv', 30],
    ['films/old films/b.MP4', 20],
    ['films/c.txt', 40],
    ['d.mp4', 50],
  ] as const) {
    await writeFile(path.join(root, name), 'x'.repeat(bytes))
    await utimes(path.join(root, name), 0, 1_700_000_000 + bytes)
  }
  const names = async (query: string, more: Partial<SearchTask>) =>
    (await search({ roots: [root] }, query, more)).found.map(({ name }) => name)
  const folder = path.join(root, 'films')
  expect(await names('', { where: { kind: ['video'], folder }, sort: '-size' })).toEqual(['a.mkv', 'b.MP4'])
  expect(await names('', { where: { extension: ['mp4'] }, sort: 'modified' })).toEqual(['b.MP4', 'd.mp4'])
  expect(await names('', { where: { minBytes: 40, maxBytes: 40 } })).toEqual(['c.txt'])
  const modifiedAfter = new Date(1_700_000_040_000).toISOString()
  expect(await names('', { where: { modifiedAfter }, sort: 'name' })).toEqual(['c.txt', 'd.mp4'])
  expect(await names('films', { where: { kind: ['folder'] } })).toEqual(['films', 'old films'])
  expect(await names('films', {})).toEqual([])
})

it('gives the first rows of the order, whatever else matches', async () => {
  const root = await tempFolder()
  const times = Array.from({ length: 300 }, (_, at) => (at * 7919) % 300)
  for (const time of times) {
    await writeFile(path.join(root, `hit-${time}`), '')
    await utimes(path.join(root, `hit-${time}`), 0, 1_700_000_000 + time)
  }
  const answer = await search({ roots: [root] }, 'hit', { sort: '-modified', maxRows: 3 })
  expect(answer.found.map(({ name }) => name)).toEqual(['hit-299', 'hit-298', 'hit-297'])
  expect(answer.truncated).toBe(true)
})

it('stops at its time and when the signal aborts, and says truncated', async () => {
  const root = await tempFolder()
  await writeFile(path.join(root, 'hit'), '')
  let nowMs = 0
  const late = { roots: [root], maxDurationMs: 10, now: () => (nowMs += 10) }
  expect(await search(late, 'hit')).toEqual({ found: [], truncated: true, unread: [] })
  expect(await search({ roots: [root] }, 'hit', { signal: AbortSignal.abort() })).toEqual({
    found: [],
    truncated: true,
    unread: [],
  })
})

it('says which roots are missing, and fails if all are', async () => {
  const root = await tempFolder()
  await writeFile(path.join(root, 'hit'), '')
  const gone = path.join(root, 'drive')
  expect(await search({ roots: [root, gone] }, 'hit')).toMatchObject({
    found: [{ name: 'hit' }],
    truncated: false,
    unread: [{ reason: 'missing_root', path: gone, count: 1 }],
  })
  await expect(search({ roots: [gone, path.join(root, 'hit')] }, 'hit')).rejects.toMatchObject({
    code: 'FILE_UNAVAILABLE',
    message: expect.stringContaining('is not there') as string,
  })
  expect(await search({ roots: [] }, 'hit')).toMatchObject({ found: [] })
})

it('finds nothing below a root, or names it, whatever roots come and go', async () => {
  const base = await tempFolder()
  const names = ['a', 'b', 'c']
  const present = fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 })
  await fc.assert(
    fc.asyncProperty(present, async (some) => {
      for (const name of names) await rm(path.join(base, name), { recursive: true, force: true })
      for (const name of some) {
        await mkdir(path.join(base, name))
        await writeFile(path.join(base, name, 'hit'), '')
      }
      const { found, unread = [] } = await search(
        { roots: names.map((name) => path.join(base, name)) },
        'hit',
      )
      const seen = found.map((file) => path.basename(path.dirname(file.path))).toSorted()
      const unseen = unread.map((part) => path.basename(part.path ?? ''))
      expect([...seen, ...unseen].toSorted()).toEqual(names)
      expect(seen).toEqual(some.toSorted())
    }),
    { numRuns: 20 },
  )
})

it.skipIf(process.getuid?.() === 0)('counts folders that may not be read', async () => {
  const root = await tempFolder()
  const locked = path.join(root, 'locked')
  await mkdir(locked, { mode: 0 })
  onTestFinished(() => chmod(locked, 0o700))
  expect(await search({ roots: [root] }, 'hit')).toEqual({
    found: [],
    truncated: false,
    unread: [{ reason: 'denied', path: locked, count: 1 }],
  })
})

it('names places up to a limit, then their roots', () => {
  const unread = createUnreadParts()
  const denied = Object.assign(new Error(), { code: 'EACCES' })
  for (let index = 0; index < 20; index += 1) unread.noteError(denied, { path: `/a/${index}`, root: '/a' })
  expect(unread.list()).toHaveLength(20)
  unread.noteError(denied, { path: '/b/1', root: '/b' })
  unread.noteError(denied, { path: '/b/2', root: '/b' })
  unread.noteError(Object.assign(new Error(), { code: 'ENOENT' }), { path: '/b/3', root: '/b' })
  expect(unread.list()).toEqual([
    { reason: 'denied', path: '/a', count: 20 },
    { reason: 'denied', path: '/b', count: 2 },
  ])
})

it.skipIf(process.platform !== 'linux')('leaves out processes and devices below the root /', async () => {
  const { found } = await search({ roots: ['/'], maxEntries: 3000 }, 'cmdline')
  expect(found.filter((file) => /^\/(?:proc|sys|dev)\//.test(file.path))).toEqual([])
  const own = await search({ roots: ['/proc/self'], maxEntries: 100 }, 'cmdline', { maxRows: 1 })
  expect(own.found).toHaveLength(1)
})

it('refuses a relative root', () => {
  expect(() => createFileSearch({ roots: ['docs'] })).toThrow(/the path is not absolute/)
})

it('finds in 20,000 files without holding the event loop for 50 ms', { timeout: 60_000 }, async () => {
  const root = await tempFolder()
  for (const folder of ['wide', 'a', 'b/c']) await mkdir(path.join(root, folder), { recursive: true })
  const names = Array.from(
    { length: 20_000 },
    (_, at) => `${at < 15_000 ? 'wide' : at % 2 ? 'a' : 'b/c'}/f-${at}.txt`,
  )
  for (let at = 0; at < names.length; at += 500)
    await Promise.all(names.slice(at, at + 500).map((name) => writeFile(path.join(root, name), '')))
  const searchFiles = createFileSearch({ roots: [root] })
  await searchFiles(task('warm-up'))
  const watch = watchEventLoop()
  const { found } = await searchFiles(task('99.txt'))
  expect(found).toHaveLength(200)
  expect(watch.end()).toBeLessThan(50)
})

/** Finds the longest turn of the event loop, in milliseconds of this thread's own time: other processes do not count. */
function watchEventLoop() {
  const readMs = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let lastMs = readMs()
  let longestMs = 0
  const note = () => {
    const nowMs = readMs()
    longestMs = Math.max(longestMs, nowMs - lastMs)
    lastMs = nowMs
  }
  const turn = () => {
    note()
    next = setImmediate(turn)
  }
  let next = setImmediate(turn)
  return {
    end() {
      note()
      clearImmediate(next)
      return longestMs
    },
  }
}

it('gives a time with a four-digit year, whatever the file system holds', () => {
  expect(toTimestamp(-1e15)).toBe('0001-01-01T00:00:00.000Z')
  expect(toTimestamp(1e18)).toBe('9999-12-31T00:00:00.000Z')
  expect(toTimestamp(NaN)).toBe('1970-01-01T00:00:00.000Z')
  expect(toTimestamp(-1)).toBe('1969-12-31T23:59:59.999Z')
})
