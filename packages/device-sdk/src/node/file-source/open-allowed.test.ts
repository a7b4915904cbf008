import type * as fsPromises from 'node:fs/promises'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openAllowed } from './open-allowed.ts'

// The race that counts: somebody changes the tree between two calls. Here it happens at exactly that moment.
const race = vi.hoisted(() => ({ beforeOpen: async () => {}, afterOpen: async () => {} }))

vi.mock('node:fs/promises', async (importActual) => {
  const actual = await importActual<typeof fsPromises>()
  const open: typeof actual.open = async (...parameters) => {
    await race.beforeOpen()
    try {
      return await actual.open(...parameters)
    } finally {
      await race.afterOpen()
    }
  }
  return { ...actual, open }
})

async function trappedFolder() {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), 'homeward-')))
  onTestFinished(() => rm(base, { recursive: true, force: true }))
  const root = path.join(base, 'root')
  const inner = path.join(root, 'inner')
  await mkdir(inner, { recursive: true })
  await mkdir(path.join(base, 'outer'))
  await writeFile(path.join(inner, 'file'), 'mine')
  await writeFile(path.join(base, 'outer/file'), 'theirs')
  await symlink(path.join(base, 'outer'), path.join(base, 'trap'))
  const set = async (): Promise<void> => {
    await rename(inner, path.join(base, 'kept'))
    await rename(path.join(base, 'trap'), inner)
  }
  const unset = async (): Promise<void> => {
    await rename(inner, path.join(base, 'trap'))
    await rename(path.join(base, 'kept'), inner)
  }
  return { root, file: path.join(inner, 'file'), set, unset }
}

it('The device has the last word: denies a file whose folder becomes a link to elsewhere before it is opened', async () => {
  const { root, file, set } = await trappedFolder()
  race.beforeOpen = set
  race.afterOpen = async () => {}
  await expect(openAllowed(file, [root], new AbortController().signal)).rejects.toMatchObject({
    code: 'POLICY_DENIED',
  })
})

it('The device has the last word: notices a folder that was a link only while it was opened', async () => {
  const { root, file, set, unset } = await trappedFolder()
  race.beforeOpen = set
  race.afterOpen = unset
  await expect(openAllowed(file, [root], new AbortController().signal)).rejects.toMatchObject({
    code: 'FILE_UNAVAILABLE',
  })
})

it('does not follow a file that becomes a link before it is opened', async () => {
  const { root, file } = await trappedFolder()
  race.beforeOpen = async () => {
    await rm(file)
    await symlink('/etc/hostname', file)
  }
  race.afterOpen = async () => {}
  await expect(openAllowed(file, [root], new AbortController().signal)).rejects.toMatchObject({
    code: 'FILE_UNAVAILABLE',
  })
})

it.skipIf(process.platform === 'win32')('opens nothing but regular files', async () => {
  const { root } = await trappedFolder()
  const opened = vi.fn(async () => {})
  race.beforeOpen = opened
  race.afterOpen = async () => {}
  execFileSync('mkfifo', [path.join(root, 'pipe')])
  await symlink(path.join(root, 'pipe'), path.join(root, 'link'))
  const signal = new AbortController().signal
  for (const name of ['pipe', 'link', 'inner', '.']) {
    const opening = openAllowed(path.join(root, name), [root], signal)
    await expect(opening).rejects.toMatchObject({
      code: 'FILE_UNAVAILABLE',
      message: expect.stringContaining('not a regular file'),
    })
  }
  for (const device of ['/dev/null', '/dev/zero']) {
    const opening = openAllowed(device, ['/dev'], signal)
    await expect(opening).rejects.toMatchObject({ code: 'FILE_UNAVAILABLE' })
  }
  expect(opened).not.toHaveBeenCalled()
})
