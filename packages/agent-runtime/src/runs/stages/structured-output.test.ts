import { describe, expect, it } from 'vitest'
import type { JsonObject } from '@homeward/contract/agent-platform'
import { createRuntime } from '../../runtime/create-runtime.ts'
import type { ScriptedResponse } from '../../testing/scripted-model.ts'
import { createTestStore } from '../../testing/create-test-store.ts'
import { agentOf, createKit, firstOf, namesOf, toolOf, type KitOptions } from '../testing/run-kit.ts'

const schema: JsonObject = {
  type: 'object',
  properties: { city: { type: 'string' }, degrees: { type: 'number' } },
  required: ['city', 'degrees'],
  additionalProperties: false,
}
const valid = '{"city":"Vienna","degrees":21}'
const data = { city: 'Vienna', degrees: 21 }
const answers = (...texts: string[]): ScriptedResponse[] => texts.map((text) => ({ text }))

const kitOf = (steps: readonly ScriptedResponse[], options: KitOptions = {}) =>
  createKit({ agents: [agentOf({ output_schema: schema })], steps, ...options })

describe('structured output', () => {
  it('returns data that matches the schema, and its JSON text', async () => {
    const kit = kitOf(answers(' {"city": "Vienna",\n "degrees": 21}'))
    const result = await kit.run()
    expect(result).toMatchObject({ success: true, data, output: valid, stop_reason: 'done', turns: 1 })
    const { done } = firstOf(await kit.events(result.run_id))
    expect(done).toMatchObject({ data, finalContent: valid, output: valid })
    expect((await kit.runs.find(result.run_id))?.result).toMatchObject({ data, output: valid })
  })

  it('gives the schema of the request precedence over that of the agent', async () => {
    const kit = kitOf(answers('[1,2]', valid))
    const output_schema = { type: 'array', items: { type: 'integer' } }
    expect(await kit.run('List', { output_schema })).toMatchObject({ data: [1, 2], output: '[1,2]' })
    expect(await kit.run()).toMatchObject({ data })
  })

  it('has no data without a schema', async () => {
    const result = await createKit({ steps: answers(valid) }).run()
    expect(result.output).toBe(valid)
    expect(result).not.toHaveProperty('data')
  })

  it('keeps the tools, and says the schema to a model that its provider cannot hold to it', async () => {
    const kit = kitOf([{ toolCalls: [{ name: 'look' }] }, { text: valid }], {
      tools: [toolOf('look', () => 21)],
    })
    expect(await kit.run()).toMatchObject({ success: true, data, tool_calls: 1 })
    for (const call of kit.model.calls) {
      expect(call.tools?.map((tool) => tool.name)).toEqual(['look'])
      expect(call).not.toHaveProperty('responseFormat')
      expect(JSON.stringify(call.prompt[0])).toContain('json_schema')
    }
  })

  it('ignores text around the JSON', async () => {
    const kit = kitOf(answers(`Sure!\n\`\`\`json\n${valid}\n\`\`\``))
    expect(await kit.run()).toMatchObject({ data, output: valid })
  })

  it('tells the model what is wrong, and lets it correct its output twice', async () => {
    const kit = kitOf(answers('It is warm.', '{"city":"Vienna","degrees":"21"}', valid))
    const result = await kit.run()
    expect(result).toMatchObject({ success: true, data, stop_reason: 'done', turns: 1 })
    const [, second, third] = kit.model.calls.map(({ prompt }) => JSON.stringify(prompt.at(-1)))
    expect(second).toContain('the output is not valid JSON')
    expect(third).toContain('/degrees must be number')
    const events = await kit.events(result.run_id)
    expect(namesOf(events).filter((name) => name === 'retry')).toHaveLength(2)
    expect(firstOf(events).retry).toEqual({
      model: 'scripted/main',
      reason: 'the output does not match output_schema',
      in_ms: 0,
    })
  })

  it('fails with output_invalid after two corrections, and returns the last text', async () => {
    const kit = kitOf(answers('No.', 'No!', '{"city":7}'))
    const result = await kit.run()
    expect(result).toMatchObject({
      success: false,
      code: 'output_invalid',
      output: '{"city":7}',
      stop_reason: 'error',
      error: expect.stringMatching(/^Checking the output failed: .*degrees/),
    })
    expect(result).not.toHaveProperty('data')
    expect(result).not.toHaveProperty('retryable')
    expect((await kit.runs.find(result.run_id))?.status).toBe('failed')
    kit.model.assertComplete()
  })

  it('leaves corrected outputs and corrections out of the conversation', async () => {
    const kit = kitOf(answers('No.', valid, valid))
    await kit.run('How warm is it?', { conversation_id: 'c' })
    await kit.run('And now?', { conversation_id: 'c' })
    const texts = kit.model.calls.at(-1)?.prompt.map(({ role, content }) => [role, JSON.stringify(content)])
    expect(texts?.map(([role]) => role)).toEqual(['system', 'user', 'assistant', 'user'])
    expect(JSON.stringify(texts)).not.toContain('does not match')
  })

  it('requires the last call after max_turns to match too, with corrections', async () => {
    const call = { toolCalls: [{ name: 'look' }] }
    const kit = kitOf([call, { text: 'Stopped.' }, { text: valid }], { tools: [toolOf('look', () => 21)] })
    const result = await kit.run('Do it', { limits: { max_turns: 1 } })
    expect(result).toMatchObject({ success: true, data, stop_reason: 'max_turns', turns: 1 })
    expect(kit.model.calls.map(({ tools = [] }) => tools.length)).toEqual([1, 0, 0])
    kit.model.assertComplete()
  })

  it('fails after max_turns with that as the reason', async () => {
    const call = { toolCalls: [{ name: 'look' }] }
    const kit = kitOf([call, ...answers('a', 'b', 'c')], { tools: [toolOf('look', () => 21)] })
    expect(await kit.run('Do it', { limits: { max_turns: 1 } })).toMatchObject({
      success: false,
      code: 'output_invalid',
      stop_reason: 'max_turns',
      output: 'c',
    })
  })

  it('allows corrections of the last turn, without tools and without further turns', async () => {
    const kit = kitOf([{ text: 'No.' }, { text: valid, toolCalls: [{ name: 'look' }] }], {
      tools: [toolOf('look', () => 21)],
    })
    const result = await kit.run('Do it', { limits: { max_turns: 1 } })
    expect(result).toMatchObject({ success: true, data, stop_reason: 'done', turns: 1, tool_calls: 0 })
  })

  it('lets the model call tools while it corrects its output', async () => {
    const kit = kitOf([{ text: 'No.' }, { toolCalls: [{ name: 'look' }] }, { text: valid }], {
      tools: [toolOf('look', () => 21)],
    })
    expect(await kit.run()).toMatchObject({ success: true, data, tool_calls: 1 })
  })

  it('fails if the token limit of the run has cut the output off', async () => {
    const usage = { input: 1, output: 10 }
    const kit = kitOf([{ text: '{"city":"Vie', finish: 'length', usage }])
    expect(await kit.run('Do it', { limits: { max_tokens: 10 } })).toMatchObject({
      success: false,
      code: 'output_invalid',
      stop_reason: 'max_tokens',
      error: expect.stringContaining('because it was cut off'),
    })
  })

  it('asks for a shorter output if the model has cut it off', async () => {
    const kit = kitOf([{ text: '{"city":"Vie', finish: 'length' }, { text: valid }])
    expect(await kit.run()).toMatchObject({ success: true, data, stop_reason: 'done' })
    expect(JSON.stringify(kit.model.calls[1]?.prompt.at(-1))).toContain('Be shorter')
  })

  it.each([
    ['that is recursive', { type: 'object', properties: { next: { $ref: '#' } } }, '{"next":{"next":{}}}'],
    ['with keywords that nobody knows', { type: 'object', 'x-note': 1, unheard: { of: [] } }, '{}'],
    ['with a broken type', { type: 'strin' }, '"x"'],
    ['of a single null', { const: null }, 'null'],
    ['with a broken reference', { $ref: '#/nowhere' }, '1'],
    ['with thousands of branches', { anyOf: Array.from({ length: 3000 }, (_, n) => ({ const: n })) }, '2999'],
  ])('accepts a schema %s', async (_, output_schema, text) => {
    const kit = createKit({ steps: answers(text) })
    expect(await kit.run('Do it', { output_schema })).toMatchObject({ success: true, data: JSON.parse(text) })
  })

  it('rejects a schema that nests too deeply for any store', async () => {
    let deep: JsonObject = {}
    for (let level = 0; level < 5000; level += 1) deep = { not: deep }
    await using runtime = createRuntime({ environment: {} })
    await runtime.agents.create({ id: 'a', model: 'test/echo' })
    const run = runtime.run({ agent_id: 'a', task: '1', output_schema: deep })
    await expect(run).rejects.toMatchObject({ code: 'validation_error' })
  })

  it('warns of rules that cannot be checked', async () => {
    const kit = createKit({ steps: answers('"x"') })
    const { warnings } = await kit.run('Do it', { output_schema: { type: 'strin' } })
    expect(warnings).toEqual([expect.stringMatching(/^"output_schema" could only be checked in part/)])
  })

  it('checks a pattern that never ends once and within its time, and fails', async () => {
    const output_schema = { properties: { a: { pattern: '^(a+)+$' } } }
    const kit = createKit({ steps: answers(JSON.stringify({ a: `${'a'.repeat(40)}!` })) })
    expect(await kit.run('Do it', { output_schema })).toMatchObject({
      code: 'output_invalid',
      error: expect.stringContaining('could not be checked within'),
    })
  }, 20_000)

  it('resumes with the corrections that were made before', async () => {
    const store = createTestStore()
    const tools = [toolOf('pay', () => 'paid')]
    const agents = [agentOf({ output_schema: schema, approval_tools: ['pay'] })]
    const before = createKit({
      store,
      tools,
      agents,
      steps: [...answers('No.', 'No!'), { toolCalls: [{ name: 'pay' }] }],
    })
    const { run_id, approvals = [] } = await before.run()
    await before.runs.close()
    const after = createKit({ store, tools, agents: [agentOf()], steps: answers('Never.') })
    await after.runs.decideApproval(run_id, approvals[0]?.id ?? '', { decision: 'approve' })
    expect(await (await after.runs.attach(run_id)).result).toMatchObject({
      code: 'output_invalid',
      output: 'Never.',
    })
    after.model.assertComplete()
  })
})
