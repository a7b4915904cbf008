import { readFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createScriptedModel } from '../testing/scripted-model.ts'
import { startPlatform, ways } from './testing/start-platform.ts'

const options = { scripted: { mode: null, deep: { list: [null] } } }

describe.each(ways)('settings of models %s', (way) => {
  it('are created, merged one by one, and cleared', async () => {
    await using platform = await startPlatform(way)
    const { send } = platform
    const model_settings = { temperature: 0.5, stop: ['\n'], provider_options: options }
    const fallback_models = ['test/echo', { model: 'test/tools', model_settings: { seed: 1 } }]
    const body = { id: 'a', model: 'test/echo', model_settings, fallback_models }
    const { agent } = (await send('POST', '/api/agents', { body })).body
    expect(agent).toMatchObject({ model_settings, fallback_models })
    const put = async (change: object) => (await send('PUT', '/api/agents/a', { body: change })).body.agent
    expect((await put({ model_settings: { temperature: null, seed: 3 } })).model_settings).toEqual({
      stop: ['\n'],
      provider_options: options,
      seed: 3,
    })
    const cleared = await put({ model_settings: null, fallback_models: null })
    expect(cleared).not.toHaveProperty('model_settings')
    expect(cleared).not.toHaveProperty('fallback_models')
  })

  it('answers 400 to wrong ones, and names the field but no value', async () => {
    await using platform = await startPlatform(way)
    const { send } = platform
    await send('POST', '/api/agents', { body: { id: 'a', model: 'test/echo' } })
    const wrong = { provider_options: { openai: { nested: { Authorization: 'Bearer secret-1' } } } }
    for (const [path, fields] of [
      ['/api/agents', { model: 'test/echo' }],
      ['/api/agents/run', { agent_id: 'a', task: 'x' }],
      ['/api/agents/run/stream', { agent_id: 'a', task: 'x' }],
      ['/api/tasks', { agent_id: 'a', task: 'x' }],
    ] as const) {
      const answer = await send('POST', path, { body: { ...fields, model_settings: wrong } })
      expect([path, answer.status, answer.body.code]).toEqual([path, 400, 'validation_error'])
      expect(answer.body.message).toContain('model_settings.provider_options.openai.nested.Authorization')
      expect(answer.text).not.toContain('secret-1')
    }
  })

  it('reach the model from runs, streams, chats and tasks', async () => {
    const model = createScriptedModel(Array.from({ length: 4 }, () => ({ text: 'Done.' })))
    await using platform = await startPlatform(way, { models: { mine: () => model } })
    const { send, runtime } = platform
    const agent = { id: 'a', model: 'mine/m', model_settings: { temperature: 0.1, seed: 7 } }
    await send('POST', '/api/agents', { body: agent })
    const model_settings = { temperature: 0.9 }
    const request = { agent_id: 'a', task: 'x', model_settings }
    await send('POST', '/api/agents/run', { body: request })
    await send('POST', '/api/agents/run/stream', { body: request })
    const messages = [{ role: 'user', parts: [{ type: 'text', text: 'x' }] }]
    await send('POST', '/api/agents/run/stream?format=ui', {
      body: { agent_id: 'a', messages, model_settings },
    })
    const { task } = (await send('POST', '/api/tasks', { body: request })).body
    const stop = new AbortController()
    for await (const event of runtime.logs.follow({ since: 0 }, stop.signal)) {
      if ('type' in event && event.type === 'task.completed') break
    }
    stop.abort()
    expect((await send('GET', `/api/tasks/${task.id}`)).body.task.status).toBe('completed')
    expect(model.calls).toHaveLength(4)
    for (const call of model.calls) expect(call).toMatchObject({ temperature: 0.9, seed: 7 })
  })
})

it('are read from an agent file, and stay in it as they were written', async () => {
  const home = await mkdtemp(join(tmpdir(), 'homeward-settings-'))
  try {
    const model = createScriptedModel([{ text: 'Done.' }])
    const agentsFolder = join(home, 'agents')
    await using platform = await startPlatform('in process', { home, models: { mine: () => model } })
    await platform.runtime.settings.update({ agents_dir: agentsFolder })
    const body = { id: 'a', model: 'mine/m', model_settings: { top_k: 3, provider_options: options } }
    await platform.send('POST', '/api/agents', { body })
    const path = join(agentsFolder, 'a.json')
    const written = JSON.parse(await readFile(path, 'utf8'))
    expect(written.model_settings).toEqual(body.model_settings)
    await writeFile(path, JSON.stringify({ ...written, model_settings: { top_k: 4 } }))
    await platform.send('POST', '/api/agents/run', { body: { agent_id: 'a', task: 'x' } })
    expect(model.calls[0]).toMatchObject({ topK: 4 })
  } finally {
    await rm(home, { recursive: true })
  }
})
