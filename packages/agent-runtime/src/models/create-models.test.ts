import { registerHooks } from 'node:module'
import { describe, expect, it, vi } from 'vitest'
import { createScriptedModel } from '../testing/scripted-model.ts'
import { createModels, toProviderFetch } from './create-models.ts'

const settings = { read: async () => ({ openai_api_key: 'sk-from-file-1234' }) }

describe('A21: models', () => {
  it('A21: come from the providers that the host registers, which may take the place of a hosted one', async () => {
    const model = createScriptedModel([])
    const local = vi.fn(async () => model)
    const models = createModels({ settings, environment: {}, providers: { local, openai: local } })
    expect((await models.resolve('local/llama/4', undefined)).name).toBe('local/llama/4')
    const { model: fitted } = await models.resolve('gpt-5', 'openai')
    expect(fitted).toMatchObject({ provider: model.provider, modelId: model.modelId })
    expect(local.mock.calls).toEqual([['llama/4'], ['gpt-5']])
  })

  it.each(['169.254.169.254', '[::ffff:a9fe:a9fe]', '[fd00:ec2::254]', '2852039166'])(
    'A21: calls no metadata service of a cloud, as %s',
    async (host) => {
      const fetch = (await toProviderFetch(undefined)) as typeof globalThis.fetch
      const cause = { message: 'it points to the metadata service of a cloud' }
      await expect(fetch(`http://${host}/v1/models`, {})).rejects.toMatchObject({ cause })
    },
  )

  it.each(['v3', 'v4'])('A21: takes a model of specification %s', async (specificationVersion) => {
    const given = { specificationVersion, doStream() {} }
    const models = createModels({ settings, environment: {}, providers: { mine: () => given as never } })
    await expect(models.resolve('mine/x', undefined)).resolves.toMatchObject({
      model: { specificationVersion },
    })
  })

  it.each([
    ['nothing', undefined, 'must return an object with doStream'],
    ['a name', 'gpt-5', 'must return an object with doStream'],
    ['what cannot stream', {}, 'must return an object with doStream'],
    [
      'a model of an older AI SDK',
      { specificationVersion: 'v2', doStream() {} },
      'must have specification v4 or v3, got v2',
    ],
  ])('A21: a provider of the host that gives %s is told so', async (_, given, message) => {
    const models = createModels({ settings, environment: {}, providers: { mine: () => given as never } })
    await expect(models.resolve('mine/x', undefined)).rejects.toMatchObject({
      code: 'model_not_configured',
      message: expect.stringContaining(message),
    })
  })

  it('A21: of an unknown provider are refused with the known ones', async () => {
    const models = createModels({
      settings,
      environment: {},
      providers: { local: () => createScriptedModel([]) },
    })
    for (const name of ['nobody/x', 'constructor/x', '__proto__/x']) {
      await expect(models.resolve(name, undefined)).rejects.toMatchObject({
        code: 'validation_error',
        message: expect.stringContaining('openai, openai-chat, anthropic, google, openrouter, test, local'),
      })
    }
  })

  it('A21: take the key from the environment before the one of the settings', async () => {
    const keys: (string | null)[] = []
    const call: typeof fetch = async (_, init) => {
      keys.push(new Headers(init?.headers).get('authorization'))
      return new Response('{}', { status: 400 })
    }
    for (const environment of [{}, { OPENAI_API_KEY: 'sk-from-environment' }]) {
      const models = createModels({ settings, environment, fetch: call })
      const { model } = await models.resolve('openai/gpt-5', undefined)
      await expect(model.doGenerate({ prompt: [] })).rejects.toThrow()
    }
    expect(keys).toEqual(['Bearer sk-from-file-1234', 'Bearer sk-from-environment'])
  })

  it.each(['not a url', 'ftp://host/v1', 'https://user:secret@host/v1', 'https://host/v1?key=secret'])(
    'A21: refuse the base URL %s without repeating it',
    async (url) => {
      const models = createModels({ settings, environment: { OPENAI_BASE_URL: url } })
      const failure = await models.resolve('openai/gpt-5', undefined).catch((error: unknown) => error)
      expect(failure).toMatchObject({ code: 'model_not_configured' })
      expect(String(failure)).toContain('OPENAI_BASE_URL')
      expect(String(failure)).not.toContain(url)
    },
  )

  it("A21: of a host's provider that fails are not configured", async () => {
    const providers = {
      local: () => {
        throw new Error('no such file')
      },
    }
    await expect(
      createModels({ settings, environment: {}, providers }).resolve('local/x', undefined),
    ).rejects.toMatchObject({
      code: 'model_not_configured',
    })
  })

  it('A21: name the package that has to be installed', async () => {
    const hooks = registerHooks({
      resolve(specifier, context, next) {
        if (!specifier.includes('@ai-sdk/google')) return next(specifier, context)
        throw Object.assign(new Error(`Cannot find package '${specifier}'`), { code: 'ERR_MODULE_NOT_FOUND' })
      },
    })
    const models = createModels({ settings, environment: { GOOGLE_API_KEY: 'key' } })
    const failure = await models.resolve('google/gemini-3-pro', undefined).catch((error: unknown) => error)
    hooks.deregister()
    expect(failure).toMatchObject({ code: 'model_not_configured' })
    expect(String(failure)).toContain('npm install @ai-sdk/google')
  })

  it('heed an abort', async () => {
    const models = createModels({ settings, environment: {} })
    await expect(models.resolve('test/echo', undefined, AbortSignal.abort('gone'))).rejects.toBe('gone')
  })
})
