import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestStore } from '../testing/create-test-store.ts'
import { withHostChecks } from '../runtime/host-checks.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import type { AgentStore } from '../store/ports/agent-store.ts'
import { agentStoreConformance } from '../testing/agent-store-conformance.ts'
import { createAgentFolder } from './agent-folder.ts'
import { findAgentFile } from './read-agent-file.ts'
import { chooseAgentStore } from './choose-agent-store.ts'
import { createAgents } from './create-agents.ts'

let folder: string
let warnings: string[]
let versions: RuntimeStore
let nowMs = Date.parse('2026-01-01T00:00:00Z')
const logger = { warn: (text: string) => warnings.push(text), error() {} }

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-agents-'))
  warnings = []
  versions = createTestStore()
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const open = (store: AgentStore) =>
  withHostChecks(
    'agents',
    createAgents({ store, versions, now: () => (nowMs += 1000), createId: () => crypto.randomUUID() }),
  )
const stores: Record<string, () => AgentStore> = {
  database: () => versions,
  folder: () => createAgentFolder({ folder: join(folder, 'agents'), logger, versions }),
}

describe.each(Object.entries(stores))('agents in a %s', (_, createStore) => {
  it('A3: creates with an id of its own or the one it is given, and refuses one that is taken', async () => {
    const agents = open(createStore())
    const first = await agents.create({ id: 'writer', model: 'test/echo', skills: ['web'] })
    const second = await agents.create({ model: 'test/echo' })
    expect(first).toMatchObject({ id: 'writer', skills: ['web'], schedule_enabled: true })
    expect(second.id).toMatch(/^agent-[a-z0-9]{12}$/)
    await expect(agents.create({ id: 'writer', model: 'x/y' })).rejects.toMatchObject({ code: 'conflict' })
    expect(await agents.list()).toEqual([first, second])
    expect(await agents.get('writer')).toEqual(first)
  })

  it('A3: a change merges; null and empty text clear; id and creation stay', async () => {
    const agents = open(createStore())
    const before = await agents.create({
      id: 'a',
      model: 'test/echo',
      description: 'old',
      limits: { max_turns: 3, max_runtime: 60 },
      context: { window_tokens: 9000, history_tokens: 100 },
      model_settings: { temperature: 1 },
      schedule: '* * * * *',
      skills: ['web'],
    })
    const patch = {
      id: 'a',
      personality: 'Kind.',
      description: null,
      schedule: '',
      limits: { max_turns: 5 },
      context: { window_tokens: 8000 },
      model_settings: { top_p: 0.5 },
    }
    const after = await agents.update('a', patch)
    expect(after).toEqual({
      id: 'a',
      model: 'test/echo',
      personality: 'Kind.',
      limits: { max_turns: 5, max_runtime: 60 },
      context: { window_tokens: 8000, history_tokens: 100 },
      model_settings: { temperature: 1, top_p: 0.5 },
      skills: ['web'],
      schedule_enabled: true,
      version: 2,
      created_at: before.created_at,
      updated_at: expect.not.stringMatching(before.updated_at),
    })
    expect(await agents.get('a')).toEqual(after)
    await expect(agents.update('a', { ...patch, id: 'b' })).rejects.toThrow('"id" cannot be changed')
  })

  it('A3: says what is missing, and what is wrong', async () => {
    const agents = open(createStore())
    await expect(agents.get('a')).rejects.toMatchObject({ code: 'not_found' })
    await expect(agents.update('a', {})).rejects.toMatchObject({ code: 'not_found' })
    await expect(agents.delete('a')).rejects.toMatchObject({ code: 'not_found' })
    await expect(agents.create({ id: '../x', model: 'm' })).rejects.toMatchObject({
      code: 'validation_error',
    })
    await expect(agents.create({ model: 'm', timezone: 'Mars/Phobos' })).rejects.toThrow('Europe/Berlin')
    await expect(agents.create({ model: 7 } as never)).rejects.toThrow('Creating an agent failed: "model"')
    await expect(agents.get('../../etc/passwd')).rejects.toMatchObject({ code: 'not_found' })
    expect(await agents.list()).toEqual([])
  })

  it('loses no field when changes race', async () => {
    const agents = open(createStore())
    await agents.create({ id: 'a', model: 'test/echo' })
    await Promise.all([
      agents.update('a', { name: 'A' }),
      agents.update('a', { description: 'B' }),
      agents.update('a', { personality: 'C' }),
    ])
    expect(await agents.get('a')).toMatchObject({ name: 'A', description: 'B', personality: 'C' })
  })

  it('deletes once', async () => {
    const agents = open(createStore())
    await agents.create({ id: 'a', model: 'test/echo' })
    const outcomes = await Promise.allSettled([agents.delete('a'), agents.delete('a')])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await agents.list()).toEqual([])
  })

  it('lets one of many creations of the same id win', async () => {
    const agents = open(createStore())
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, (_each, index) => agents.create({ id: 'a', model: `test/${index}` })),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })
})

