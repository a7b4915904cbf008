import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { manifest, useSkillHome, zipped } from './testing/skill-kit.ts'

const home = useSkillHome()
const { changes, open, write } = home

const tools = (...ids: string[]) =>
  `tools:\n${ids.map((id) => `  - { id: ${id}, description: d, method: GET, path: /x }\n`).join('')}`

describe('A15: loading', () => {
  it('lists what can be used, and what cannot with the reason', async () => {
    await write('skills/weather/SKILL.md', manifest('Weather', 'credentials: [W_KEY]\n'))
    await write('skills/weather/tools.yaml', tools('weather_now'))
    await write('skills/broken/skill.yaml', 'name: [')
    await write('skills/nameless/skill.yaml', 'description: d')
    await mkdir(join(home.path, 'skills/empty'))
    await write('skills/odd name/SKILL.md', manifest('x'))
    await write('skills/.hidden/SKILL.md', manifest('x'))
    await write('skills/store-registry/SKILL.md', manifest('x'))
    await write('skills/con/SKILL.md', manifest('x'))
    const skills = await open().list()
    expect(skills).toEqual([
      { id: 'broken', error: expect.stringContaining('skill.yaml') as string },
      { id: 'con', error: expect.stringContaining('device name') as string },
      { id: 'empty', error: expect.stringContaining('the file is missing') as string },
      { id: 'nameless', error: expect.stringContaining('"name"') as string },
      { id: 'odd name', error: expect.stringContaining('folder') as string },
      { id: 'store-registry', error: expect.stringContaining('another name') as string },
      {
        id: 'weather',
        name: 'Weather',
        description: 'About Weather',
        tools: ['weather_now'],
        required_env: ['W_KEY'],
        missing_env: ['W_KEY'],
        configured: false,
      },
    ])
  })

  it('counts an environment variable as given by the environment or by the config', async () => {
    await write('skills/weather/SKILL.md', manifest('Weather', 'credentials: [W_KEY]\n'))
    expect(await open({}, { environment: { W_KEY: 'k' } }).get('weather')).toMatchObject({ configured: true })
    const library = open()
    await library.saveConfig('weather', { W_KEY: 'k' })
    expect(await library.get('weather')).toMatchObject({
      missing_env: [],
      configured: true,
      instructions: 'Read me',
    })
  })

  it('counts none as given that no tool gets: the keys of the platform', async () => {
    await write('skills/a/SKILL.md', manifest('a', 'credentials: [OPENAI_API_KEY]\n'))
    const library = open({}, { environment: { OPENAI_API_KEY: 'k' } })
    expect(await library.get('a')).toMatchObject({ missing_env: ['OPENAI_API_KEY'], configured: false })
  })

  it('shows a skill whose config cannot be read with the reason, and the others as they are', async () => {
    await write('skills/a/SKILL.md', manifest('a'))
    await write('skills/b/SKILL.md', manifest('b'))
    await write('configs/a.json', '{"units": ')
    const wrong = { id: 'a', error: expect.stringContaining('a.json is not a JSON object') as string }
    expect(await open().list()).toEqual([wrong, expect.objectContaining({ id: 'b', configured: true })])
    expect(await open().get('a')).toEqual(wrong)
  })

  it('turns the second skill off whose tool id another one has, or is built in', async () => {
    await write('skills/a/SKILL.md', manifest('a'))
    await write('skills/a/tools.yaml', tools('same'))
    await write('skills/b/SKILL.md', manifest('b'))
    await write('skills/b/tools.yaml', tools('same', 'other'))
    await write('skills/c/SKILL.md', manifest('c'))
    await write('skills/c/tools.yaml', tools('time'))
    const { skills, broken } = await open().snapshot()
    expect([...skills.keys()]).toEqual(['a'])
    expect(broken).toEqual([
      { id: 'b', error: expect.stringContaining('"same" already belongs to the skill "a"') as string },
      { id: 'c', error: expect.stringContaining('"time" has the id of a built-in tool') as string },
    ])
  })

  it('notices a changed folder, and leaves an older snapshot as it was', async () => {
    const library = open()
    expect((await library.snapshot()).skills.size).toBe(0)
    await write('skills/a/SKILL.md', manifest('one'))
    const before = await library.snapshot()
    await write('skills/a/SKILL.md', manifest('two-longer'))
    await write('skills/a/tools.yaml', tools('t'))
    const after = await library.snapshot()
    expect(before.skills.get('a')).toMatchObject({ name: 'one', tools: [] })
    expect(after.skills.get('a')).toMatchObject({ name: 'two-longer', tools: [{ id: 't' }] })
    await rm(join(home.path, 'skills/a'), { recursive: true })
    expect((await library.snapshot()).skills.size).toBe(0)
  })

  it('reads a skill again only when it changed', async () => {
    await write('skills/a/SKILL.md', manifest('a'))
    const library = open()
    const first = (await library.snapshot()).skills.get('a')
    expect((await library.snapshot()).skills.get('a')).toBe(first)
  })

  it('finds a skill that a crash left aside in the middle of its update', async () => {
    await write('skills/.replaced~weather~1/SKILL.md', manifest('weather'))
    await write('skills/.incoming~weather~1/SKILL.md', manifest('half'))
    expect(await open().list()).toMatchObject([{ id: 'weather', name: 'weather' }])
    expect(await readdir(join(home.path, 'skills'))).toEqual(['weather'])
  })

  it('takes no folder behind a link, and no manifest that is enormous', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'outside-'))
    await writeFile(join(outside, 'SKILL.md'), manifest('x'))
    await mkdir(join(home.path, 'skills'))
    await symlink(outside, join(home.path, 'skills/linked'))
    await write('skills/large/SKILL.md', manifest('x') + 'x'.repeat(2_000_000))
    expect(await open().list()).toEqual([
      { id: 'large', error: expect.stringContaining('must have at most') as string },
    ])
    await rm(outside, { recursive: true })
  })
})

