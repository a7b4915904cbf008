import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { AgentInput, AgentPatch, ModelSettings, RunRequest, TaskRequest } from './index.ts'

const problemsOf = (provider_options: unknown) =>
  z.safeParse(ModelSettings, { provider_options }).error?.issues.map(({ path, message }) => ({
    path: path.join('.'),
    message,
  })) ?? []

describe('settings of models', () => {
  it('accepts every setting, in agents, patches, run requests and tasks', () => {
    const model_settings = {
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      seed: -7,
      stop: ['\n\n', 'END'],
      reasoning: 'xhigh',
      provider_options: { openai: { serviceTier: 'flex', nested: { list: [null, 1] } } },
    }
    const input = z.parse(AgentInput, { model: 'm', model_settings })
    expect(input.model_settings).toEqual(model_settings)
    expect(z.parse(AgentPatch, { model_settings: null })).toEqual({ model_settings: null })
    const request = { agent_id: 'a', task: 'x', model_settings }
    expect(z.parse(RunRequest, request).model_settings).toEqual(model_settings)
    expect(z.parse(TaskRequest, request).model_settings).toEqual(model_settings)
  })

  it.each([
    { temperature: 'hot' },
    { temperature: -0.1 },
    { temperature: 2.1 },
    { top_p: 1.5 },
    { top_k: 0 },
    { seed: 1.5 },
    { stop: 'END' },
    { stop: [''] },
    { stop: ['\uD83D'] },
    { stop: Array.from({ length: 17 }, () => 'x') },
    { reasoning: 'max' },
    { provider_options: { openai: 'fast' } },
    { provider_options: [] },
  ])('rejects %j', (settings) => {
    expect(z.safeParse(ModelSettings, settings).success).toBe(false)
  })

  it('rejects settings for the task of a graph', () => {
    const task = { graph_id: 'g', task: 'x', model_settings: { seed: 1 } }
    expect(z.safeParse(TaskRequest, task).error?.issues[0]?.message).toContain('leave model_settings out')
  })

  it.each([
    'headers',
    'extraHeaders',
    'apiKey',
    'api_key',
    'x-api-key',
    'baseURL',
    'authorization',
    'authToken',
    'Cookie',
  ])('rejects the provider option %s at any depth', (name) => {
    expect(problemsOf({ openai: { [name]: 'x' } })).toMatchObject([
      { path: `provider_options.openai.${name}` },
    ])
    expect(problemsOf({ openai: { deep: [{ [name]: {} }] } })).toMatchObject([
      {
        path: `provider_options.openai.deep.0.${name}`,
        message: expect.stringContaining('must be omitted'),
      },
    ])
  })

  it('rejects parts of the request, which a compatible server would take', () => {
    expect(problemsOf({ openrouter: { model: 'other/model' } })).toHaveLength(1)
    expect(problemsOf({ anthropic: { mcpServers: [{ url: 'https://mcp.example' }] } })).toHaveLength(1)
    expect(problemsOf({ openrouter: { plugins: [{ model: 'x' }], user: 'u' } })).toEqual([])
  })

  it('never repeats a value', () => {
    expect(JSON.stringify(problemsOf({ openai: { apiKey: 'sk-secret' } }))).not.toContain('sk-secret')
  })

  it('allows 16 KiB of options and no more, counted in bytes', () => {
    const frame = JSON.stringify({ p: { x: '' } }).length
    expect(problemsOf({ p: { x: 'a'.repeat(16_384 - frame) } })).toEqual([])
    expect(problemsOf({ p: { x: 'a'.repeat(16_385 - frame) } })).toHaveLength(1)
    expect(problemsOf({ p: { x: 'é'.repeat(8193) } })).toHaveLength(1)
  })

  it('rejects options that nest too deeply', () => {
    let deep: object = {}
    for (let level = 0; level < 5000; level += 1) deep = { a: deep }
    expect(problemsOf({ openai: deep })).toEqual([
      { path: 'provider_options', message: 'must nest at most 100 levels' },
    ])
  })

  it('accepts fallback models with and without settings, at most five', () => {
    const fallback_models = ['b/m', { model: 'c/m', model_settings: { temperature: 0 } }, { model: 'd/m' }]
    expect(z.parse(AgentInput, { model: 'm', fallback_models }).fallback_models).toEqual(fallback_models)
    for (const wrong of [
      [{ model: '' }],
      [{ model_settings: {} }],
      [7],
      Array.from({ length: 6 }, () => 'b/m'),
    ]) {
      expect(z.safeParse(AgentInput, { model: 'm', fallback_models: wrong }).success).toBe(false)
    }
  })
})
