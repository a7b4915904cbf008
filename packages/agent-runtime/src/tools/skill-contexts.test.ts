import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createHttpClient } from './http/http-client.ts'
import { createSkillContexts } from './skill-contexts.ts'

let home: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'homeward-contexts-'))
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(home, { recursive: true, force: true })
})

it('A16: a sandbox that could not be tried out is looked for again', async () => {
  const { findSandbox } = createSkillContexts({
    home,
    skills: { config: async () => ({}) },
    settings: { read: async () => ({}) },
    environment: { PATH: process.env['PATH'] },
    http: createHttpClient(),
    maxResultBytes: 1000,
  })
  const folder = join(home, 'temporary')
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) vi.stubEnv(name, folder)
  await expect(findSandbox()).rejects.toMatchObject({ code: 'run_error', retryable: true })
  await mkdir(folder)
  const found = await findSandbox()
  expect(await findSandbox()).toBe(found)
})