describe('the agents folder', () => {
  for (const { name, run } of agentStoreConformance) {
    it(name, async () => {
      const create = () => createAgentFolder({ folder: join(folder, 'kit'), logger })
      await run({ create: async () => ({ store: create(), reopen: async () => create() }) })
    })
  }

  const path = (name: string) => join(folder, name)

  it('sees files that people write, change and remove', async () => {
    const agents = open(createAgentFolder({ folder, logger }))
    await writeFile(
      path('by-hand.json'),
      '\uFEFF{"model": "test/echo", "personality": "", "note": "kept by hand"}',
    )
    expect(await agents.get('by-hand')).toMatchObject({ id: 'by-hand', model: 'test/echo', skills: [] })
    await agents.update('by-hand', { name: 'Hand' })
    expect(JSON.parse(await readFile(path('by-hand.json'), 'utf8'))).toMatchObject({
      name: 'Hand',
      note: 'kept by hand',
    })
    await writeFile(path('by-hand.json'), '{"model": "test/other"}')
    await utimes(path('by-hand.json'), 5, 5)
    expect(await agents.get('by-hand')).toMatchObject({ model: 'test/other' })
    await rm(path('by-hand.json'))
    expect(await agents.list()).toEqual([])
  })

  it('leaves out what cannot be used, says why once, and goes on with the others', async () => {
    await writeFile(path('good.json'), '{"model": "test/echo"}')
    await writeFile(path('broken.json'), '{"model": ')
    await writeFile(path('other.json'), '{"id": "another", "model": "test/echo"}')
    await writeFile(path('wrong.json'), '{"model": "test/echo", "limits": {"max_turns": -1}}')
    await writeFile(path('..json'), '{"model": "test/echo"}')
    await writeFile(path('notes.txt'), 'x')
    const agents = open(createAgentFolder({ folder, logger }))
    await agents.list()
    expect((await agents.list()).map(({ id }) => id)).toEqual(['good'])
    expect(warnings.toSorted()).toEqual([
      expect.stringContaining('broken.json failed: it is not valid JSON'),
      expect.stringContaining('name the file another.json'),
      expect.stringContaining('wrong.json failed: "limits.max_turns"'),
    ])
    // what cannot be read is not written over either
    await expect(agents.create({ id: 'broken', model: 'm' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('broken.json exists but is invalid: it is not valid JSON'),
    })
    await expect(agents.create({ id: 'good', model: 'm' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('already exists'),
    })
    expect(await readFile(path('broken.json'), 'utf8')).toBe('{"model": ')
  })

  it('leaves out one file that cannot be read, until it can', async () => {
    await writeFile(path('good.json'), '{"model": "test/echo"}')
    await symlink('loop.json', path('loop.json'))
    const agents = open(createAgentFolder({ folder, logger }))
    await agents.list()
    expect((await agents.list()).map(({ id }) => id)).toEqual(['good'])
    expect(warnings).toEqual([expect.stringContaining('loop.json failed: it cannot be read (ELOOP)')])
    await rm(path('loop.json'))
    await writeFile(path('loop.json'), '{"model": "test/echo"}')
    expect(await agents.list()).toHaveLength(2)
  })

  it('knows nothing of a file that goes while it is read', async () => {
    await writeFile(path('a.json'), '{"model": "test/echo"}')
    const file = await findAgentFile(path('a.json'), 'a')
    await rm(path('a.json'))
    expect(await file?.read()).toBeUndefined()
  })

  it('leaves out an agent with a limit that is not known: it would run without', async () => {
    await writeFile(path('a.json'), '{"model": "test/echo", "limits": {"max_turn": 3}}')
    const agents = open(createAgentFolder({ folder, logger }))
    expect(await agents.list()).toEqual([])
    expect(warnings).toEqual([expect.stringContaining('"limits.max_turn" is unknown. Use max_turns')])
  })

  it('is no conflict when the folder is no folder', async () => {
    await writeFile(path('file'), '')
    const agents = open(createAgentFolder({ folder: path('file'), logger }))
    await expect(agents.create({ id: 'a', model: 'm' })).rejects.toMatchObject({ code: 'storage_error' })
  })

  it('writes whole files that only their owner reads, and leaves nothing beside them', async () => {
    const agents = open(createAgentFolder({ folder, logger }))
    await agents.create({ id: 'a', model: 'test/echo' })
    await agents.update('a', { name: 'A' })
    expect(await readdir(folder)).toEqual(['a.json'])
    expect((await stat(path('a.json'))).mode & 0o777).toBe(0o600)
    expect(await readFile(path('a.json'), 'utf8')).toContain('"name": "A"')
  })

  it('leaves a file that is there readable by whom it was', async () => {
    await writeFile(path('shared.json'), '{"model": "test/echo"}')
    await chmod(path('shared.json'), 0o664) // not what a umask makes of it
    await open(createAgentFolder({ folder, logger })).update('shared', { name: 'Shared' })
    expect((await stat(path('shared.json'))).mode & 0o777).toBe(0o664)
  })

  it('records what people edit as versions, and restores one into the file', async () => {
    const store = createAgentFolder({ folder, logger, versions })
    const agents = open(store)
    await agents.create({ id: 'a', model: 'test/echo', name: 'One' })
    await writeFile(path('a.json'), '{"model": "test/echo", "name": "By hand", "note": "mine"}')
    expect(await agents.get('a')).toMatchObject({ name: 'By hand', version: 2 })
    expect(await agents.update('a', { name: 'Three' })).toMatchObject({ version: 3 })
    expect(await agents.restore('a', 1)).toMatchObject({ name: 'One', version: 4 })
    expect(await open(createAgentFolder({ folder, logger, versions })).get('a')).toMatchObject({ version: 4 })
    expect(JSON.parse(await readFile(path('a.json'), 'utf8'))).toEqual(
      expect.objectContaining({ name: 'One', note: 'mine' }),
    )
    expect(await readFile(path('a.json'), 'utf8')).not.toContain('"version"')
    await agents.delete('a')
    expect(await agents.create({ id: 'a', model: 'test/echo' })).toMatchObject({ version: 1 })
  })

  it('is chosen by one switch, at once', async () => {
    let agents_dir: string | undefined
    const settings = { read: async () => (agents_dir === undefined ? {} : { agents_dir }) }
    const store = chooseAgentStore({ database: createTestStore(), settings, home: () => folder, logger })
    const agents = open(store)
    await agents.create({ id: 'in-database', model: 'test/echo' })
    agents_dir = 'my-agents'
    await agents.create({ id: 'in-file', model: 'test/echo' })
    expect((await agents.list()).map(({ id }) => id)).toEqual(['in-file'])
    expect(await readdir(join(folder, 'my-agents'))).toEqual(['in-file.json'])
    agents_dir = undefined
    expect((await agents.list()).map(({ id }) => id)).toEqual(['in-database'])
  })
})
