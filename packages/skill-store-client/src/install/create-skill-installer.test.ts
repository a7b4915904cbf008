import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createSkillInstaller } from './create-skill-installer.ts'

let folder: string
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'installer-')), 'skills')
})
afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }))

const encode = (text: string) => new TextEncoder().encode(text)
const version = (text: string) => [
  { path: 'SKILL.md', bytes: encode(text) },
  { path: 'scripts/run.sh', bytes: encode(`echo ${text}`), executable: true },
]
const open = () => createSkillInstaller({ folder, now: () => 0 })

it('installs, and records a hash a file', async () => {
  const installer = open()
  const url = 'https://store.example/a.zip?license=secret'
  const locked = await installer.install({ name: 'a', files: version('one'), version: '1.0.0', url })
  expect(await readFile(join(folder, 'a/SKILL.md'), 'utf8')).toBe('one')
  expect((await stat(join(folder, 'a/scripts/run.sh'))).mode & 0o111).not.toBe(0)
  expect(locked).toMatchObject({
    version: '1.0.0',
    url: 'https://store.example/a.zip',
    installed_at: '1970-01-01T00:00:00.000Z',
  })
  expect(Object.keys(locked.files)).toEqual(['SKILL.md', 'scripts/run.sh'])
  expect((await open().installed())['a']).toEqual(locked)
  expect((await readdir(folder)).toSorted()).toEqual(['a', 'skills.lock.json'])
})

it('gives the files back as they were installed', async () => {
  const installer = open()
  await installer.install({ name: 'a', files: version('one') })
  const files = await installer.read('a')
  expect(
    files
      .toSorted((a, b) => (a.path < b.path ? -1 : 1))
      .map((file) => ({ ...file, bytes: encode(String(Buffer.from(file.bytes))) })),
  ).toEqual(version('one'))
})

it('replaces all of the old version', async () => {
  const installer = open()
  await installer.install({ name: 'a', files: [...version('one'), { path: 'old.txt', bytes: encode('x') }] })
  await installer.install({ name: 'a', files: version('two') })
  expect((await readdir(join(folder, 'a'))).toSorted()).toEqual(['SKILL.md', 'scripts'])
  expect(await readFile(join(folder, 'a/SKILL.md'), 'utf8')).toBe('two')
})

it('keeps the old version when the new one cannot be written', async () => {
  const installer = open()
  const locked = await installer.install({ name: 'a', files: version('one') })
  // a file and a folder of the same name: writing fails half way
  const broken = [...version('two'), { path: 'SKILL.md/x', bytes: encode('x') }]
  await expect(installer.install({ name: 'a', files: broken })).rejects.toMatchObject({
    code: 'INSTALL_FAILED',
  })
  expect(await readFile(join(folder, 'a/SKILL.md'), 'utf8')).toBe('one')
  expect(await installer.installed()).toEqual({ a: locked })
  expect((await readdir(folder)).toSorted()).toEqual(['a', 'skills.lock.json'])
})

it('brings back what a crash between the two renames left aside', async () => {
  await open().install({ name: 'a', files: version('one') })
  await rename(join(folder, 'a'), join(folder, '.replaced~a~1'))
  await mkdir(join(folder, '.incoming~a~1'))
  await open().install({ name: 'b', files: version('b') })
  expect(await readFile(join(folder, 'a/SKILL.md'), 'utf8')).toBe('one')
  expect((await readdir(folder)).toSorted()).toEqual(['a', 'b', 'skills.lock.json'])
})

it('runs one change after another', async () => {
  const installer = open()
  const names = Array.from({ length: 8 }, (_, index) => `s${index}`)
  await Promise.all(names.map((name) => installer.install({ name, files: version(name) })))
  expect(Object.keys(await installer.installed()).toSorted()).toEqual(names)
})

it('sees files that were changed by hand', async () => {
  const installer = open()
  await installer.install({ name: 'a', files: version('one') })
  expect(await installer.changedFiles('a')).toEqual([])
  await writeFile(join(folder, 'a/SKILL.md'), 'other')
  await writeFile(join(folder, 'a/new.txt'), 'new')
  await rm(join(folder, 'a/scripts'), { recursive: true })
  expect(await installer.changedFiles('a')).toEqual(['SKILL.md', 'new.txt', 'scripts/run.sh'])
})

it('removes a skill, once', async () => {
  const installer = open()
  await installer.install({ name: 'a', files: version('one') })
  expect(await installer.remove('a')).toBe(true)
  expect(await installer.remove('a')).toBe(false)
  expect(await installer.installed()).toEqual({})
  expect(await readdir(folder)).toEqual(['skills.lock.json'])
})

it('forgets a skill whose folder is gone: a kill in the middle of its removal', async () => {
  await open().install({ name: 'a', files: version('one') })
  await open().install({ name: 'b', files: version('b') })
  await rm(join(folder, 'a'), { recursive: true })
  const installer = open()
  expect(await installer.remove('a')).toBe(true)
  expect(Object.keys(await installer.installed())).toEqual(['b'])
  expect(await installer.remove('a')).toBe(false)
  expect(await installer.remove('constructor')).toBe(false)
})

