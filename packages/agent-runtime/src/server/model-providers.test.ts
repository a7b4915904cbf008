import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fetchTo } from '../models/testing/provider-world.ts'
import {
  createMockAnthropicProvider,
  createMockChatProvider,
  createMockGoogleProvider,
  createMockResponsesProvider,
} from '../testing/index.ts'
import { startPlatform, ways } from './testing/start-platform.ts'

const key = 'sk-very-secret-0123456789'
const ollama = { api: 'openai-chat', base_url: 'http://127.0.0.1:11434/v1' } as const

let home: string
const file = () => join(home, 'config.json')
const saved = async () => JSON.parse(await readFile(file(), 'utf8')) as Record<string, unknown>
beforeEach(async () => void (home = await mkdtemp(join(tmpdir(), 'homeward-providers-'))))
afterEach(() => rm(home, { recursive: true, force: true }))

describe.each(ways)('model providers %s', (way) => {
  it('are added, listed without keys, changed and deleted', async () => {
    await using platform = await startPlatform(way, { home })
    const { send } = platform
    const body = { ...ollama, api_key: key, models: ['qwen3:8b'], unknown: 1 }
    const provider = { name: 'ollama', ...ollama, has_api_key: true, built_in: false, models: ['qwen3:8b'] }
    const created = await send('PUT', '/api/models/providers/ollama', { body })
    expect([created.status, created.body]).toEqual([200, { ok: true, provider }])
    expect((await stat(file())).mode & 0o777).toBe(0o600)

    const kept = await send('PUT', '/api/models/providers/ollama', { body: ollama })
    expect(kept.body.provider).toEqual(provider)
    expect(await saved()).toMatchObject({ model_providers: { ollama: { api_key: key } } })
    const list = await send('GET', '/api/models/providers')
    expect(list.body.providers.at(-1)).toEqual(provider)
    expect(list.text).not.toContain(key)

    await send('PUT', '/api/settings', { body: { agents_dir: 'agents' } })
    const clear = { ...ollama, base_url: 'http://10.0.0.7:8000/v1/', api_key: null, models: null }
    const cleared = await send('PUT', '/api/models/providers/ollama', { body: clear })
    expect(cleared.body.provider).toEqual({
      name: 'ollama',
      api: 'openai-chat',
      base_url: 'http://10.0.0.7:8000/v1',
      has_api_key: false,
      built_in: false,
    })
    expect(await saved()).toEqual({
      agents_dir: 'agents',
      model_providers: { ollama: { api: 'openai-chat', base_url: 'http://10.0.0.7:8000/v1' } },
    })
    expect((await send('DELETE', '/api/models/providers/ollama')).body).toEqual({ ok: true })
    expect((await send('DELETE', '/api/models/providers/ollama')).status).toBe(404)
    expect(await saved()).toMatchObject({ agents_dir: 'agents', model_providers: {} })
  })

  it('keep a key for its origin only, and have no address of a metadata service', async () => {
    await using platform = await startPlatform(way, { home })
    const put = async (body: object) =>
      (await platform.send('PUT', '/api/models/providers/acme', { body: { ...ollama, ...body } })).body
    await put({ api_key: key })
    expect(await put({ base_url: 'http://127.0.0.1:11434/v2' })).toMatchObject({
      provider: { has_api_key: true },
    })
    expect(await put({ base_url: 'http://127.0.0.1:9/v1' })).toMatchObject({
      provider: { has_api_key: false },
    })
    expect(await put({ base_url: 'https://new.example/v1', api_key: key })).toMatchObject({
      provider: { has_api_key: true },
    })
    expect(await put({ base_url: 'http://new.example/v1' })).toMatchObject({
      provider: { has_api_key: false },
    })
    for (const host of ['169.254.169.254', '[::ffff:169.254.169.254]', '[fd00:ec2::254]'])
      expect(await put({ base_url: `http://${host}/v1` })).toMatchObject({
        message: expect.stringContaining('metadata service'),
      })
  })

  it.each(['openai', 'openai-chat', 'anthropic', 'google', 'openrouter', 'test', 'mine'])(
    'cannot take the name %s',
    async (name) => {
      await using platform = await startPlatform(way, {
        models: { mine: () => Promise.reject(new Error('never')) },
      })
      for (const method of ['PUT', 'DELETE']) {
        const body = method === 'PUT' ? ollama : undefined
        const answer = await platform.send(method, `/api/models/providers/${name}`, { body })
        expect([answer.status, answer.body.code]).toEqual([409, 'conflict'])
      }
    },
  )

  it.each([
    [{ base_url: 'ftp://a.example/v1' }],
    [{ base_url: 'http://ann:pw@a.example/v1' }],
    [{ base_url: 'http://a.example/v1?key=1' }],
    [{ api: 'soap' }],
    [{ models: 'all' }],
    [{ models: [''] }],
    [{ api_key: `a\nb` }],
  ])('reject %j and store nothing', async (wrong) => {
    await using platform = await startPlatform(way, { home })
    const answer = await platform.send('PUT', '/api/models/providers/a', { body: { ...ollama, ...wrong } })
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_error'])
    expect((await platform.send('PUT', '/api/models/providers/-a', { body: ollama })).status).toBe(400)
    await expect(stat(file())).rejects.toThrow('ENOENT')
  })
})

