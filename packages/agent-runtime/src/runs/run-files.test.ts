import { describe, expect, it } from 'vitest'
import { createRuntime } from '../runtime/create-runtime.ts'
import type { RuntimeOptions } from '../runtime/runtime-options.ts'
import type { Tool } from '../ports/tool.ts'
import { createMockAnthropicProvider } from '../testing/providers/mock-anthropic-provider.ts'
import { createScriptedModel, type ScriptedResponse } from '../testing/scripted-model.ts'

const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1)
const picture = { name: 'a.png', media_type: 'image/png', data: png }
const sound = { name: 'a.ogg', media_type: 'audio/ogg', data: Uint8Array.of(0x4f, 0x67, 0x67, 0x53) }
const base64 = Buffer.from(png).toString('base64')

async function start(steps: readonly ScriptedResponse[], options: RuntimeOptions = {}, agent: object = {}) {
  const anthropic = createMockAnthropicProvider()
  const model = createScriptedModel(steps)
  const runtime = createRuntime({
    environment: { ANTHROPIC_API_KEY: 'key' },
    fetch: anthropic.fetch,
    models: { mine: () => model },
    retry: { attempts: 0 },
    ...options,
  })
  await runtime.agents.create({ id: 'a', model: 'mine/any', ...agent })
  return Object.assign(runtime, { model, anthropic })
}

describe('a file that a model cannot read', () => {
  it('fails the request before anything is called', async () => {
    await using runtime = await start([], {}, { model: 'anthropic/claude-sonnet-5' })
    const run = runtime.run({ agent_id: 'a', task: 'Listen', files: [sound] })
    await expect(run).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining('anthropic/claude-sonnet-5 cannot read the file "a.ogg" (audio/ogg)'),
    })
    expect(runtime.anthropic.requests).toEqual([])
    expect((await runtime.runs.list()).runs).toEqual([])
  })

  it('rules a fallback model out, and the failure of the first one is told', async () => {
    const failing: ScriptedResponse = { error: Object.assign(new Error('down'), { code: 'ECONNRESET' }) }
    await using runtime = await start([failing], {}, { fallback_models: ['anthropic/claude-sonnet-5'] })
    const result = await runtime.run({ agent_id: 'a', task: 'Listen', files: [sound] })
    expect(result).toMatchObject({ success: false, code: 'model_error' })
    expect(result.error).toContain('mine/any')
    expect(runtime.anthropic.requests).toEqual([])
  })

  it('is told in words when it belongs to an earlier run of the conversation', async () => {
    await using runtime = await start([{ text: 'Birds.' }])
    const about = { agent_id: 'a', conversation_id: 'c' }
    await runtime.run({ ...about, task: 'Listen', files: [sound, picture] })
    await runtime.agents.update('a', { model: 'anthropic/claude-sonnet-5' })
    expect(await runtime.run({ ...about, task: 'Sure?' })).toMatchObject({ success: true })
    const body = JSON.stringify(runtime.anthropic.requests[0]?.body)
    expect(body).toContain('[sound a.ogg, audio/ogg, 1 KB: this model cannot read it]')
    expect(body).toContain(base64)
  })
})

describe('budgets', () => {
  const large = { ...picture, data: new Uint8Array(5_000_000).fill(7) }

  it('count a picture as a picture, whatever its size', async () => {
    await using runtime = await start(
      [{ text: 'A cat.', usage: null }],
      {},
      { budget: { max_tokens: 20_000 } },
    )
    const result = await runtime.run({ agent_id: 'a', task: 'Look', files: [large] })
    expect(result).toMatchObject({ success: true, output: 'A cat.' })
    expect(result.usage.input_tokens).toBeGreaterThan(1500)
    expect(result.usage.input_tokens).toBeLessThan(5000)
  })

  it('are not passed by files: what does not fit is not called', async () => {
    const files = Array.from({ length: 20 }, (_, index) => ({
      ...picture,
      data: Uint8Array.of(...png, index),
    }))
    await using runtime = await start([], {}, { budget: { max_tokens: 20_000 } })
    expect(await runtime.run({ agent_id: 'a', task: 'Look', files })).toMatchObject({
      code: 'budget_exceeded',
    })
  })
})

it('A20: a file taints its run, and the later runs of its conversation', async () => {
  const pay: Tool = {
    id: 'pay',
    description: 'Pays.',
    inputSchema: { type: 'object' },
    effects: 'external',
    idempotent: false,
    returnsUntrustedContent: false,
    execute: async () => 'paid',
  }
  const call: ScriptedResponse = { toolCalls: [{ name: 'pay' }] }
  await using runtime = await start([call, call, { text: 'Paid.' }, { text: 'Seen.' }, call], {
    tools: [pay],
  })
  const withFile = { agent_id: 'a', task: 'Pay the bill', files: [picture] }
  expect(await runtime.run(withFile)).toMatchObject({ stop_reason: 'approval' })
  expect(await runtime.run({ agent_id: 'a', task: 'Pay' })).toMatchObject({ output: 'Paid.' })
  const about = { agent_id: 'a', conversation_id: 'c' }
  await runtime.run({ ...about, task: 'Look', files: [picture] })
  expect(await runtime.run({ ...about, task: 'Now pay' })).toMatchObject({ stop_reason: 'approval' })
})

it('holds no bytes in what it stores of a run besides its files', async () => {
  await using runtime = await start([{ text: 'A cat.' }])
  const { run_id: id } = await runtime.run({
    agent_id: 'a',
    task: 'Look',
    conversation_id: 'c',
    files: [picture],
  })
  const told = [
    await runtime.runs.find(id),
    await Array.fromAsync(runtime.runs.events(id, 0)),
    await runtime.logs.list({}),
    await runtime.conversations.get('c'),
  ]
  expect(JSON.stringify(told)).not.toContain(base64)
})

it('counts old files of a conversation by medium when its history is fitted', async () => {
  const steps = Array.from({ length: 4 }, () => ({ text: 'Seen.' }))
  await using runtime = await start(steps, { historyTokens: 4000, compaction: false })
  const about = { agent_id: 'a', conversation_id: 'c', task: 'Look' }
  for (const byte of [1, 2, 3]) {
    await runtime.run({ ...about, files: [{ ...picture, data: Uint8Array.of(...png, byte) }] })
  }
  await runtime.run(about)
  const files = runtime.model.calls.map(({ prompt }) =>
    prompt.flatMap(({ content }) =>
      typeof content === 'string' ? [] : content.filter(({ type }) => type === 'file'),
    ),
  )
  // two pictures of 1,500 tokens fit into 4,000, and three do not
  expect(files.map((parts) => parts.length)).toEqual([1, 2, 3, 2])
})
