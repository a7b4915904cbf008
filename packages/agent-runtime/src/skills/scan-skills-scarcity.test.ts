import type * as Fs from 'node:fs/promises'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createSkillScanner } from './scan-skills.ts'

const machine = vi.hoisted(() => ({ hasDescriptors: true }))

vi.mock('node:fs/promises', async (load) => {
  const fs = await load<typeof Fs>()
  const readFile = async (path: string) => {
    if (machine.hasDescriptors) return fs.readFile(path)
    throw Object.assign(new Error(`EMFILE: too many open files, open '${path}'`), { code: 'EMFILE' })
  }
  return { ...fs, readFile }
})

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-scan-'))
})
afterEach(async () => {
  machine.hasDescriptors = true
  await rm(folder, { recursive: true, force: true })
})

it('A15: a skill that could not be read for want of descriptors is not taken for a broken one', async () => {
  await mkdir(join(folder, 'weather'))
  await writeFile(join(folder, 'weather', 'SKILL.md'), '---\nname: weather\ndescription: Says it.\n---\n')
  const scan = createSkillScanner(folder)
  machine.hasDescriptors = false
  const failed = expect(scan()).rejects
  await failed.toMatchObject({ code: 'storage_error', retryable: true })
  machine.hasDescriptors = true
  expect(await scan()).toMatchObject([{ id: 'weather', skill: { name: 'weather' } }])
})