it('lists built-in providers with the API that they are called with', async () => {
  await using platform = await startPlatform('in process', { environment: { ANTHROPIC_API_KEY: key } })
  const { body } = await platform.send('GET', '/api/models/providers')
  expect(body.providers).toEqual([
    expect.objectContaining({ name: 'openai', api: 'openai-responses', has_api_key: false, built_in: true }),
    expect.objectContaining({ name: 'openai-chat', api: 'openai-chat' }),
    expect.objectContaining({
      name: 'anthropic',
      has_api_key: true,
      base_url: 'https://api.anthropic.com/v1',
    }),
    expect.objectContaining({ name: 'google', api: 'google' }),
    expect.objectContaining({ name: 'openrouter', api: 'openai-chat' }),
  ])
})

it.each([
  ['openai-chat', '/v1', createMockChatProvider, 'authorization', `Bearer ${key}`],
  ['openai-responses', '/v1', createMockResponsesProvider, 'authorization', `Bearer ${key}`],
  ['anthropic', '/v1', createMockAnthropicProvider, 'x-api-key', key],
  ['google', '/v1beta', createMockGoogleProvider, 'x-goog-api-key', key],
] as const)(
  'calls a provider of the API %s, with a key and without',
  async (api, path, create, header, value) => {
    const standIn = create()
    await using platform = await startPlatform('in process', {
      home,
      environment: {
        OPENAI_API_KEY: 'sk-other-1',
        ANTHROPIC_API_KEY: 'sk-other-2',
        GOOGLE_API_KEY: 'sk-other-3',
      },
      fetch: fetchTo({ 'gpu.internal': standIn }),
      retry: { attempts: 0 },
    })
    const { send } = platform
    const base_url = `http://gpu.internal:8000${path}`
    await send('POST', '/api/agents', { body: { id: 'a', model: 'my.gpu/org/model-7b' } })
    const run = async () =>
      (await send('POST', '/api/agents/run', { body: { agent_id: 'a', task: 'Hi' } })).body
    expect((await run()).message).toContain('no provider has the name "my.gpu"')

    await send('PUT', '/api/models/providers/my.gpu', { body: { api, base_url, api_key: key } })
    expect(await run()).toMatchObject({ output: 'ok', model: 'my.gpu/org/model-7b' })
    await send('PUT', '/api/models/providers/my.gpu', { body: { api, base_url, api_key: null } })
    expect(await run()).toMatchObject({ output: 'ok' })
    expect(standIn.requests.map(({ headers }) => headers[header])).toEqual([value, undefined])
    expect(JSON.stringify(standIn.requests)).not.toContain('sk-other')
    expect(JSON.stringify(standIn.requests[0])).toContain('org/model-7b')
  },
)

it('reads a config.json that was edited by hand, and says what is wrong with an entry', async () => {
  const warnings: string[] = []
  const logger = { warn: (text: string) => warnings.push(text), error() {} }
  await using platform = await startPlatform('in process', { home, logger, retry: { attempts: 0 } })
  const { send } = platform
  const broken = { api: 'openai-chat', base_url: 'not a url', api_key: key }
  const extra = { ...ollama, apiKey: key }
  await writeFile(file(), JSON.stringify({ model_providers: { good: ollama, broken, extra } }))
  const { body, text } = await send('GET', '/api/models/providers')
  expect(body.providers.slice(5)).toEqual([expect.objectContaining({ name: 'good' })])
  await send('GET', '/api/models/providers')
  expect(warnings).toEqual([
    expect.stringMatching(/model provider "broken" .* "base_url" must be an http or https URL/),
    expect.stringMatching(/model provider "extra" .* unknown key "apiKey"/),
  ])
  expect(text + warnings.join()).not.toContain(key)

  await send('POST', '/api/agents', { body: { id: 'a', model: 'broken/x' } })
  const failed = await send('POST', '/api/agents/run', { body: { agent_id: 'a', task: 'Hi' } })
  expect([failed.status, failed.body.code]).toEqual([400, 'model_not_configured'])
  expect(failed.body.message).toContain('"base_url"')
  const mended = await send('PUT', '/api/models/providers/broken', { body: ollama })
  expect(mended.body.provider).toMatchObject({ name: 'broken', has_api_key: true })

  await writeFile(file(), JSON.stringify({ model_providers: [], agents_dir: 'x' }))
  expect((await send('GET', '/api/models/providers')).body.providers).toHaveLength(5)
  const refused = await send('PUT', '/api/models/providers/a', { body: ollama })
  expect([refused.status, refused.body.code]).toEqual([500, 'storage_error'])
  expect(await saved()).toEqual({ model_providers: [], agents_dir: 'x' })
})

it('holds at most 50 providers, and keeps all of those that are saved at once', async () => {
  await using platform = await startPlatform('in process', { home })
  const save = (index: number) => platform.runtime.models.saveProvider(`p${index}`, ollama)
  await Promise.all(Array.from({ length: 50 }, (_, index) => save(index)))
  expect(await platform.runtime.models.listProviders()).toHaveLength(55)
  await expect(save(50)).rejects.toMatchObject({ code: 'validation_error' })
  await expect(save(7)).resolves.toMatchObject({ name: 'p7' })
  const wrong = platform.runtime.models.saveProvider('a', { ...ollama, base_url: 'x' })
  await expect(wrong).rejects.toMatchObject({ code: 'validation_error' })
})

it('hides keys of configured providers in what runs write down', async () => {
  await using platform = await startPlatform('in process', { home })
  await platform.runtime.models.saveProvider('a', { ...ollama, api_key: key })
  await platform.runtime.agents.create({ id: 'parrot', model: 'test/echo' })
  await platform.runtime.run({ agent_id: 'parrot', task: `Say ${key}`, conversation_id: 'c' })
  const { text } = await platform.send('GET', '/api/logs')
  expect(text).not.toContain(key)
})
