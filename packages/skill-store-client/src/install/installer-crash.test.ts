import type * as FileSystemAtOnce from 'node:fs'
import type * as FileSystem from 'node:fs/promises'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSkillInstaller, type SkillInstaller } from './create-skill-installer.ts'
import { repairSkillsFolder } from './swap-folder.ts'

/** How many changes to the disk still succeed; the one after them is refused, or never returns: the process was killed. */
const disk = vi.hoisted(() => ({
  left: Infinity,
  onKill: undefined as (() => void) | undefined,
  async change<T>(work: () => Promise<T>): Promise<T> {
    disk.left -= 1
    if (disk.left >= 0) return await work()
    if (disk.onKill) {
      disk.onKill()
      return await new Promise<never>(() => {})
    }
    disk.left = Infinity
    throw Object.assign(new Error('no'), { code: 'EIO' })
  },
  /** The same without waiting: who was killed gets no further than to its next change. */
  changeAtOnce(work: () => void): void {
    disk.left -= 1
    if (disk.left >= 0) return work()
    if (disk.onKill) disk.onKill()
    else disk.left = Infinity
    throw Object.assign(new Error('no'), { code: 'EIO' })
  },
}))

vi.mock('node:fs', async (load) => {
  const original = await load<typeof FileSystemAtOnce>()
  const renameSync = (from: string, to: string) => disk.changeAtOnce(() => original.renameSync(from, to))
  return { ...original, renameSync }
})
vi.mock('node:fs/promises', async (load) => {
  const original = await load<typeof FileSystem>()
  return {
    ...original,
    rename: (...given: Parameters<typeof original.rename>) => disk.change(() => original.rename(...given)),
    rm: (...given: Parameters<typeof original.rm>) => disk.change(() => original.rm(...given)),
    writeFile: (...given: Parameters<typeof original.writeFile>) =>
      disk.change(() => original.writeFile(...given)),
  }
})
let folder: string
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'installer-crash-')), 'skills')
})
afterEach(async () => {
  Object.assign(disk, { left: Infinity, onKill: undefined })
  await rm(join(folder, '..'), { recursive: true, force: true })
})

const open = () => createSkillInstaller({ folder, now: () => 0 })
const version = (text: string) => ({
  name: 'a',
  version: text,
  files: [{ path: 'SKILL.md', bytes: new TextEncoder().encode(text) }],
})

/** More changes to the disk than any work makes. */
const steps = Array.from({ length: 16 }, (_, index) => index)

/** What is there of the skill after the next start, folder and lockfile. */
async function stateAtNextStart(): Promise<{ text: string | undefined; locked: string | undefined }> {
  Object.assign(disk, { left: Infinity, onKill: undefined })
  await repairSkillsFolder(folder)
  const names = await readdir(folder)
  expect(names.filter((name) => name.startsWith('.'))).toEqual([])
  const text = names.includes('a') ? await readFile(join(folder, 'a/SKILL.md'), 'utf8') : undefined
  const installer = open()
  if (text !== undefined) expect(await installer.changedFiles('a')).toEqual([])
  return { text, locked: (await installer.installed())['a']?.version }
}

const works: readonly [string, string | undefined, (installer: SkillInstaller) => Promise<unknown>][] = [
  ['an installation', undefined, (installer) => installer.install(version('two'))],
  ['an update', 'one', (installer) => installer.install(version('two'))],
  ['a removal', 'one', (installer) => installer.remove('a')],
]

describe.each(works)('%s', (_name, before, work) => {
  beforeEach(async () => {
    await open().install({ ...version('b'), name: 'b' })
    if (before !== undefined) await open().install(version(before))
  })
  const after = works.find(([, , other]) => other === work)?.[0] === 'a removal' ? undefined : 'two'

  it.each(steps)('that is killed after %i changes leaves folder and lockfile as one', async (done) => {
    const killed = Promise.withResolvers<void>()
    Object.assign(disk, { left: done, onKill: killed.resolve })
    await Promise.race([work(open()), killed.promise])
    const { text, locked } = await stateAtNextStart()
    expect(text).toBe(locked)
    expect([before, after]).toContain(text)
    expect((await open().installed())['b']?.version).toBe('b')
  })

  it.each(steps)('that the disk refuses after %i changes is whole, or nothing changed', async (done) => {
    disk.left = done
    const outcome = await work(open()).then(
      () => after,
      (error: unknown) => {
        expect(error).toMatchObject({ code: 'INSTALL_FAILED' })
        return before
      },
    )
    disk.left = Infinity
    expect((await open().installed())['a']?.version).toBe(outcome)
    expect(await stateAtNextStart()).toEqual({ text: outcome, locked: outcome })
  })
})
