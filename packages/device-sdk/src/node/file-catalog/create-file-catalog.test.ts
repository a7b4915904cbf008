import type { CatalogFile } from '@homeward/contract/device-cloud'
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import type { CatalogTask } from '../../ports/catalog-source.ts'
import { createFileIndex } from '../file-index/create-file-index.ts'
import { createFileCatalog, type FileCatalogOptions } from './create-file-catalog.ts'

const signal = new AbortController().signal
const hourMs = 3_600_000

async function createHome() {
  const home = await mkdtemp(join(tmpdir(), 'homeward-catalog-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const [root, state] = [join(home, 'root'), join(home, 'state')]
  await mkdir(join(root, 'docs'), { recursive: true })
  await writeFile(join(root, 'docs', 'report.pdf'), 'a report')
  await writeFile(join(root, 'Müller.txt'), '')
  await writeFile(join(home, 'secret.txt'), 'outside')
  await symlink(join(home, 'secret.txt'), join(root, 'link.txt'))
  let nowMs = Date.parse('2026-01-01T00:00:00.000Z')
  const create = (options: Partial<FileCatalogOptions> = {}) =>
    createFileCatalog({ roots: [root], folder: state, isShared: true, now: () => nowMs, ...options })
  return { root, state, create, advance: (ms: number) => (nowMs += ms) }
}

async function linesOf(task: CatalogTask | undefined) {
  if (task?.kind !== 'send') throw new Error('There is nothing to send')
  const text = gunzipSync(await task.content.bytes()).toString()
  const [head, ...rows] = text.trimEnd().split('\n')
  const files = rows.map((row) => JSON.parse(row) as CatalogFile)
  return { head: JSON.parse(head!) as object, files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)) }
}

/** Does what an agent does whose cloud takes everything. */
async function carryOut(task: CatalogTask | undefined): Promise<string | undefined> {
  await task?.done()
  if (task?.kind === 'send') await task.release()
  return task?.kind
}

it('lists what can be searched: files below the roots, and nothing that a link leads to', async () => {
  const { root, create } = await createHome()
  const { head, files } = await linesOf(await create().next(signal))
  expect(head).toEqual({ asOf: '2026-01-01T00:00:00.000Z', files: 2 })
  const modified: unknown = expect.stringMatching(/^\d{4}-.*Z$/)
  expect(files).toEqual([
    { path: join(root, 'Müller.txt'), name: 'Müller.txt', size: 0, modified },
    { path: join(root, 'docs', 'report.pdf'), name: 'report.pdf', size: 8, modified },
  ])
})

it('lists the same from an index, as of its last look, and waits until that is there', async () => {
  const { root, state, create } = await createHome()
  const index = createFileIndex({ roots: [root], path: join(state, 'index.db') })
  onTestFinished(() => index.close())
  await index.look()
  const { head, files } = await linesOf(await create({ index }).next(signal))
  expect(head).toEqual({ asOf: index.status().updatedAt, files: 2 })
  expect(files.map(({ name, size }) => [name, size])).toEqual([
    ['Müller.txt', 0],
    ['report.pdf', 8],
  ])
  const building = Object.assign(async () => ({ found: [] }), index, {
    status: () => ({ state: 'building' as const, files: 0, bytes: 0 }),
  })
  expect(await create({ index: building }).next(signal)).toBeUndefined()
})

it('sends a list again if it differs, at most once an hour, also after a restart', async () => {
  const { root, state, create, advance } = await createHome()
  const first = create()
  expect(await carryOut(await first.next(signal))).toBe('send')
  await writeFile(join(root, 'new.txt'), '')
  expect(await first.next(signal)).toBeUndefined()
  expect(await create().next(signal)).toBeUndefined()
  advance(hourMs)
  expect((await linesOf(await first.next(signal))).files).toHaveLength(3)
  expect(await carryOut(await create().next(signal))).toBe('send')
  advance(hourMs)
  expect(await create().next(signal)).toBeUndefined()
  expect(await readdir(state)).toEqual(['catalog.json'])
})

it('tries again what was not sent', async () => {
  const { create } = await createHome()
  const source = create()
  const task = await source.next(signal)
  if (task?.kind === 'send') await task.release()
  expect(await carryOut(await source.next(signal))).toBe('send')
})

it('takes the list back once it is not shared any more, also if that was never acknowledged', async () => {
  const { state, create } = await createHome()
  expect(await create({ isShared: false }).next(signal)).toBeUndefined()
  await create().next(signal) // killed while it was sent
  const source = create({ isShared: false })
  expect((await source.next(signal))?.kind).toBe('remove')
  expect(await carryOut(await source.next(signal))).toBe('remove')
  expect(await source.next(signal)).toBeUndefined()
  expect(await readdir(state)).toEqual([])
})

it('keeps the old list while no root is there', async () => {
  const { create, root } = await createHome()
  await rm(root, { recursive: true })
  await expect(create().next(signal)).rejects.toThrow(/^Searching the shared folders failed/)
})
