import { mkdir, mkdtemp, rename, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createWorkspaces } from './create-workspaces.ts'

let home = ''
let outside = ''

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'homeward-home-'))
  outside = await mkdtemp(join(tmpdir(), 'homeward-outside-'))
})
afterEach(async () => {
  await rm(home, { recursive: true, force: true })
  await rm(outside, { recursive: true, force: true })
})

it('makes a workspace once and gives the same path again', async () => {
  const workspace = createWorkspaces(home)
  const path = await workspace('agent')
  expect((await stat(path)).isDirectory()).toBe(true)
  expect(await workspace('agent')).toBe(path)
  expect(await workspace('other')).not.toBe(path)
})

it('gives ids that some file system takes for one folder several folders on all', async () => {
  const workspace = createWorkspaces(home)
  const ids = ['mine', 'Mine', 'MINE', 'a', 'a.', 'con', 'nul.x']
  const paths = await Promise.all(ids.map((id) => workspace(id)))
  const names = paths.map((path) => path.slice(path.lastIndexOf('/') + 1))
  expect(new Set(names.map((name) => name.toLowerCase().replace(/\.+$/, ''))).size).toBe(ids.length)
  expect([names[0], names[3]]).toEqual(['mine', 'a'])
  expect(names[5]).toMatch(/^[0-9a-f]{12}~con$/)
  await mkdir(join(home, 'workspaces', 'Old'))
  expect(await workspace('Old')).toMatch(/Old$/)
})

it('keeps the files of each user, and those of runs without a user, apart', async () => {
  const workspace = createWorkspaces(home)
  const users = [undefined, 'telegram:1', 'telegram:2', 'Telegram:1', '../agent', '']
  const paths = await Promise.all(users.map((user) => workspace('agent', user)))
  expect(new Set(paths).size).toBe(users.length)
  expect(await workspace('agent', 'telegram:1')).toBe(paths[1])
  expect(paths[1]).toMatch(/\/user-workspaces\/agent\/[0-9a-f]{32}$/)
  expect(paths[0]).toMatch(/\/workspaces\/agent$/)
  await rm(paths[1]!, { recursive: true })
  await symlink(outside, paths[1]!)
  await expect(workspace('agent', 'telegram:1')).rejects.toMatchObject({ code: 'storage_error' })
})

it('makes a workspace again that was removed', async () => {
  const workspace = createWorkspaces(home)
  const path = await workspace('agent')
  await rm(path, { recursive: true })
  expect(await workspace('agent')).toBe(path)
  expect((await stat(path)).isDirectory()).toBe(true)
})

it('A18: refuses a link that took the place of a workspace it knows', async () => {
  const workspace = createWorkspaces(home)
  const path = await workspace('agent')
  await rm(path, { recursive: true })
  await symlink(outside, path)
  await expect(workspace('agent')).rejects.toMatchObject({ code: 'storage_error' })
})

it('A18: refuses a link that took the place of the folder above', async () => {
  const workspace = createWorkspaces(home)
  await workspace('agent')
  await rename(join(home, 'workspaces'), join(home, 'before'))
  await mkdir(join(outside, 'agent'))
  await symlink(outside, join(home, 'workspaces'))
  await expect(workspace('agent')).rejects.toMatchObject({ code: 'storage_error' })
})
