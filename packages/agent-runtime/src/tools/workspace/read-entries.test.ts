import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { firstEntries, readEntries } from './read-entries.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-entries-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it('gives the first by name of more entries than it keeps', async () => {
  const names = Array.from({ length: 1200 }, (_, index) => String(index).padStart(4, '0'))
  await Promise.all(names.map((name) => writeFile(join(folder, name), '')))
  const isEven = ({ name }: { name: string }) => Number(name) % 2 === 0
  const first = await firstEntries(folder, 3, isEven)
  expect(first.map(({ name }) => name)).toEqual(['0000', '0002', '0004'])
  expect(await firstEntries(folder, 0, isEven)).toEqual([])
  expect(await firstEntries(folder, 5000, isEven)).toHaveLength(600)
})

it('lets others have their turn while it reads', async () => {
  const names = Array.from({ length: 1200 }, (_, index) => String(index))
  await Promise.all(names.map((name) => writeFile(join(folder, name), '')))
  let turns = 0
  const count = () => {
    turns += 1
    pending = setImmediate(count)
  }
  let pending = setImmediate(count)
  for await (const entry of readEntries(folder)) expect(entry.isFile()).toBe(true)
  clearImmediate(pending)
  expect(turns).toBeGreaterThan(1)
})

it('says that a folder is not there, unless that is as good as an empty one', async () => {
  const missing = join(folder, 'missing')
  await expect(Array.fromAsync(readEntries(missing))).rejects.toMatchObject({ code: 'ENOENT' })
  expect(await Array.fromAsync(readEntries(missing, true))).toEqual([])
})
