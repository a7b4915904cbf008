import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { expect, it } from 'vitest'
import { createRuntime, type Tool } from '../index.ts'
import { streamOf, toModelUsage } from '../models/model-answer.ts'
import type { ModelProvider } from '../ports/model.ts'
import { createScriptedModel, type ScriptedResponse } from '../testing/scripted-model.ts'
import { createModelRecorder, createModelReplay, type ModelRecording } from './index.ts'

const key = 'sk-live-0123456789abcdef01234567'
const secrets = ['tops3cret-value']
const look: Tool = {
  id: 'look',
  description: 'Looks.',
  inputSchema: { type: 'object' },
  effects: 'read',
  idempotent: true,
  returnsUntrustedContent: false,
  execute: async () => 'a cat',
}

async function runWith(provider: ModelProvider, task = 'Go', tools: readonly Tool[] = [look]) {
  await using runtime = createRuntime({ models: { mine: provider }, tools, environment: {} })
  await runtime.agents.put({ id: 'a', model: 'mine/any', tools: ['look'] })
  return await runtime.run({ agent_id: 'a', task })
}

async function record(steps: readonly ScriptedResponse[], tasks: readonly string[] = ['Go']) {
  const model = createScriptedModel(steps)
  const recorder = createModelRecorder(() => model, { secrets })
  const results = []
  for (const task of tasks) results.push(await runWith(recorder.provider, task))
  // as it is written to a file and read again
  const recording = JSON.parse(JSON.stringify(recorder.recording())) as ModelRecording
  return { results, recording }
}

const steps = [
  { reasoning: 'I look.', toolCalls: [{ name: 'look' }] },
  { text: ['A ', 'cat.'], files: [{ mediaType: 'image/png', data: new Uint8Array([1, 2]) }] },
]

it('gives the same answers again, with tools and files, without the model', async () => {
  const { results, recording } = await record(steps)
  expect(recording.calls).toHaveLength(2)
  const again = await runWith(createModelReplay(recording))
  const { steps: made, output, usage, files } = again
  expect({ steps: made, output, usage }).toEqual({
    steps: [{ tool: 'look', args: {}, result: 'a cat' }],
    output: 'A cat.',
    usage: results[0]?.usage,
  })
  expect(files).toMatchObject([{ media_type: 'image/png', bytes: 2 }])
})

it('gives answers to the same request in the order of the recording, and then from the first one', async () => {
  const { recording } = await record([{ text: 'heads' }, { text: 'tails' }], ['Toss', 'Toss'])
  const replay = createModelReplay(recording)
  const outputs = []
  for (let turn = 0; turn < 3; turn += 1) outputs.push((await runWith(replay, 'Toss')).output)
  expect(outputs).toEqual(['heads', 'tails', 'heads'])
})

it('fails for a request that was not recorded, and says where it differs but not what stands there', async () => {
  const { recording } = await record(steps)
  const replay = createModelReplay(recording)
  const asked = await runWith(replay, 'Something private')
  expect(asked).toMatchObject({ success: false, code: 'model_error' })
  expect(asked.error).toMatch(/no such request for "any".*message 2 \(user\) differs/)
  expect(asked.error).not.toContain('private')
  const other = await runWith(replay, 'Go', [{ ...look, execute: async () => 'a dog' }])
  expect(other.error).toContain('message 4 (tool) differs')
  const described = await runWith(replay, 'Go', [{ ...look, description: 'Sees.' }])
  expect(described.error).toContain('"tools" differs')
})

it('fails for a model that was not recorded, and for what is no recording', async () => {
  const { recording } = await record(steps)
  const replay = createModelReplay(recording)
  expect(() => replay('other')).toThrow('no call of "other"')
  expect(() => createModelReplay({} as ModelRecording)).toThrow('must be { version: 1, calls }')
})

it('records no headers and no secrets, and answers requests that hold them', async () => {
  const task = `My key is ${key}, and the password is tops3cret-value`
  const { recording } = await record([{ text: `Your key is ${key}.` }], [task])
  const text = JSON.stringify(recording)
  for (const secret of [key, ...secrets]) expect(text).not.toContain(secret)
  expect(text).not.toContain('headers')
  const replay = createModelReplay(recording, { secrets })
  expect((await runWith(replay, task)).output).toBe('Your key is [secret].')
})

it('does not record an answer that broke off', async () => {
  const broken: LanguageModelV4StreamPart[] = [
    { type: 'text-delta', id: 't', delta: 'Half' },
    { type: 'error', error: new Error('gone') },
    { type: 'finish', usage: toModelUsage(1, 1), finishReason: { unified: 'error', raw: 'error' } },
  ]
  const scripted = createScriptedModel([])
  const model = { ...scripted, doStream: async () => ({ stream: streamOf(broken) }) }
  const recorder = createModelRecorder(() => model)
  expect(await runWith(recorder.provider)).toMatchObject({ success: false })
  expect(recorder.recording().calls).toEqual([])
})
