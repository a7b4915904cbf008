import { describe, expect, it } from 'vitest'
import { agentOf, createKit, firstOf, namesOf, toolOf } from '../runs/testing/run-kit.ts'
import { createModels } from './create-models.ts'
import type { Tool } from '../ports/tool.ts'

const models = createModels({ settings: { read: async () => ({}) }, environment: {} })
const kitOf = (model: string, tools: readonly Tool[] = [], limits = {}) =>
  createKit({ agents: [agentOf({ model, limits })], models, tools })

describe('A21: the built-in models', () => {
  it('A21: test/echo answers with the task, word by word when streamed', async () => {
    const kit = kitOf('test/echo')
    const result = await kit.run('Say it again, Sam')
    expect(result).toMatchObject({ success: true, output: 'Say it again, Sam', model: 'test/echo' })
    expect(result.usage.output_tokens).toBe(5)
    expect(namesOf(await kit.events(result.run_id)).filter((name) => name === 'assistant')).toHaveLength(4)
  })

  it('A21: test/echo stops at the token limit', async () => {
    const result = await kitOf('test/echo', [], { max_tokens: 2 }).run('0123456789')
    expect(result).toMatchObject({ success: true, output: '01234567', stop_reason: 'max_tokens' })
  })

  it.each([
    ['record for 2512292042121000001', {}],
    ['record {"id":2512292042121000001}', {}],
    ['record for 2512292042121000001', { type: 'integer' }],
  ])('test/tools keeps the digits of a long integer: %s, %j', async (task, id) => {
    const seen: unknown[] = []
    const inputSchema = { type: 'object', properties: { id }, required: ['id'] } as const
    const kit = kitOf('test/tools', [toolOf('record', (args) => void seen.push(args['id']), { inputSchema })])
    const { steps } = await kit.run(task)
    const isRefused = 'type' in id
    expect(seen).toEqual(isRefused ? [] : ['2512292042121000001'])
    expect(JSON.stringify(steps)).toContain(
      isRefused ? 'Pass such a number as a string' : '2512292042121000001',
    )
  })

  it("A21: test/tools answers from the tool that fits the task, a skill's before a built-in one", async () => {
    const weather = toolOf('weather_now', ({ city }) => `Sunny in ${JSON.stringify(city)}`, {
      description: 'Weather of a city now.',
      inputSchema: {
        type: 'object',
        properties: { city: { type: 'string' }, days: { type: 'integer' } },
        required: ['city', 'days'],
      },
    })
    const tools = [
      toolOf('time', () => 'noon'),
      toolOf('list_files', () => []),
      toolOf('notes', () => 'none'),
      weather,
    ]
    const kit = kitOf('test/tools', tools)
    const result = await kit.run('What is the weather in Berlin?')
    expect(result).toMatchObject({
      success: true,
      output: 'weather_now answered: Sunny in "Berlin"',
      steps: [{ tool: 'weather_now', args: { city: 'Berlin', days: 1 } }],
    })
    expect(firstOf(await kit.events(result.run_id)).tool_start?.name).toBe('weather_now')
    const again = await kit.run('And the weather in Rome?', { conversation_id: result.conversation_id })
    expect(again.steps).toMatchObject([{ args: { city: 'Rome' } }])
  })

  it('A21: test/tools lists devices, searches those, and reads the results', async () => {
    const readings = [{ status: 'pending' }, { status: 'completed', files: ['dentist.pdf'] }]
    const text = { type: 'string' }
    const ids = { type: 'array', items: text }
    const schemaOf = (properties: object) => ({
      type: 'object',
      properties,
      required: Object.keys(properties),
    })
    const tools = [
      toolOf('devices_list', () => ({ devices: [{ id: 'd-1', name: 'laptop' }, { id: 'd-2' }] })),
      toolOf('devices_search', () => ({ searchQueries: [{ id: 'q-1' }] }), {
        description: 'Asks devices to search their files.',
        inputSchema: schemaOf({ query: text, deviceIds: ids }),
      }),
      toolOf('devices_search_results', () => readings.shift(), {
        inputSchema: schemaOf({ queryId: text }),
      }),
    ]
    const { steps, output } = await kitOf('test/tools', tools).run('Find the file "dentist"')
    expect(steps).toMatchObject([
      { tool: 'devices_list', args: {} },
      { tool: 'devices_search', args: { query: 'dentist', deviceIds: ['d-1', 'd-2'] } },
      { tool: 'devices_search_results', args: { queryId: 'q-1' } },
      { tool: 'devices_search_results', args: { queryId: 'q-1' } },
    ])
    expect(output).toContain('dentist.pdf')
  })

  it('A21: test/tools shows JSON as a block of Markdown', async () => {
    const kit = kitOf('test/tools', [toolOf('stock', () => ({ article: 'bolts', count: 12 }))])
    const { output } = await kit.run('How many bolts are in stock?')
    expect(output).toBe('stock answered:\n```json\n{"article":"bolts","count":12}\n```')
  })

  it.each([
    ['{"a": 2, "b": 3} please', { a: 2, b: 3 }],
    ['Call {"tool": "add", "args": {"a": 7, "b": 8}}', { a: 7, b: 8 }],
    ['add 41', { a: 41, b: 41 }],
  ])('A21: test/tools takes the arguments of %j', async (task, args) => {
    const parameters = {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    }
    const kit = kitOf('test/tools', [
      toolOf('add', ({ a, b }) => Number(a) + Number(b), { inputSchema: parameters }),
    ])
    expect((await kit.run(task)).steps).toEqual([{ tool: 'add', args, result: args.a + args.b }])
  })

  it.each([
    ['Count the words of "one two three"', { text: 'one two three' }],
    ['Count the words: one two', { text: 'one two' }],
    ['Count the words of my notes', {}],
  ])('A21: test/tools gives a tool that requires nothing the text that %j marks', async (task, args) => {
    const parameters = {
      type: 'object',
      properties: { file: { type: 'string', format: 'workspace-path' }, text: { type: 'string' } },
    }
    const count = toolOf('count', () => 3, { description: 'Counts words.', inputSchema: parameters })
    expect((await kitOf('test/tools', [count]).run(task)).steps).toMatchObject([{ tool: 'count', args }])
  })

  it('A21: test/tools runs a built-in tool that the task names, and reports failures', async () => {
    const fail = toolOf('time', () => Promise.reject(new Error('no clock')))
    expect((await kitOf('test/tools', [fail]).run('time please')).output).toBe('time failed: no clock')
  })

  it('A21: test/tools says in plain words what it is if no tool fits', async () => {
    const list = toolOf('devices_list', () => [], { description: 'Lists the devices.' })
    const result = await kitOf('test/tools', [list]).run('hello, can you help me plan my week?')
    expect(result.steps).toEqual([])
    expect(result.output).toContain('not a language model')
    expect((await kitOf('test/tools').run('Hello {"broken')).output).toContain('Connect a model provider')
  })

  it('A21: another id is refused with the known ones', async () => {
    await expect(models.resolve('test/other', undefined)).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining('test/echo or test/tools'),
    })
  })
})
