import { APICallError } from '@ai-sdk/provider'
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { createScriptedModel } from '../../testing/scripted-model.ts'
import { createTestStore } from '../../testing/create-test-store.ts'
import { agentOf, createKit, modelsOf, toolOf } from '../testing/run-kit.ts'

const settingNames = [
  'temperature',
  'topP',
  'topK',
  'seed',
  'stopSequences',
  'reasoning',
  'providerOptions',
] as const

/** What a call said about settings. */
const settingsOf = (call: LanguageModelV4CallOptions | undefined) =>
  Object.fromEntries(settingNames.flatMap((name) => (call && name in call ? [[name, call[name]]] : [])))

const refused = new APICallError({
  message: 'temperature is not supported',
  url: 'https://models.test',
  requestBodyValues: {},
  statusCode: 400,
})

describe('settings of models', () => {
  it('sends nothing that nobody gave', async () => {
    const kit = createKit({ steps: [{ text: 'Done.' }] })
    await kit.run()
    expect(settingsOf(kit.model.calls[0])).toEqual({})
  })

  it('sends what the agent has, overridden by the request one by one', async () => {
    const model_settings = {
      temperature: 0.2,
      top_p: 0.9,
      top_k: 5,
      seed: 7,
      stop: ['END'],
      provider_options: { scripted: { a: 1, b: 2 } },
    }
    const kit = createKit({
      agents: [agentOf({ model_settings })],
      steps: [{ text: 'One.' }, { text: 'Two.' }],
    })
    await kit.run()
    await kit.run('Again', {
      model_settings: {
        temperature: 0,
        reasoning: 'high',
        stop: [],
        provider_options: { scripted: { b: 3 } },
      },
    })
    expect(settingsOf(kit.model.calls[0])).toEqual({
      temperature: 0.2,
      topP: 0.9,
      topK: 5,
      seed: 7,
      stopSequences: ['END'],
      providerOptions: { scripted: { a: 1, b: 2 } },
    })
    expect(settingsOf(kit.model.calls[1])).toEqual({
      temperature: 0,
      topP: 0.9,
      topK: 5,
      seed: 7,
      reasoning: 'high',
      providerOptions: { scripted: { b: 3 } },
    })
  })

  it('gives a fallback its own settings, over those of the main model if the provider is the same', async () => {
    const failing = () => createScriptedModel([{ error: refused }])
    const models = {
      'scripted/main': failing(),
      'other/one': failing(),
      'other/two': failing(),
      'scripted/second': createScriptedModel([{ toolCalls: [{ name: 'note' }] }, { text: 'Done.' }]),
    }
    const kit = createKit({
      agents: [
        agentOf({
          model_settings: { temperature: 1, seed: 7 },
          fallback_models: [
            'other/one',
            { model: 'other/two', model_settings: { top_k: 3 } },
            { model: 'scripted/second', model_settings: { temperature: 0 } },
          ],
        }),
      ],
      models: modelsOf(models),
      tools: [toolOf('note', () => 'noted')],
    })
    expect(await kit.run()).toMatchObject({ success: true, model: 'scripted/second' })
    expect(settingsOf(models['scripted/main'].calls[0])).toEqual({ temperature: 1, seed: 7 })
    expect(settingsOf(models['other/one'].calls[0])).toEqual({})
    expect(settingsOf(models['other/two'].calls[0])).toEqual({ topK: 3 })
    for (const call of models['scripted/second'].calls)
      expect(settingsOf(call)).toEqual({ temperature: 0, seed: 7 })
  })

  it('keeps the settings for the last call after max_turns', async () => {
    const kit = createKit({
      agents: [agentOf({ model_settings: { temperature: 0 } })],
      tools: [toolOf('note', () => 'noted')],
      steps: [{ toolCalls: [{ name: 'note' }] }, { text: 'Summed up.' }],
    })
    await kit.run('Do it', { limits: { max_turns: 1 } })
    expect(kit.model.calls.map(settingsOf)).toEqual([{ temperature: 0 }, { temperature: 0 }])
  })

  it('sums a conversation up with the options of the provider only', async () => {
    const model_settings = {
      temperature: 1,
      stop: ['END'],
      reasoning: 'high' as const,
      provider_options: { scripted: { region: 'eu' } },
    }
    const long = 'word '.repeat(400)
    const kit = createKit({
      historyTokens: 1000,
      agents: [agentOf({ model_settings })],
      steps: [
        ...Array.from({ length: 3 }, () => ({ text: long })),
        { text: 'A summary.' },
        { text: 'Done.' },
      ],
    })
    for (let turn = 0; turn < 4; turn += 1) await kit.run(long, { conversation_id: 'c' })
    const sides = kit.model.calls.filter((call) => !('temperature' in call)).map(settingsOf)
    expect(sides.length).toBeGreaterThan(0)
    for (const side of sides) expect(side).toEqual({ providerOptions: { scripted: { region: 'eu' } } })
  })

  it('resumes a run with the settings that it was started with', async () => {
    const store = createTestStore()
    const tools = [toolOf('pay', () => 'paid')]
    const before = createKit({
      store,
      tools,
      agents: [agentOf({ approval_tools: ['pay'], model_settings: { seed: 7, top_k: 2 } })],
      steps: [{ toolCalls: [{ name: 'pay' }] }],
    })
    const { run_id, approvals = [] } = await before.run('Pay', { model_settings: { temperature: 0.3 } })
    await before.runs.close()
    const after = createKit({
      store,
      tools,
      agents: [agentOf({ approval_tools: ['pay'], model_settings: { seed: 8 } })],
      steps: [{ text: 'Paid.' }],
    })
    await after.runs.decideApproval(run_id, approvals[0]?.id ?? '', { decision: 'approve' })
    const { result } = await after.runs.attach(run_id)
    expect(await result).toMatchObject({ success: true, output: 'Paid.' })
    expect(after.model.calls.map(settingsOf)).toEqual([{ seed: 7, topK: 2, temperature: 0.3 }])
  })

  it('resumes with the settings of the agent if its model is of another provider by now', async () => {
    const store = createTestStore()
    const tools = [toolOf('pay', () => 'paid')]
    const before = createKit({
      store,
      tools,
      agents: [agentOf({ approval_tools: ['pay'], model_settings: { temperature: 1 } })],
      steps: [{ toolCalls: [{ name: 'pay' }] }],
    })
    const { run_id, approvals = [] } = await before.run('Pay')
    await before.runs.close()
    const other = createScriptedModel([{ text: 'Paid.' }])
    const after = createKit({
      store,
      tools,
      models: modelsOf({ 'other/model': other }),
      agents: [agentOf({ model: 'other/model', approval_tools: ['pay'], model_settings: { seed: 8 } })],
    })
    await after.runs.decideApproval(run_id, approvals[0]?.id ?? '', { decision: 'approve' })
    await (
      await after.runs.attach(run_id)
    ).result
    expect(other.calls.map(settingsOf)).toEqual([{ seed: 8 }])
  })
})
