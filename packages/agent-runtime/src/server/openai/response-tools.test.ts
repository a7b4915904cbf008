import OpenAI from 'openai'
import { describe, expect, it, vi } from 'vitest'
import { createScriptedModel, type ScriptedResponse } from '../../testing/scripted-model.ts'
import { startPlatform } from '../testing/start-platform.ts'

const weather: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'weather',
  description: 'Tells.',
  parameters: { type: 'object', required: ['city'] },
  strict: null,
}
const looked = vi.fn(async () => 'seen')
const look = {
  id: 'look',
  description: 'Looks.',
  inputSchema: { type: 'object' },
  effects: 'read',
  returnsUntrustedContent: false,
  execute: looked,
} as const
const call = (id: string, city: string) => ({ id, name: 'weather', args: { city } })
const calls = { text: 'One moment.', toolCalls: [{ id: 'a', name: 'look', args: {} }, call('b', 'Bern')] }
const twoCalls = { toolCalls: [call('a', 'Bern'), call('b', 'Rome')] }

async function start(steps: readonly ScriptedResponse[]) {
  looked.mockClear()
  const model = createScriptedModel(steps)
  const platform = await startPlatform('over HTTP', { models: { mine: () => model }, tools: [look] })
  await platform.runtime.agents.create({ id: 'helper', model: 'mine/any' })
  const openai = new OpenAI({ apiKey: 'any', baseURL: `${platform.url}/v1`, maxRetries: 0 })
  const create = (request: Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'model'>) =>
    openai.responses.create({ model: 'helper', tools: [weather], ...request })
  const stream = (request: Omit<OpenAI.Responses.ResponseCreateParamsStreaming, 'model' | 'stream'>) =>
    openai.responses.stream({ model: 'helper', tools: [weather], ...request })
  const promptOf = (index: number) => JSON.stringify(model.calls[index]?.prompt)
  return Object.assign(platform, { openai, model, create, stream, promptOf })
}

const callsOf = ({ output }: OpenAI.Responses.Response) =>
  output.filter((item) => item.type === 'function_call')
const outputOf = ({ call_id }: { call_id: string }, output: string) => ({
  type: 'function_call_output' as const,
  call_id,
  output,
})