it('removes a skill that came by hand', async () => {
  await mkdir(join(folder, 'a'), { recursive: true })
  expect(await open().remove('a')).toBe(true)
  expect(await open().remove('a')).toBe(false)
})

it.each(['..', '.hidden', 'a/b', '', 'a\0', 'x'.repeat(65)])('refuses the name %j', async (name) => {
  await expect(open().install({ name, files: version('one') })).rejects.toThrow(/its name must be/)
  await expect(open().remove(name)).rejects.toThrow(/its name must be/)
})

it.each([
  'skills.lock.json',
  'SKILLS.LOCK.JSON',
  'skills.lock.json.1',
  'con',
  'AUX.tools',
  'com1',
  'weather.',
])(
  'refuses the name %j, which is taken or no folder everywhere, and keeps what is installed',
  async (name) => {
    const installer = open()
    const locked = await installer.install({ name: 'a', files: version('one') })
    const refused: unknown = expect.objectContaining({ code: 'INVALID_OPTION' })
    await expect(installer.install({ name, files: version('one') })).rejects.toEqual(refused)
    await expect(installer.remove(name)).rejects.toEqual(refused)
    await expect(installer.read(name)).rejects.toEqual(refused)
    await expect(installer.changedFiles(name)).rejects.toEqual(refused)
    await installer.install({ name: 'b', files: version('b') })
    expect(await installer.installed()).toMatchObject({ a: locked, b: {} })
    expect((await readdir(folder)).toSorted()).toEqual(['a', 'b', 'skills.lock.json'])
  },
)

const good = { name: 'b', files: [{ path: 'SKILL.md', bytes: encode('x') }] }

it.each<[problem: string, given: unknown]>([
  [
    '"files[1].path" is invalid: its name leads out',
    { ...good, files: [good.files[0], { path: '../../evil', bytes: encode('x') }] },
  ],
  [
    '"files[0].path" is invalid: its name is absolute',
    { ...good, files: [{ path: '/evil', bytes: encode('x') }] },
  ],
  ['"files[0].path" must be a string', { ...good, files: [undefined] }],
  ['"files[0].bytes" must be a Uint8Array', { ...good, files: [{ path: 'SKILL.md', bytes: 'x' }] }],
  ['"files" must be a list', { name: 'b' }],
  // the lockfile could not be read any more
  ['"version" must be a string', { ...good, version: 5 }],
  ['"url" must be a string', { ...good, url: new URL('https://store.example') }],
  ['its name must be 1 to 64 letters', { files: good.files }],
  ['its name must be 1 to 64 letters', undefined],
])('writes nothing when %s', async (problem, given) => {
  const installer = open()
  const locked = await installer.install({ name: 'a', files: version('one') })
  await expect(installer.install(given as never)).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    message: expect.stringContaining(`failed: ${problem}`),
  })
  expect(await open().installed()).toEqual({ a: locked })
  expect((await readdir(join(folder, '..'), { recursive: true })).toSorted()).toEqual([
    'skills',
    'skills/a',
    'skills/a/SKILL.md',
    'skills/a/scripts',
    'skills/a/scripts/run.sh',
    'skills/skills.lock.json',
  ])
})

it.each([undefined, null, {}, { folder: '' }, { folder: 5 }])('needs its folder: %j is refused', (given) => {
  const message = 'Opening the folder of skills failed: "folder" must be the path of a folder.'
  const refused: unknown = expect.objectContaining({ code: 'INVALID_OPTION', message })
  expect(() => createSkillInstaller(given as never)).toThrow(refused)
})

it('refuses a damaged lockfile instead of forgetting what was installed', async () => {
  const installer = open()
  await installer.install({ name: 'a', files: version('one') })
  await writeFile(join(folder, 'skills.lock.json'), '{"version":1,')
  await expect(installer.install({ name: 'b', files: version('b') })).rejects.toMatchObject({
    code: 'INSTALL_FAILED',
  })
  await expect(installer.remove('a')).rejects.toMatchObject({ code: 'INSTALL_FAILED' })
  expect(await readFile(join(folder, 'a/SKILL.md'), 'utf8')).toBe('one')
})

it.each([
  [new ReferenceError('__filename is not defined'), '__filename is not defined'],
  [
    new Error(
      "Cannot find module '/srv/my app/signals.js' imported from /srv/a.js\nRequire stack:\n- /srv/a.js",
    ),
    'Cannot find module … imported from …',
  ],
  [Object.assign(new Error('Not supported'), { code: 'ERR_METHOD_NOT_IMPLEMENTED' }), 'Not supported'],
])('says what went wrong when it was not the disk: %s', async (thrown, text) => {
  const installer = createSkillInstaller({
    folder,
    createId: () => {
      throw thrown
    },
  })
  await expect(installer.install({ name: 'a', files: [] })).rejects.toMatchObject({
    code: 'INSTALL_FAILED',
    message: `Installing a failed: an unexpected error (${text}). Nothing changed.`,
    cause: thrown,
  })
})
