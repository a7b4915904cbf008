import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { readSessionSecret } from './sign-in.ts'

async function createHome(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-secret-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'home')
}

it('creates the secret once, also for two servers that start together, and lets only its owner read it', async () => {
  const home = await createHome()
  const [first, second] = await Promise.all([readSessionSecret(home), readSessionSecret(home)])
  expect(first).toBe(second)
  expect(await readSessionSecret(home)).toBe(first)
  if (process.platform !== 'win32')
    expect((await stat(join(home, 'session-secret'))).mode & 0o777).toBe(0o600)
})

it('refuses a secret that is cut', async () => {
  const home = await createHome()
  await readSessionSecret(home)
  await writeFile(join(home, 'session-secret'), 'abc')
  await expect(readSessionSecret(home)).rejects.toThrow('session-secret is incomplete. Delete the file')
})
