import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { manifest, useSkillHome } from '../testing/skill-kit.ts'
import { createSkillConfigs } from './skill-configs.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-configs-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it('A15: a config that cannot be read is the problem of its skill alone', async () => {
  await mkdir(join(folder, 'a.json'))
  await symlink('b.json', join(folder, 'b.json'))
  await writeFile(join(folder, 'c.json'), '{"units":"metric"}')
  const configs = createSkillConfigs(folder)
  const unreadable = expect.objectContaining({
    code: 'storage_error',
    message: expect.stringContaining('cannot be read'),
  })
  expect(Object.fromEntries(await configs.readAll(['a', 'b', 'c', 'd']))).toEqual({
    a: unreadable,
    b: unreadable,
    c: { units: 'metric' },
    d: {},
  })
  await expect(configs.read('a')).rejects.toMatchObject({ code: 'storage_error' })
  await expect(configs.read('b')).rejects.toMatchObject({ code: 'storage_error' })
})

it('A15: reads a config that begins with a byte order mark', async () => {
  await writeFile(join(folder, 'a.json'), '\uFEFF{"units":"metric"}')
  expect(await createSkillConfigs(folder).read('a')).toEqual({ units: 'metric' })
})

const home = useSkillHome()

it('leaves stored secrets behind when an update moves a skill to another address', async () => {
  const library = home.open()
  const at = (address: string) =>
    library.uploadMarkdown(manifest('w', `api_base: ${address}\ncredentials: [W_KEY]\n`))
  const stored = async () => JSON.parse(await readFile(join(home.path, 'configs/w.json'), 'utf8')) as unknown
  await at('https://one.example/v1')
  await library.saveConfig('w', { W_KEY: 'k', units: 'metric' })
  await at('https://one.example/v2')
  expect(await stored()).toEqual({ W_KEY: 'k', units: 'metric' })
  await at('https://two.example/v2')
  expect(await stored()).toEqual({ units: 'metric' })
  // an address that a person chose stays, and so does its secret
  await library.saveConfig('w', { W_KEY: 'k', base: 'https://mine.example' })
  await at('https://three.example')
  expect(await stored()).toEqual({ W_KEY: 'k', base: 'https://mine.example' })
})
