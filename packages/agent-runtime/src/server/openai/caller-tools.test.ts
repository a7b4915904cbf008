import OpenAI from 'openai'
import { describe, expect, it, vi } from 'vitest'
import { createScriptedModel, type ScriptedResponse } from '../../testing/scripted-model.ts'
import { startPlatform } from '../testing/start-platform.ts'

const tools = [
  {
    type: 'function' as const,
    function: { name: 'weather', description: 'Tells.', parameters: { type: 'object', required: ['city'] } },
  },
]
const looked = vi.fn(async () => 'seen')
const look = {
  id: 'look',
  description: 'Looks.',
  inputSchema: { type: 'object' },
  effects: 'read',
  returnsUntrustedContent: false,
  execute: looked,
} as const
const calls = {
  text: 'One moment.',
  toolCalls: [
    { id: 'a', name: 'look', args: {} },
    { id: 'b', name: 'weather', args: { city: 'Bern' } },
  ],
}
const question = { role: 'user' as const, content: 'Weather?' }

async function start(steps: readonly ScriptedResponse[]) {
  looked.mockClear()
  const model = createScriptedModel(steps)
  const platform = await startPlatform('over HTTP', { models: { mine: () => model }, tools: [look] })
  await platform.runtime.agents.create({ id: 'helper', model: 'mine/any' })
  const openai = new OpenAI({ apiKey: 'any', baseURL: `${platform.url}/v1`, maxRetries: 0 })
  return Object.assign(platform, { openai, model })
}

describe('tools of a caller of chat completions', () => {
  it('are called, and the run continues with their results; its own tools are not run again', async () => {
    await using platform = await start([calls, { text: 'Sunny.' }])
    const create = (messages: OpenAI.ChatCompletionMessageParam[]) =>
      platform.openai.chat.completions.create({ model: 'helper', messages, tools })
    const first = await create([question])
    const [choice] = first.choices
    expect(choice).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: 'One moment.',
        tool_calls: [{ type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } }],
      },
    })
    const [call] = choice?.message.tool_calls ?? []
    const result = { role: 'tool' as const, tool_call_id: call?.id ?? '', content: '20 degrees' }
    const messages = [question, choice!.message, result]
    const second = await create(messages)
    expect(second.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'Sunny.' } })
    expect(second.id).toBe(first.id)
    expect((await create(messages)).choices[0]?.message.content).toBe('Sunny.')
    expect(looked).toHaveBeenCalledOnce()
    platform.model.assertComplete()
  })

  it('are called in a stream, with the arguments as deltas', async () => {
    await using platform = await start([calls])
    const stream = platform.openai.chat.completions.stream({ model: 'helper', messages: [question], tools })
    const { choices } = await stream.finalChatCompletion()
    expect(choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: 'One moment.',
        tool_calls: [{ function: { name: 'weather', arguments: '{"city":"Bern"}' } }],
      },
    })
  })

  it('may have to be called, in the first model call only; or are not offered', async () => {
    const weather = { toolCalls: [{ name: 'look', args: {} }] }
    await using platform = await start([weather, { text: 'Done.' }, { text: 'No.' }])
    const create = (tool_choice: OpenAI.ChatCompletionToolChoiceOption) =>
      platform.openai.chat.completions.create({ model: 'helper', messages: [question], tools, tool_choice })
    await create('required')
    await create('none')
    const [first, second, third] = platform.model.calls
    expect([first?.toolChoice, second?.toolChoice]).toEqual([{ type: 'required' }, { type: 'auto' }])
    expect(third?.tools?.map(({ name }) => name)).not.toContain('weather')
  })

  it('several calls of one turn need a message each; what the user says behind them is read too', async () => {
    const weather = (id: string, city: string) => ({ id, name: 'weather', args: { city } })
    const twoCalls = { toolCalls: [weather('a', 'Bern'), weather('b', 'Rome')] }
    await using platform = await start([twoCalls, { text: 'Both.' }])
    const create = (messages: OpenAI.ChatCompletionMessageParam[]) =>
      platform.openai.chat.completions.create({ model: 'helper', messages, tools })
    const [choice] = (await create([question])).choices
    const results = choice!.message.tool_calls!.map(({ id }) => ({
      role: 'tool' as const,
      tool_call_id: id,
      content: '20',
    }))
    const asked = [question, choice!.message]
    await expect(create([...asked, results[0]!])).rejects.toMatchObject({
      status: 400,
      param: 'messages',
      message: expect.stringContaining(results[1]!.tool_call_id),
    })
    const more = { role: 'user' as const, content: 'In Celsius.' }
    const last = await create([...asked, ...results, more])
    expect(last.choices[0]?.message.content).toBe('Both.')
    expect(JSON.stringify(platform.model.calls[1]?.prompt)).toContain('In Celsius.')
    expect((await platform.runtime.runs.list()).runs).toHaveLength(1)
  })

  it('calls that this server did not make are plain history', async () => {
    await using platform = await start([{ text: 'Fine.' }])
    const call = { id: 'call_x', type: 'function' as const, function: { name: 'weather', arguments: '{}' } }
    const completion = await platform.openai.chat.completions.create({
      model: 'helper',
      messages: [
        question,
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_x', content: '20 degrees' },
      ],
    })
    expect(completion.choices[0]?.message.content).toBe('Fine.')
    expect(JSON.stringify(platform.model.calls[0]?.prompt)).toContain('20 degrees')
  })
})
