import { mkdir, mkdtemp, open, realpath, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createDocumentReader } from '@homeward/kit/documents'
import { expect, it, onTestFinished } from 'vitest'
import { makeDocx, makePdf, makeZip } from '../../../../kit/src/testing/make-documents.ts'
import type { SearchTask } from '../../ports/search-provider.ts'
import { createFileIndex } from './create-file-index.ts'

const task: SearchTask = {
  queryId: 'q',
  query: 'needle',
  scope: 'content',
  maxRows: 1000,
  sort: 'name',
  signal: new AbortController().signal,
}

/** Files that cost whoever trusts them all of the memory, or forever. */
function hostileFiles(): Record<string, Uint8Array> {
  const bomb = makeZip({ 'content.xml': Buffer.alloc(100_000_000, '<a>') })
  const nested = makeZip({ 'word/document.xml': makeZip({ 'word/document.xml': bomb }) })
  const deepXml = makeZip({ 'word/document.xml': Buffer.from('<w:p>'.repeat(200_000)) })
  const manyEntries = makeZip(
    Object.fromEntries(Array.from({ length: 12_000 }, (_, at) => [`word/${at}.xml`, Buffer.from('x')])),
  )
  const endless = makePdf(Array.from({ length: 4000 }, (_, at) => `page ${at} ${'word '.repeat(40)}`))
  const loop = Buffer.from(endless.toString('latin1').replace('/Kids [', '/Kids [1 0 R 2 0 R '), 'latin1')
  const locked = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(100_000, 7)])
  const mail = Buffer.from(
    `Content-Type: multipart/mixed; boundary=a\n\n${'--a\nContent-Type: multipart/mixed; boundary=a\n\n'.repeat(20_000)}`,
  )
  return {
    'bomb.odt': bomb,
    'nested.docx': nested,
    'deep.docx': deepXml,
    'entries.docx': manyEntries,
    'endless.pdf': endless,
    'loop.pdf': loop,
    'locked.docx': locked,
    'mail.eml': mail,
    'deep.html': Buffer.from('<div>'.repeat(200_000)),
    'cut.docx': makeDocx(['needle']).subarray(0, 200),
  }
}

it(
  'reads a hundred hostile files within its limits, and finds the others',
  { timeout: 900_000 },
  async () => {
    const base = await realpath(await mkdtemp(path.join(tmpdir(), 'homeward-hostile-')))
    onTestFinished(() => rm(base, { recursive: true, force: true }))
    const root = path.join(base, 'root')
    await mkdir(root)
    const put = async (name: string, content: Uint8Array | string) => {
      await writeFile(path.join(root, name), content)
      await utimes(path.join(root, name), 1_700_000_000, 1_700_000_000)
    }
    for (const [name, content] of Object.entries(hostileFiles()))
      for (let copy = 0; copy < 9; copy += 1) await put(`${copy}-${name}`, content)
    for (let copy = 0; copy < 10; copy += 1) {
      const sparse = await open(path.join(root, `${copy}-sparse.${copy % 2 === 0 ? 'txt' : 'pdf'}`), 'w')
      await sparse.truncate(2 ** 31)
      await sparse.utimes(1_700_000_000, 1_700_000_000)
      await sparse.close()
    }
    await put('a.txt', 'the needle')
    await put('z.docx', makeDocx(['the needle']))

    const maxMs = 2000
    let longestMs = 0
    const reader = createDocumentReader({ maxMs, maxMemoryBytes: 200_000_000 })
    onTestFinished(() => reader.close())
    let reads = 0
    const documents = {
      ...reader,
      async read(...input: Parameters<typeof reader.read>) {
        reads += 1
        const startedMs = performance.now()
        const text = await reader.read(...input)
        longestMs = Math.max(longestMs, performance.now() - startedMs)
        return text
      },
    }
    const contents = { documents, maxDurationMs: 600_000 }
    const before = process.memoryUsage.rss()
    const index = createFileIndex({
      roots: [root],
      path: path.join(base, 'index.db'),
      contents,
      maxWatches: 0,
    })
    onTestFinished(() => index.close())
    await index.look()
    await index.look()
    const once = reads
    const { found, skipped = [], source } = await index.contents(task)
    expect([source, found.map(({ name }) => name)]).toEqual(['index', ['a.txt', 'z.docx']])
    // only z.docx is opened again
    expect(reads).toBe(once + 1)
    expect(skipped.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThanOrEqual(50)
    // the time limit, the start of a child process, and what a busy machine adds
    expect(longestMs).toBeLessThan(maxMs + 30_000)
    expect(process.memoryUsage.rss() - before).toBeLessThan(400_000_000)
  },
)
