import { afterEach, describe, expect, it, vi } from 'vitest'
import { agentOf, createGate, createKit, firstOf, toolOf } from '../testing/run-kit.ts'

afterEach(() => void vi.useRealTimers())

const callOnce = (name: string, args: unknown = {}) => [{ toolCalls: [{ name, args }] }, { text: 'Done.' }]

describe('tool calls', () => {
  it('A21: run in parallel, and their results keep the order of the calls', async () => {
    const gates = [createGate(), createGate()]
    const finished: string[] = []
    const tools = ['first', 'second'].map((id, index) =>
      toolOf(id, async () => {
        await gates[index]?.wait()
        finished.push(id)
        return id
      }),
    )
    const kit = createKit({
      tools,
      steps: [{ toolCalls: [{ name: 'first' }, { name: 'second' }] }, { text: 'Done.' }],
    })
    const running = kit.run()
    gates[1]?.open()
    await vi.waitFor(() => expect(finished).toEqual(['second']), { timeout: 60_000 })
    gates[0]?.open()
    expect((await running).steps.map(({ result }) => result)).toEqual(['first', 'second'])
  })

  it('gets exact integers, no null for what is absent, and is found by a name with blanks', async () => {
    const call = vi.fn(() => 'done')
    const properties = { id: { type: ['string', 'integer'] }, limit: { type: 'integer' } }
    const kit = createKit({
      tools: [toolOf('look', call, { inputSchema: { type: 'object', properties } })],
      steps: callOnce(' look\u00a0', '{"id":2512292042121000001,"limit":null}'),
    })
    expect(await kit.run()).toMatchObject({ success: true, steps: [{ tool: 'look', result: 'done' }] })
    expect(call).toHaveBeenCalledWith({ id: '2512292042121000001' }, expect.anything())
    expect(JSON.stringify(kit.model.calls[1]?.prompt)).toContain('2512292042121000001')
  })

  it.each([
    ['no JSON', '{"a": '],
    ['no object', '[1]'],
    ['not what the schema asks for', { a: 'one' }],
    ['missing something', {}],
  ])('A21: arguments that are %s go back to the model, never to the tool', async (_, args) => {
    const call = vi.fn()
    const parameters = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }
    const kit = createKit({
      tools: [toolOf('add', call, { inputSchema: parameters })],
      steps: callOnce('add', args),
    })
    const result = await kit.run()
    expect(result).toMatchObject({ success: true, steps: [{ error: expect.stringContaining('arguments') }] })
    expect(call).not.toHaveBeenCalled()
    expect(JSON.stringify(kit.model.calls[1]?.prompt)).toContain('error-text')
  })

  it('A21: arguments that nest deeper than they can be kept go back to the model, and the run ends in order', async () => {
    const call = vi.fn()
    const args = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
    const kit = createKit({ tools: [toolOf('add', call)], steps: callOnce('add', args) })
    const result = await kit.run()
    expect(result).toMatchObject({ success: true, steps: [{ error: expect.stringContaining('too deeply') }] })
    expect(call).not.toHaveBeenCalled()
    expect((await kit.store.findRun(result.run_id))?.status).toBe('completed')
  })

  it('calls a tool whose schema cannot be compiled: its owner checks the arguments too', async () => {
    const parameters = { type: 'object', properties: { a: { $ref: 'https://elsewhere.example/schema' } } }
    const kit = createKit({
      tools: [toolOf('odd', () => 1, { inputSchema: parameters })],
      steps: callOnce('odd'),
    })
    expect((await kit.run()).steps).toMatchObject([{ tool: 'odd', result: 1 }])
  })

  it.each([
    ['an error', () => Promise.reject(new Error('no luck')), 'no luck'],
    ['a text', () => Promise.reject('thrown text'), 'thrown text'], // oxlint-disable-line prefer-promise-reject-errors
    ['nothing', () => Promise.reject(undefined), 'undefined'], // oxlint-disable-line prefer-promise-reject-errors
    ['what cannot be told', () => Promise.reject(Object.create(null)), 'without a reason'], // oxlint-disable-line
  ])('A tool that throws %s gives the model an error', async (_, call, told) => {
    const kit = createKit({ tools: [toolOf('bad', call)], steps: callOnce('bad') })
    const result = await kit.run()
    expect(result).toMatchObject({ success: true, output: 'Done.' })
    expect(result.steps[0]?.error).toContain(told)
  })

  it.each([
    ['undefined', () => undefined, null],
    ['a date', () => new Date(0), '1970-01-01T00:00:00.000Z'],
    ['undefined inside', () => ({ a: undefined, b: 1 }), { b: 1 }],
    ['not a number', () => Number.NaN, null],
  ])('A result that is %s becomes JSON', async (_, call, expected) => {
    const kit = createKit({ tools: [toolOf('odd', call)], steps: callOnce('odd') })
    expect((await kit.run()).steps[0]).toEqual({ tool: 'odd', args: {}, result: expected })
  })

  it('a result with a cycle or no end of nesting is an error for the model, and a bigint a text', async () => {
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)])
    const nested = 'nested too deeply'
    for (const [odd, why] of [
      [cycle, 'circular'],
      [deep(100), nested],
      [deep(5000), nested],
      [() => 1, 'not a JSON value'],
    ] as const) {
      const kit = createKit({ tools: [toolOf('odd', () => odd)], steps: callOnce('odd') })
      expect((await kit.run()).steps[0]?.error).toMatch(new RegExp(`result of the tool is invalid: .*${why}`))
    }
    const kit = createKit({ tools: [toolOf('id', () => ({ n: 2n ** 64n }))], steps: callOnce('id') })
    expect((await kit.run()).steps[0]?.result).toEqual({ n: '18446744073709551616' })
  })

  it('cuts a huge result, and says so', async () => {
    const kit = createKit({
      tools: [toolOf('flood', () => ({ text: 'x'.repeat(1_000_000) }))],
      steps: callOnce('flood'),
      maxResultChars: 1000,
    })
    const result = (await kit.run()).steps[0]?.result
    expect(result).toMatchObject({ truncated: true, chars: 1_000_011 })
    expect(JSON.stringify(result).length).toBeLessThan(1200)
  })

  it('stops a tool at its own timeout, and the run goes on', async () => {
    vi.useFakeTimers()
    let signal: AbortSignal | undefined
    const slow = toolOf(
      'slow',
      (_, context) => {
        signal = context.signal
        return new Promise(() => {})
      },
      { timeoutMs: 1000 },
    )
    const kit = createKit({ tools: [slow], steps: callOnce('slow') })
    const running = kit.run()
    await vi.waitFor(() => expect(signal).toBeDefined(), { timeout: 60_000 })
    await vi.advanceTimersByTimeAsync(1000)
    expect(await running).toMatchObject({
      success: true,
      steps: [{ error: expect.stringContaining('1000 ms') }],
    })
    expect(signal?.aborted).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('keeps the arguments as the model wrote them, whatever the tool does to them', async () => {
    const grab = toolOf('grab', (args) => {
      args.a = 'changed'
      return 'ok'
    })
    const kit = createKit({ tools: [grab], steps: callOnce('grab', { a: 1 }) })
    expect((await kit.run()).steps).toEqual([{ tool: 'grab', args: { a: 1 }, result: 'ok' }])
  })

  it('gives each call what it may know, and a key of its own that a repeat would have again', async () => {
    const keys: string[] = []
    const tool = toolOf('look', (_, { idempotencyKey, ...context }) => {
      keys.push(idempotencyKey)
      expect(context).toMatchObject({
        agentId: 'helper',
        userId: 'u',
        workspace: '/workspaces/helper',
        depth: 2,
      })
      return 1
    })
    const twice = {
      toolCalls: [
        { name: 'look', id: 'same' },
        { name: 'look', id: 'same' },
      ],
    }
    const kit = createKit({ tools: [tool], steps: [twice, twice, { text: 'Done.' }] })
    const handle = await kit.runs.start({ agent_id: 'helper', task: 'x', user_id: 'u' }, { depth: 2 })
    expect((await handle.result).steps.map(({ result }) => result)).toEqual([1, 1, 1, 1])
    expect(new Set(keys).size).toBe(4)
  })

  it('gives tools names that every provider accepts, and shows people their ids', async () => {
    const tools = [toolOf('weather.now', () => 'sun'), toolOf('weather/now', () => 'rain')]
    const steps = [{ toolCalls: [{ name: 'weather_now' }, { name: 'weather_now_2' }] }, { text: 'Done.' }]
    const kit = createKit({ tools, steps })
    const result = await kit.run()
    expect(result.steps).toMatchObject([
      { tool: 'weather.now', result: 'sun' },
      { tool: 'weather/now', result: 'rain' },
    ])
    expect(JSON.stringify(kit.model.calls[1]?.prompt)).toContain('"toolName":"weather_now_2"')
  })

  it('two agents at once never see the tools or the messages of each other', async () => {
    const gate = createGate()
    const agents = [agentOf({ id: 'a' }), agentOf({ id: 'b' })]
    const step = { gate: gate.wait, toolCalls: [{ name: 'tool_a' }, { name: 'tool_b' }] }
    const kit = createKit({
      agents,
      tools: (agent) => [toolOf(`tool_${agent.id}`, () => `for ${agent.id}`)],
      steps: [step, step, { text: 'x' }, { text: 'y' }],
    })
    const handles = await Promise.all(
      agents.map(({ id }) => kit.runs.start({ agent_id: id, task: `task of ${id}` })),
    )
    gate.open()
    const results = await Promise.all(handles.map(({ result }) => result))
    for (const [index, own] of ['a', 'b'].entries()) {
      const other = own === 'a' ? 'b' : 'a'
      expect(results[index]?.steps.find(({ tool }) => tool === `tool_${own}`)?.result).toBe(`for ${own}`)
      expect(results[index]?.steps.find(({ tool }) => tool === `tool_${other}`)?.error).toContain(
        'No tool has the name',
      )
      const seen = kit.model.calls.filter(({ prompt }) => JSON.stringify(prompt).includes(`task of ${own}`))
      expect(seen).toHaveLength(2)
      for (const call of seen) {
        expect(call.tools?.map((tool) => tool.type === 'function' && tool.name)).toEqual([`tool_${own}`])
        expect(JSON.stringify(call.prompt)).not.toContain(`task of ${other}`)
      }
    }
  })
})