describe('A15: config', () => {
  const schema = {
    type: 'object',
    properties: { units: { enum: ['metric', 'imperial'] }, key: { type: 'string', format: 'password' } },
    required: ['units'],
  }

  it('is checked, kept readable by its owner only, and never shown with its secrets', async () => {
    await write('skills/a/SKILL.md', manifest('a'))
    await write('skills/a/config.schema.json', JSON.stringify(schema))
    const library = open()
    expect(await library.get('a')).toMatchObject({ configured: false, has_config: true })
    await expect(library.saveConfig('a', { units: 'feet' })).rejects.toMatchObject({
      code: 'validation_error',
    })
    await library.saveConfig('a', { units: 'metric', key: 'secret-of-the-test' })
    expect(await library.configView('a')).toEqual({ units: 'metric', key: true })
    expect(await library.config('a')).toEqual({ units: 'metric', key: 'secret-of-the-test' })
    expect((await stat(join(home.path, 'configs/a.json'))).mode & 0o777).toBe(0o600)
    expect(await library.configSchema('a')).toEqual(schema)
    expect(await library.get('a')).toMatchObject({ configured: true })
    expect(changes).toEqual(['a configured'])
  })

  it('keeps a secret that was saved a moment ago, however closely changes follow each other', async () => {
    await write('skills/a/SKILL.md', manifest('a'))
    await write('skills/a/config.schema.json', JSON.stringify(schema))
    const library = open()
    await library.saveConfig('a', { units: 'metric', key: 'first-secret' })
    await Promise.all([
      library.saveConfig('a', { units: 'metric', key: 'second-secret' }),
      library.saveConfig('a', { units: 'imperial' }),
    ])
    expect(await library.config('a')).toEqual({ units: 'imperial', key: 'second-secret' })
  })

  it('says what is not there', async () => {
    await write('skills/a/SKILL.md', manifest('a'))
    const library = open()
    await expect(library.configSchema('a')).rejects.toMatchObject({ code: 'not_found' })
    await expect(library.setup('a')).rejects.toMatchObject({ code: 'not_found' })
    for (const id of ['missing', '../a', '']) {
      await expect(library.configView(id)).rejects.toMatchObject({ code: 'not_found' })
      await expect(library.saveConfig(id, {})).rejects.toMatchObject({ code: 'not_found' })
      await expect(library.remove(id)).rejects.toMatchObject({ code: 'not_found' })
    }
    await write('skills/a/SETUP.md', '# Set up')
    expect(await library.setup('a')).toBe('# Set up')
  })

  it('does not quote a damaged file', async () => {
    await write('skills/a/SKILL.md', manifest('a'))
    await write('configs/a.json', '{"key": "secret-of-the-test"')
    const failure = open().configView('a')
    await expect(failure).rejects.toMatchObject({ code: 'storage_error' })
    await expect(failure).rejects.not.toThrow(/secret-of-the-test/)
  })
})

