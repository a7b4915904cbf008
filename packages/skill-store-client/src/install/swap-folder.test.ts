import { existsSync } from 'node:fs'
import type * as FileSystemAtOnce from 'node:fs'
import type * as FileSystem from 'node:fs/promises'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createSkillInstaller } from './create-skill-installer.ts'
import { repairSkillsFolder } from './swap-folder.ts'

// Refusals that hold for root too: a folder with the file `undeletable` is not removed, one with `unmovable` not renamed.
const refuse = vi.hoisted(() => (path: unknown, mark: string) => {
  if (existsSync(`${String(path)}/${mark}`)) throw Object.assign(new Error('held'), { code: 'EBUSY' })
})
vi.mock('node:fs', async (load) => {
  const original = await load<typeof FileSystemAtOnce>()
  const renameSync = (from: string, to: string) => {
    refuse(from, 'unmovable')
    original.renameSync(from, to)
  }
  return { ...original, renameSync }
})
vi.mock('node:fs/promises', async (load) => {
  const original = await load<typeof FileSystem>()
  return {
    ...original,
    rm: async (...given: Parameters<typeof original.rm>) => {
      refuse(given[0], 'undeletable')
      await original.rm(...given)
    },
    rename: async (...given: Parameters<typeof original.rename>) => {
      refuse(given[0], 'unmovable')
      await original.rename(...given)
    },
  }
})

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swap-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const files = (text: string) => [{ path: 'SKILL.md', bytes: new TextEncoder().encode(text) }]
const open = () => createSkillInstaller({ folder })
const textOf = (name: string) => readFile(join(folder, name, 'SKILL.md'), 'utf8')
const visible = async () => (await readdir(folder)).filter((name) => !name.startsWith('.')).toSorted()
const leftovers = async () => (await readdir(folder)).filter((name) => name.startsWith('.'))

async function put(path: string, text = ''): Promise<void> {
  await mkdir(join(folder, path, '..'), { recursive: true })
  await writeFile(join(folder, path), text)
}

/** What held the folders let go of them. */
async function letGo(): Promise<void> {
  for (const name of await leftovers()) await rm(join(folder, name, 'undeletable'), { force: true })
}

it('installs over a version that cannot be deleted, and cleans up at a later start', async () => {
  await open().install({ name: 'a', files: files('one'), version: '1.0.0' })
  await put('a/undeletable')
  await open().install({ name: 'a', files: files('two'), version: '2.0.0' })
  expect(await textOf('a')).toBe('two')
  expect((await open().installed())['a']?.version).toBe('2.0.0')
  expect(await open().changedFiles('a')).toEqual([])
  expect(await leftovers()).toHaveLength(1)
  await letGo()
  await repairSkillsFolder(folder)
  expect(await readdir(folder)).toEqual(['a', 'skills.lock.json'])
})

it('does not bring an old version back that could not be deleted, once its skill is removed', async () => {
  await open().install({ name: 'a', files: files('one') })
  await put('a/undeletable')
  await open().install({ name: 'a', files: files('two') })
  expect(await open().remove('a')).toBe(true)
  await repairSkillsFolder(folder)
  expect(await visible()).toEqual(['skills.lock.json'])
})

it('deletes an old version once what runs from it has ended, and waits for no more than that', async () => {
  const program = Promise.withResolvers<void>()
  let running: Promise<void> | undefined = program.promise
  const installer = createSkillInstaller({ folder, inUse: () => running })
  await installer.install({ name: 'a', files: files('one') })
  await installer.install({ name: 'a', files: files('two') })
  const [replaced = ''] = await leftovers()
  expect([await textOf('a'), await textOf(replaced)]).toEqual(['two', 'one'])
  await installer.remove('a')
  expect(await leftovers()).toHaveLength(2)
  program.reject(new Error('it crashed'))
  await vi.waitFor(async () => expect(await readdir(folder)).toEqual(['skills.lock.json']))
  running = undefined
  await installer.install({ name: 'a', files: files('three') })
  await installer.remove('a')
  expect(await leftovers()).toEqual([])
})

it('never shows a folder without the skill while it is replaced', async () => {
  const installer = open()
  await installer.install({ name: 'a', files: files('one') })
  let done = false
  const replaced = installer.install({ name: 'a', files: files('two') }).then(() => (done = true))
  for (; !done; await new Promise(setImmediate)) expect(existsSync(join(folder, 'a/SKILL.md'))).toBe(true)
  await replaced
})

it('removes a skill that cannot be deleted: whole, and out of sight', async () => {
  await open().install({ name: 'a', files: files('one') })
  await put('a/undeletable')
  expect(await open().remove('a')).toBe(true)
  expect([await visible(), await open().installed()]).toEqual([['skills.lock.json'], {}])
  await letGo()
  await repairSkillsFolder(folder)
  expect(await readdir(folder)).toEqual(['skills.lock.json'])
})

it('leaves a skill as it is that cannot be removed', async () => {
  await open().install({ name: 'a', files: files('one') })
  await put('a/unmovable')
  await expect(open().remove('a')).rejects.toMatchObject({ code: 'INSTALL_FAILED' })
  await expect(open().install({ name: 'a', files: files('two') })).rejects.toMatchObject({
    code: 'INSTALL_FAILED',
  })
  expect([await textOf('a'), Object.keys(await open().installed())]).toEqual(['one', ['a']])
  expect(await leftovers()).toEqual([])
})

it('repairs what lies behind leftovers that it can neither delete nor bring back', async () => {
  await put('.incoming~a~1/undeletable')
  await put('.replaced~b~1/unmovable')
  await put('.replaced~c~1/undeletable')
  await put('c/SKILL.md', 'c')
  await put('.replaced~d~1/SKILL.md', 'd')
  await repairSkillsFolder(folder)
  expect(await visible()).toEqual(['c', 'd'])
  expect(await textOf('d')).toBe('d')
})
