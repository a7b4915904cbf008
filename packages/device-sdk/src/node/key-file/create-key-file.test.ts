import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createKeyFile } from './create-key-file.ts'

async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'homeward-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

it('makes a key once, in a file that only its owner can read', async () => {
  const folder = path.join(await tempFolder(), 'new/state')
  const key = (await createKeyFile({ folder })()).reveal()
  expect(key).toMatch(/^hw_[\w-]{43}$/)
  expect((await createKeyFile({ folder })()).reveal()).toBe(key)
  expect(await readdir(folder)).toEqual(['device-key'])
  expect((await stat(path.join(folder, 'device-key'))).mode & 0o777).toBe(0o600)
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
})

it('takes over what a killed process left: an unfinished file, and its lock', async () => {
  const folder = await tempFolder()
  await writeFile(path.join(folder, 'device-key.new'), 'hw_half')
  await writeFile(
    path.join(folder, 'device-key.lock'),
    JSON.stringify({ pid: 2 ** 22 + 1, startedAt: '', token: 'x' }),
  )
  const key = await createKeyFile({ folder })()
  expect((await readFile(path.join(folder, 'device-key'), 'utf8')).trim()).toBe(key.reveal())
})

it('rejects a damaged file instead of becoming a second device, and quotes none of it', async () => {
  const folder = await tempFolder()
  const file = path.join(folder, 'device-key')
  await writeFile(file, 'hw_halfkey')
  const error = (await createKeyFile({ folder })().catch((cause: unknown) => cause)) as Error
  expect(error).toMatchObject({ code: 'STATE_UNAVAILABLE' })
  expect(error.message).toContain('does not contain a complete key')
  expect(error.message).not.toContain('halfkey')
  expect(await readFile(file, 'utf8')).toBe('hw_halfkey')
})

it('says what is wrong with a folder that cannot be used', async () => {
  const folder = path.join(await tempFolder(), 'file')
  await writeFile(folder, '')
  await expect(createKeyFile({ folder })()).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' })
  expect(() => createKeyFile({ folder: '' })).toThrow('"folder" must be the path of a folder')
})