describe('uploading', () => {
  it('installs Markdown under its name', async () => {
    const library = open()
    const installed = await library.uploadMarkdown(manifest('PDF Tools!', 'version: 2.0.0\n'))
    expect(installed).toEqual({
      id: 'pdf-tools',
      version: '2.0.0',
      hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    })
    expect(await library.get('pdf-tools')).toMatchObject({ name: 'PDF Tools!' })
    expect(changes).toEqual(['pdf-tools installed'])
  })

  it('A15: says which rules of a tool cannot be checked', async () => {
    const tool = (id: string, a: object) => ({
      id,
      description: 'd',
      path: '/x',
      parameters: { properties: { a } },
    })
    const tools = [
      tool('odd', { type: 'file', pattern: '(?<' }),
      tool('fine', { pattern: '^a\\-b$', exclusiveMinimum: true, minimum: 1, nullable: true }),
    ]
    await write('skills/a/SKILL.md', manifest('a'))
    await write('skills/a/tools.yaml', JSON.stringify({ tools }))
    expect(await open().list()).toMatchObject([
      { id: 'a', unchecked_tools: [{ id: 'odd', reason: expect.stringContaining('"type", "pattern"') }] },
    ])
  })

  it.each([
    ['Ünï', 'uni'],
    ['Crème Brûlée', 'creme-brulee'],
    ['Ångström 2', 'angstrom-2'],
    ['ﬁle tools', 'file-tools'],
  ])('names the folder of %s without marks: %s', async (name, id) => {
    expect(await open().uploadMarkdown(manifest(name))).toMatchObject({ id })
  })

  it('refuses what is no skill, and writes nothing', async () => {
    const library = open()
    const cases = [
      library.uploadMarkdown('# no manifest'),
      library.uploadMarkdown(manifest('Store Registry')),
      library.uploadZip(chunks('not a zip')),
    ]
    for (const failure of cases) await expect(failure).rejects.toMatchObject({ code: 'invalid_skill' })
    expect(await readdir(home.path)).toEqual([])
  })

  it('refuses tools that another skill has', async () => {
    await write('skills/a/SKILL.md', manifest('a'))
    await write('skills/a/tools.yaml', tools('same'))
    const library = open()
    const clash = `---\nname: b\ndescription: d\ntools:\n  - { id: same, description: d, path: /x }\n---\n`
    await expect(library.uploadMarkdown(clash)).rejects.toMatchObject({ code: 'conflict' })
    expect(await readdir(join(home.path, 'skills'))).toEqual(['a'])
  })

  it('D17: of skills with the same tool that come at once one is installed, and the others are refused', async () => {
    const library = open()
    const clash = (name: string) =>
      `---\nname: ${name}\ndescription: d\ntools:\n  - { id: same, description: d, path: /x }\n---\n`
    const uploads = ['a', 'b', 'c'].map((name) => library.uploadMarkdown(clash(name)))
    const outcomes = await Promise.allSettled(uploads)
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected'])
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'conflict' })
    expect(await library.list()).toHaveLength(1)
  })

  it.each([
    [
      'a tool that hands code to a shell',
      { 'tools.yaml': exec('[env, bash, -c, id]') },
      'passes code to bash',
    ],
    ['a script that is not there', { 'tools.yaml': exec('[python3, ./gone.py]') }, 'does not exist'],
    ['a manifest that is enormous', { 'SETUP.md': 'x'.repeat(2_000_000) }, 'must have at most'],
    ['a file that passes for another one', { 'Tools.yaml': tools('t') }, 'collides with tools.yaml'],
  ])('refuses %s, and leaves the version that works', async (_, files, reason) => {
    const library = open()
    const { hash } = await library.uploadMarkdown(manifest('a'))
    const upload = library.uploadZip(zipped({ 'SKILL.md': manifest('a'), ...files }))
    await expect(upload).rejects.toMatchObject({
      code: 'invalid_skill',
      message: expect.stringContaining(reason) as string,
    })
    expect(await library.get('a')).toMatchObject({ instructions: 'Read me' })
    expect(await library.uploadMarkdown(manifest('a'))).toMatchObject({ hash })
  })

  it('A15, D20: says what an upload would bring and replace, and what hides in it; writes nothing', async () => {
    const library = open()
    await library.uploadMarkdown(manifest('weather'))
    const before = await library.get('weather')
    const offered = {
      'skill/SKILL.md': `${manifest('Weather')}<!-- obey -->`,
      'skill/tools.yaml': exec('[python3]'),
    }
    const preview = await library.previewUpload(zipped(offered))
    expect(preview).toMatchObject({
      id: 'weather',
      name: 'Weather',
      installed: { hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
      added: { tools: ['t'], commands: ['python3'] },
      changed_files: ['SKILL.md', 'tools.yaml'],
      warnings: [{ code: 'hidden_markup', file: 'SKILL.md' }],
    })
    expect(await library.previewUpload(chunks(manifest('Wheather')))).toMatchObject({
      id: 'wheather',
      warnings: [{ code: 'look_alike_name', message: expect.stringContaining('"weather"') as string }],
    })
    await expect(library.previewUpload(chunks('# Nothing'))).rejects.toMatchObject({ code: 'invalid_skill' })
    expect(await library.get('weather')).toEqual(before)
    expect(changes).toEqual(['weather installed'])
    expect(await library.uploadZip(zipped(offered))).toMatchObject({ id: 'weather', hash: preview.hash })
  })

  it.each(['skills.lock.json', 'Skills.Lock.JSON', 'con', 'aux.tools'])(
    'refuses a skill called %s: no folder can be called so',
    async (name) => {
      const library = open()
      await library.uploadMarkdown(manifest('a'))
      for (const work of [
        library.uploadMarkdown(manifest(name)),
        library.previewUpload(chunks(manifest(name))),
      ]) {
        await expect(work).rejects.toMatchObject({ code: 'invalid_skill' })
      }
      expect(await library.uploadMarkdown(manifest('b'))).toMatchObject({ id: 'b' })
      expect((await readdir(join(home.path, 'skills'))).toSorted()).toEqual(['a', 'b', 'skills.lock.json'])
    },
  )

  it('makes a folder of a long name that would end in a dot', async () => {
    const { id } = await open().uploadMarkdown(manifest(`${'a'.repeat(63)}.b`))
    expect(id).toBe('a'.repeat(63))
  })

  it('removes a skill and keeps its config', async () => {
    const library = open()
    await library.uploadMarkdown(manifest('a'))
    await library.saveConfig('a', { units: 'metric' })
    await library.remove('a')
    expect(await library.list()).toEqual([])
    expect(await readFile(join(home.path, 'configs/a.json'), 'utf8')).toContain('metric')
  })

  it('removes a skill once, however many ask for it at once', async () => {
    const library = open()
    await library.uploadMarkdown(manifest('a'))
    changes.length = 0
    const removals = await Promise.allSettled(Array.from({ length: 20 }, () => library.remove('a')))
    const refused = removals.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []))
    expect(refused).toHaveLength(19)
    for (const reason of refused) expect(reason).toMatchObject({ code: 'not_found' })
    expect(changes).toEqual(['a removed'])
  })
})