describe('secrets', () => {
  it('are taken out of results, errors, events and the journal, and never reach the model', async () => {
    const secret = 'sk-very-secret-value'
    const tools = [
      toolOf('leak', () => ({ header: `Bearer ${secret}`, [secret]: 1 })),
      toolOf('fail', () => Promise.reject(new Error(`bad key ${secret}`))),
    ]
    const kit = createKit({
      tools,
      secrets: async () => [secret],
      steps: [
        { toolCalls: [{ name: 'leak' }, { name: 'fail', args: { password: 'hunter2' } }] },
        { text: 'Done.' },
      ],
    })
    const result = await kit.run()
    const { rows } = await kit.store.listMessages(result.conversation_id, { limit: 10 })
    const everywhere = [result, rows, await kit.events(result.run_id), kit.model.calls[1]?.prompt]
    expect(JSON.stringify(everywhere)).not.toContain(secret)
    const journal = JSON.stringify(await kit.store.listEvents({ limit: 100 }))
    expect(journal).toContain('tool.completed')
    expect(journal).not.toContain(secret)
    expect(journal).not.toContain('hunter2')
  })

  it('that a model gives as arguments reach the tool, and no step, event or approval', async () => {
    const secret = 'sk-very-secret-value'
    const given: unknown[] = []
    const kit = createKit({
      agents: [agentOf({ approval_tools: ['send'] })],
      tools: ['look', 'send'].map((id) => toolOf(id, (args) => void given.push(args))),
      secrets: async () => [secret],
      steps: [
        { toolCalls: [{ name: 'look', args: { key: secret } }] },
        { toolCalls: [{ name: 'send', args: { key: secret } }] },
        { text: 'Done.' },
      ],
    })
    const waits = await kit.run()
    const [approval] = waits.approvals ?? []
    expect(approval?.args).toEqual({ key: '[secret]' })
    await kit.runs.decideApproval(waits.run_id, approval?.id ?? '', { decision: 'approve' })
    const events = await kit.events(waits.run_id)
    const run = await kit.runs.find(waits.run_id)
    expect(given).toEqual([{ key: secret }, { key: secret }])
    expect(firstOf(events).done).toMatchObject({ steps: [{ tool: 'look' }, { tool: 'send' }] })
    expect(JSON.stringify([waits, events, run])).not.toContain(secret)
  })
})
