import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, jsonSchema, stepCountIs, streamText, tool, type LanguageModel } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { toolOf } from '../../runs/testing/run-kit.ts'
import { createScriptedModel, type ScriptedResponse } from '../../testing/scripted-model.ts'
import { startPlatform } from '../testing/start-platform.ts'

const clients: [string, (baseURL: string) => LanguageModel][] = [
  [
    'the OpenAI-compatible provider',
    (baseURL) => createOpenAICompatible({ name: 'homeward', baseURL })('helper'),
  ],
  ['the provider of Responses', (baseURL) => createOpenAI({ apiKey: 'any', baseURL }).responses('helper')],
  ['the provider of Chat Completions', (baseURL) => createOpenAI({ apiKey: 'any', baseURL }).chat('helper')],
]

const call = (city: string) => ({ id: city, name: 'weather', args: { city } })
/** Two rounds of calls, the first of which has a call of the agent's own. */
const steps: readonly ScriptedResponse[] = [
  { text: 'One moment.', toolCalls: [{ name: 'look', args: {} }, call('Bern'), call('Rome')] },
  { toolCalls: [call('Oslo')] },
  { text: ['All', ' done.'] },
]

async function start() {
  const looked = vi.fn(() => 'seen')
  const model = createScriptedModel(steps)
  const platform = await startPlatform('over HTTP', {
    models: { mine: () => model },
    tools: [toolOf('look', looked)],
  })
  await platform.runtime.agents.create({ id: 'helper', model: 'mine/any' })
  const weather = vi.fn(async ({ city }: { city: string }) => `${city}: 20`)
  const inputSchema = jsonSchema<{ city: string }>({
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
  })
  const tools = { weather: tool({ description: 'Tells.', inputSchema, execute: weather }) }
  const request = { prompt: 'Weather?', tools, stopWhen: stepCountIs(5), maxRetries: 0 }
  return Object.assign(platform, { model, looked, weather, request, baseURL: `${platform.url}/v1` })
}

describe.each(clients)('%s of the AI SDK with tools of its own', (_name, toModel) => {
  const check = async ({ model, looked, weather, runtime }: Awaited<ReturnType<typeof start>>) => {
    expect(weather.mock.calls.map(([{ city }]) => city)).toEqual(['Bern', 'Rome', 'Oslo'])
    expect(looked).toHaveBeenCalledOnce()
    expect(JSON.stringify(model.calls[1]?.prompt)).toMatch(/Bern: 20.*Rome: 20/)
    model.assertComplete()
    // one run did it all
    expect((await runtime.runs.list()).runs).toMatchObject([{ status: 'completed' }])
  }

  it('runs them, and the agent continues', async () => {
    await using platform = await start()
    const result = await generateText({ model: toModel(platform.baseURL), ...platform.request })
    expect(result.text).toBe('All done.')
    expect(result.steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'tool-calls', 'stop'])
    await check(platform)
  })

  it('runs them in a stream, and the agent continues', async () => {
    await using platform = await start()
    const result = streamText({ model: toModel(platform.baseURL), ...platform.request })
    expect(await Array.fromAsync(result.textStream)).toEqual(['One moment.', 'All', ' done.'])
    await check(platform)
  })
})
