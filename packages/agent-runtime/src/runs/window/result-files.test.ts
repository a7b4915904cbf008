import { mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openWorkspace } from '../../tools/workspace/workspace.ts'
import { saveResults } from './result-files.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'homeward-results-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const nameOf = (at: number) => `${String(at).padStart(24, '0')}.txt`
const file = (at: number, text = `Result ${at}`) => ({ path: `results/${nameOf(at)}`, text })

it('writes results, and leaves those that are there', async () => {
  await saveResults(root, [file(1), file(2)])
  const path = join(root, file(1).path)
  expect(await readFile(path, 'utf8')).toBe('Result 1')
  await utimes(path, 1, 1)
  await saveResults(root, [file(1)])
  expect(await readdir(join(root, 'results'))).toEqual([nameOf(1), nameOf(2)])
})

it('removes the oldest beyond 1,000, and no other files', async () => {
  await mkdir(join(root, 'results'))
  await writeFile(join(root, 'results', 'own.txt'), 'mine')
  for (let at = 0; at < 1003; at += 1) {
    const path = join(root, 'results', nameOf(at))
    await writeFile(path, '')
    await utimes(path, at + 1, at + 1)
  }
  await saveResults(root, [file(5000)])
  const left = (await readdir(join(root, 'results'))).toSorted()
  expect(left).toHaveLength(1001)
  expect(left[0]).toBe(nameOf(4))
  expect(left.slice(-2)).toEqual([nameOf(5000), 'own.txt'])
})

it('A18: refuses a link in place of the folder', async () => {
  await symlink(tmpdir(), join(root, 'results'))
  await expect(saveResults(root, [file(1)])).rejects.toMatchObject({ code: 'validation_error' })
})

it('does not list results, because several users share a workspace; they are read by their names', async () => {
  await saveResults(root, [file(1)])
  await writeFile(join(root, 'results', 'own.txt'), 'mine')
  const workspace = openWorkspace(root)
  const listed = await workspace.list('', true, 100)
  expect(listed.map(({ path }) => path)).toEqual(['results', 'results/own.txt'])
  expect(await workspace.list('results', false, 100)).toMatchObject([{ path: 'results/own.txt' }])
  expect(Buffer.from((await workspace.read(file(1).path, 0, 100)).bytes).toString()).toBe('Result 1')
})
