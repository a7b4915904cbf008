import * as fc from 'fast-check'
import { mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { OutboxEntry } from '../../ports/outbox.ts'
import { createFileOutbox, type DamagedFile } from './create-file-outbox.ts'
import { serializeEntry, toFileName } from './entry-file.ts'

const createdAt = (order: number) => new Date(Date.UTC(2026, 0, 1) + order * 1000).toISOString()
const running = (queryId: string, order: number): OutboxEntry => ({
  queryId,
  state: 'running',
  request: { id: queryId, query: 'x', scope: ['files'], createdAt: createdAt(0) },
  createdAt: createdAt(order),
})
const ready = (queryId: string, order: number): OutboxEntry => ({
  queryId,
  state: 'ready',
  report: { queryId, results: {}, error: null },
  createdAt: createdAt(order),
})

const queryId = fc.constantFrom('a', 'b', 'c', '../d')
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('run' as const), queryId }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('finish' as const), queryId }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), queryId }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('crash' as const),
      /** The write that the crash cut, at this part of its bytes. */
      queryId,
      cutAt: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
)

it(
  'C17: holds what was put and not what was deleted, whatever happens in between',
  { timeout: 60_000 },
  async () => {
    const base = await realpath(await mkdtemp(path.join(tmpdir(), 'homeward-')))
    onTestFinished(() => rm(base, { recursive: true, force: true }))
    let runs = 0

    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const folder = path.join(base, String((runs += 1)))
        const damaged: DamagedFile[] = []
        const open = () => createFileOutbox({ folder, onDamaged: (file) => damaged.push(file) })
        const expected = new Map<string, OutboxEntry>()
        let outbox = open()
        for (const [order, action] of steps.entries()) {
          if (action.do === 'restart') await outbox.close()
          if (action.do === 'crash') {
            // Nothing is closed: the lock stays, of a process that is no more, and half a file does.
            await outbox.list()
            const bytes = serializeEntry(ready(action.queryId, order))
            const torn = bytes.subarray(0, Math.floor(action.cutAt * bytes.length))
            await writeFile(path.join(folder, `${toFileName(action.queryId)}.new`), torn)
            await writeFile(path.join(folder, 'outbox.lock'), '{"pid":1,"startedAt":"then","token":"t"}')
            outbox = open()
          }
          if (action.do === 'delete') {
            await outbox.delete(action.queryId)
            expected.delete(action.queryId)
          }
          if (action.do === 'run' || action.do === 'finish') {
            const entry = (action.do === 'run' ? running : ready)(action.queryId, order)
            await outbox.put(entry)
            expected.set(entry.queryId, entry)
          }
          const oldestFirst = [...expected.values()].toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
          expect(await outbox.list()).toEqual(oldestFirst)
        }
        await outbox.close()
        expect(damaged).toEqual([])
        expect(await readdir(folder)).toHaveLength(expected.size)
      }),
      { numRuns: 40 },
    )
  },
)