describe('tools of a caller of responses', () => {
  it('are called, and the run continues with their outputs; its own tools are not run again', async () => {
    await using platform = await start([calls, { text: 'Sunny.' }])
    const first = await platform.create({ input: 'Weather?', metadata: { a: 'b' } })
    expect(first).toMatchObject({
      status: 'completed',
      metadata: { a: 'b' },
      tools: [weather],
      output: [
        { type: 'message', content: [{ text: 'One moment.' }] },
        { type: 'function_call', name: 'weather', arguments: '{"city":"Bern"}', status: 'completed' },
      ],
    })
    const [asked] = callsOf(first)
    expect(asked?.call_id.length).toBeLessThanOrEqual(64)
    const next = { previous_response_id: first.id, input: [outputOf(asked!, '20 degrees')] }
    const second = await platform.create(next)
    expect(second).toMatchObject({ output_text: 'Sunny.', previous_response_id: first.id })
    expect(second.id).not.toBe(first.id)
    expect(platform.promptOf(1)).toContain('20 degrees')
    expect((await platform.create(next)).output_text).toBe('Sunny.')
    expect(looked).toHaveBeenCalledOnce()
    platform.model.assertComplete()
    expect((await platform.runtime.runs.list()).runs).toHaveLength(1)
  })

  it('read of an earlier response what it has read and answered, and not what came later', async () => {
    await using platform = await start([calls, { text: 'Sunny.' }, { text: 'Rainy.' }, { text: 'Again.' }])
    const first = await platform.create({ input: 'Weather?' })
    const [asked] = callsOf(first)
    const answered = (output: string) => ({
      previous_response_id: first.id,
      input: [outputOf(asked!, output)],
    })
    expect((await platform.create(answered('20 degrees'))).output_text).toBe('Sunny.')
    const other = await platform.create(answered('5 degrees'))
    expect(other.output_text).toBe('Rainy.')
    expect(other.id.split('.')[0]).not.toBe(first.id)
    expect(platform.promptOf(2)).toContain('5 degrees')
    expect(platform.promptOf(2)).toContain('One moment.')
    expect(platform.promptOf(2)).not.toMatch(/20 degrees|Sunny/)
    const { input } = answered('20 degrees')
    const more = {
      previous_response_id: first.id,
      input: [...input, { role: 'user' as const, content: 'And?' }],
    }
    expect((await platform.create(more)).output_text).toBe('Again.')
    expect(platform.promptOf(3)).not.toContain('Sunny')
    expect(looked).toHaveBeenCalledOnce()
  })

  it('take one output for each call', async () => {
    await using platform = await start([calls, { text: 'Sunny.' }])
    const first = await platform.create({ input: 'Weather?' })
    const [asked] = callsOf(first)
    const input = [outputOf(asked!, 'one'), outputOf(asked!, 'two')]
    await expect(platform.create({ previous_response_id: first.id, input })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('is a second output') as string,
    })
    expect((await platform.runtime.runs.waits()).waits).toHaveLength(1)
  })

  it('are called when the request has the whole history, too', async () => {
    await using platform = await start([calls, { text: 'Sunny.' }])
    const question = { role: 'user' as const, content: 'Weather?' }
    const first = await platform.create({ input: [question], store: false })
    const [asked] = callsOf(first)
    const message = first.output.filter((item) => item.type === 'message')
    const input = [question, ...message, asked!, outputOf(asked!, '20 degrees')]
    const second = await platform.create({ input, store: false })
    expect(second.output_text).toBe('Sunny.')
    expect(looked).toHaveBeenCalledOnce()
  })

  it('are called in a stream, with the arguments as deltas, and so continues the run', async () => {
    await using platform = await start([calls, { text: ['Sun', 'ny.'] }])
    const stream = platform.stream({ input: 'Weather?' })
    const events = await Array.fromAsync(stream)
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ])
    const places = events.flatMap((event) => ('output_index' in event ? [event.output_index] : []))
    expect(places).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 1, 1])
    const first = await stream.finalResponse()
    const [asked] = callsOf(first)
    expect(asked).toMatchObject({ name: 'weather', arguments: '{"city":"Bern"}' })
    const next = platform.stream({
      previous_response_id: first.id,
      input: [outputOf(asked!, '20 degrees')],
    })
    const deltas = (await Array.fromAsync(next)).flatMap((event) =>
      event.type === 'response.output_text.delta' ? [event.delta] : [],
    )
    expect(deltas).toEqual(['Sun', 'ny.'])
    expect(await platform.openai.responses.retrieve((await next.finalResponse()).id)).toMatchObject({
      output_text: 'Sunny.',
    })
  })

  it('several calls of one turn need an output each', async () => {
    await using platform = await start([twoCalls, { text: 'Both.' }])
    const first = await platform.create({ input: 'Weather?' })
    const [bern, rome] = callsOf(first)
    expect(first.output).toHaveLength(2)
    const continued = (input: OpenAI.Responses.ResponseInput | string) =>
      platform.create({ previous_response_id: first.id, input })
    const refused = [continued([outputOf(bern!, '20')]), continued('Never mind.')]
    for (const request of refused)
      await expect(request).rejects.toMatchObject({
        status: 400,
        param: 'input',
        message: expect.stringContaining(`No tool output found for function call`),
      })
    await expect(refused[0]).rejects.toThrow(rome!.call_id)
    await expect(refused[0]).rejects.not.toThrow(bern!.call_id)
    const stateless = platform.create({
      input: [{ role: 'user', content: 'x' }, bern!, outputOf(bern!, '20')],
    })
    await expect(stateless).rejects.toThrow(rome!.call_id)
    const both = [outputOf(rome!, '25'), outputOf(bern!, '20')]
    expect((await continued(both)).output_text).toBe('Both.')
    expect(platform.promptOf(1)).toMatch(/20.*25/)
  })

  it('more than once in a run, and what the user says behind the outputs is read too', async () => {
    await using platform = await start([calls, twoCalls, { text: 'Warm.' }])
    const ids: string[] = []
    let response = await platform.create({ input: 'Weather?' })
    for (const said of ['In Celsius.', undefined]) {
      ids.push(response.id)
      const input: OpenAI.Responses.ResponseInput = callsOf(response).map((each) => outputOf(each, '20'))
      if (said !== undefined) input.push({ role: 'user', content: said })
      response = await platform.create({ previous_response_id: response.id, input })
    }
    expect(response.output_text).toBe('Warm.')
    expect(new Set([...ids, response.id]).size).toBe(3)
    expect(platform.promptOf(1)).toContain('In Celsius.')
    expect(looked).toHaveBeenCalledOnce()
  })

  it('may have to be called, in the first model call only; or are not offered', async () => {
    const first = { toolCalls: [{ name: 'look', args: {} }] }
    await using platform = await start([first, { text: 'A' }, { text: 'B' }, { text: 'C' }, { text: 'D' }])
    const input = 'Weather?'
    await platform.create({ input, tool_choice: 'required' })
    await platform.create({ input, tool_choice: 'none' })
    const choice = { type: 'function', name: 'weather' } as const
    expect(await platform.create({ input, tool_choice: choice })).toMatchObject({ tool_choice: choice })
    const allowed = {
      type: 'allowed_tools' as const,
      mode: 'required' as const,
      tools: [{ type: 'function', name: 'weather' }],
    }
    const other = { ...weather, name: 'other' }
    await platform.create({ input, tools: [weather, other], tool_choice: allowed })
    const [one, two, none, named, some] = platform.model.calls
    expect([one?.toolChoice, two?.toolChoice]).toEqual([{ type: 'required' }, { type: 'auto' }])
    expect(none?.tools?.map(({ name }) => name)).not.toContain('weather')
    expect(named?.toolChoice).toEqual({ type: 'tool', toolName: 'weather' })
    expect(some?.toolChoice).toEqual({ type: 'required' })
    expect(some?.tools?.map(({ name }) => name)).not.toContain('other')
    for (const bad of [{ tools: [{ type: 'web_search' as const }] }, { tool_choice: choice, tools: [] }])
      await expect(platform.create({ input, ...bad })).rejects.toMatchObject({ status: 400 })
  })

  it('calls that this server did not make are plain history', async () => {
    await using platform = await start([{ text: 'Fine.' }])
    const made = { type: 'function_call' as const, call_id: 'call_x', name: 'weather', arguments: '{}' }
    const input = [{ role: 'user' as const, content: 'Weather?' }, made, outputOf(made, '20 degrees')]
    expect((await platform.create({ input })).output_text).toBe('Fine.')
    expect(platform.promptOf(0)).toContain('20 degrees')
    await expect(platform.create({ input: input.slice(0, 2) })).rejects.toThrow('call_x')
  })
})
