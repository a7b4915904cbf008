import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { createFileSearch } from '../file-search/create-file-search.ts'
import { fileOfSegment } from './contents-database.ts'
import { createFileIndex } from './create-file-index.ts'

const program = path.join(import.meta.dirname, 'index-crash-program.ts')

/** The files that the words of an index name, for some pieces of words. */
function wordsIn(file: string): unknown {
  using database = new DatabaseSync(file, { readOnly: true })
  const named = database.prepare(
    `select folders.path, files.name from texts cross join files on files.id = ${fileOfSegment}
     join folders on folders.id = files.folder where texts match ? order by 1, 2`,
  )
  const pieces = ['xxx', 'wor', ...Array.from({ length: 41 }, (_, at) => `d ${at}`.slice(0, 3))]
  return pieces.map((piece) => [piece, named.all(`"${piece}"`)])
}

it(
  'equals a fresh walk, and has the words of a fresh one, after the process was killed at any moment',
  { timeout: 600_000 },
  async () => {
    const base = await realpath(await mkdtemp(path.join(tmpdir(), 'homeward-index-')))
    onTestFinished(() => rm(base, { recursive: true, force: true }))
    const root = path.join(base, 'root')
    const file = path.join(base, 'state/index.db')
    await mkdir(root)
    const task = {
      queryId: 'q',
      query: 'hit',
      scope: 'files',
      maxRows: 1000,
      sort: 'name',
      signal: new AbortController().signal,
    } as const
    let runs = 0
    await fc.assert(
      fc.asyncProperty(fc.nat(1_000_000), fc.integer({ min: 0, max: 800 }), async (seed, lives) => {
        const args = ['--no-warnings', '--conditions=@homeward/source', program, root, file, String(seed)]
        const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
        await once(child.stdout, 'data')
        await new Promise((resolve) => setTimeout(resolve, lives))
        child.kill('SIGKILL')
        await once(child, 'exit')
        const lines: string[] = []
        const options = { roots: [root], contents: {}, maxWatches: 0 }
        const index = createFileIndex({ ...options, path: file, log: (line) => void lines.push(line) })
        const freshFile = path.join(base, `fresh-${runs++}.db`)
        const fresh = createFileIndex({ ...options, path: freshFile })
        try {
          const walk = await createFileSearch({ roots: [root] })(task)
          const before = await index(task)
          const there = new Set(walk.found.map((found) => JSON.stringify(found)))
          expect(before.found.filter((found) => !there.has(JSON.stringify(found)))).toEqual([])
          await index.look()
          const { source, asOf: _, ...after } = await index(task)
          expect(source).toBe('index')
          expect(after).toEqual(walk)
          await index.look()
          await fresh.look()
          await fresh.look()
          expect(wordsIn(file)).toEqual(wordsIn(freshFile))
          expect(lines.filter((line) => /damaged/.test(line))).toEqual([])
        } finally {
          await index.close()
          await fresh.close()
        }
      }),
      { numRuns: 12 },
    )
  },
)