const exec = (command: string) => `tools:\n  - { id: t, description: d, command: ${command} }\n`

async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
}

describe('the seed folder', () => {
  it('is copied without touching what is there', async () => {
    await write('seeds/a/SKILL.md', manifest('seed-a'))
    await write('seeds/b/SKILL.md', manifest('seed-b'))
    await write('skills/a/SKILL.md', manifest('mine'))
    const library = open({}, { seedFolder: join(home.path, 'seeds') })
    expect(await library.installSystem()).toEqual(['b'])
    expect(await library.get('a')).toMatchObject({ name: 'mine' })
    expect(await library.installSystem()).toEqual([])
  })

  it('is told apart from the lockfile, also once there is one', async () => {
    await write('seeds/skills.lock.json/SKILL.md', manifest('lock'))
    await write('seeds/b/SKILL.md', manifest('b'))
    const library = open({}, { seedFolder: join(home.path, 'seeds') })
    for (const _ of [1, 2]) {
      await expect(library.installSystem()).rejects.toMatchObject({ code: 'invalid_skill' })
    }
    expect(await library.list()).toMatchObject([{ id: 'b', name: 'b' }])
  })

  it('is copied as far as it can be, and the failure says what could not', async () => {
    await write('seeds/a/SKILL.md', '# No skill')
    await write('seeds/b/SKILL.md', manifest('b'))
    const library = open({}, { seedFolder: join(home.path, 'seeds') })
    await expect(library.installSystem()).rejects.toMatchObject({ code: 'invalid_skill' })
    expect([await readdir(join(home.path, 'skills')), changes]).toEqual([
      ['b', 'skills.lock.json'],
      ['b installed'],
    ])
  })
})
