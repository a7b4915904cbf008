import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import * as fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { createFileSearch } from '../file-search/create-file-search.ts'
import { createFileIndex } from './create-file-index.ts'

const program = path.join(import.meta.dirname, 'index-crash-program.ts')

it('equals a fresh walk after the process was killed at any moment', { timeout: 120_000 }, async () => {
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
  await fc.assert(
    fc.asyncProperty(fc.nat(1_000_000), fc.integer({ min: 0, max: 400 }), async (seed, lives) => {
      const args = ['--no-warnings', '--conditions=@homeward/source', program, root, file, String(seed)]
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
      await once(child.stdout, 'data')
      await new Promise((resolve) => setTimeout(resolve, lives))
      child.kill('SIGKILL')
      await once(child, 'exit')
      const lines: string[] = []
      const index = createFileIndex({ roots: [root], path: file, log: (line) => void lines.push(line) })
      try {
        const walk = await createFileSearch({ roots: [root] })(task)
        const before = await index(task)
        const there = new Set(walk.found.map((found) => JSON.stringify(found)))
        expect(before.found.filter((found) => !there.has(JSON.stringify(found)))).toEqual([])
        await index.look()
        const { source, asOf: _, ...after } = await index(task)
        expect(source).toBe('index')
        expect(after).toEqual(walk)
        expect(lines.filter((line) => /damaged/.test(line))).toEqual([])
      } finally {
        await index.close()
      }
    }),
    { numRuns: 12 },
  )
})
