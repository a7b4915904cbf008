import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findKeyPlaces } from './exec-tool.ts'

let folder: string
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'homeward-keys-')))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it('D16: keys are hidden where they really lie, be it behind links', async () => {
  const home = join(folder, 'home')
  await mkdir(join(folder, 'dotfiles', 'aws'), { recursive: true })
  await writeFile(join(folder, 'dotfiles', 'npmrc'), '')
  await mkdir(join(home, '.ssh'), { recursive: true })
  await symlink(join(folder, 'dotfiles', 'aws'), join(home, '.aws'))
  await symlink('../dotfiles/npmrc', join(home, '.npmrc'))
  await symlink('../gone', join(home, '.kube'))
  await symlink('home', join(folder, 'me'))
  const places = [join(home, '.ssh'), join(folder, 'dotfiles', 'aws'), join(folder, 'dotfiles', 'npmrc')]
  expect(await findKeyPlaces(home)).toEqual(places)
  expect(await findKeyPlaces(join(folder, 'me'))).toEqual(places)
})
