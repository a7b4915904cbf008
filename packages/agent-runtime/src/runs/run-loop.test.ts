import { afterEach, describe, expect, it, vi } from 'vitest'
import { agentOf, createGate, createKit, firstOf, modelsOf, namesOf, toolOf } from './testing/run-kit.ts'

afterEach(() => void vi.useRealTimers())

const add = toolOf('add', ({ a, b }) => Number(a) + Number(b), {
  inputSchema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
})

describe('A4: a run', () => {
  it('A4: goes from the task over a tool to the answer, and counts what it used', async () => {
    const kit = createKit({
      tools: [add],
      steps: [
        { text: 'Let me see.', toolCalls: [{ name: 'add', args: { a: 1, b: 2 } }] },
        { text: 'It is 3.' },
      ],
    })
    const result = await kit.run('1 + 2?')
    expect(result).toEqual({
      success: true,
      output: 'It is 3.',
      turns: 2,
      tool_calls: 1,
      steps: [{ tool: 'add', args: { a: 1, b: 2 }, result: 3 }],
      usage: { input_tokens: 20, output_tokens: 10 },
      model: 'scripted/main',
      run_id: 'id-1',
      conversation_id: 'id-2',
      stop_reason: 'done',
    })
    kit.model.assertComplete()
  })

  it('A4: keeps the whole turn in the conversation, and the next run sees it', async () => {
    const kit = createKit({
      tools: [add],
      steps: [
        { toolCalls: [{ name: 'add', args: { a: 1, b: 2 } }] },
        { text: 'It is 3.' },
        { text: 'You asked 1 + 2.' },
      ],
    })
    const { conversation_id } = await kit.run('1 + 2?')
    await kit.run('What did I ask?', { conversation_id })
    expect(kit.model.calls[2]?.prompt.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
    const { rows } = await kit.store.listMessages(conversation_id, { limit: 10 })
    expect(rows.toReversed().map(({ message }) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'assistant',
    ])
  })

  it('A4: keeps nothing in the conversation with store: false', async () => {
    const kit = createKit({ steps: [{ text: 'Hello.' }] })
    const { conversation_id, success } = await kit.run('Hi', { store: false })
    expect(success).toBe(true)
    expect(await kit.store.findConversation(conversation_id)).toBeUndefined()
  })

  it('A4: gives the same run for the same idempotency key, while it runs and afterwards', async () => {
    const gate = createGate()
    const kit = createKit({ steps: [{ gate: gate.wait, text: 'Once.' }] })
    const request = { agent_id: 'helper', task: 'Hi', idempotency_key: 'k' }
    const handles = await Promise.all([1, 2, 3].map(() => kit.runs.start(request)))
    expect(new Set(handles.map(({ runId }) => runId)).size).toBe(1)
    gate.open()
    const results = await Promise.all(handles.map(({ result }) => result))
    const again = await kit.runs.start(request)
    expect([...results, await again.result].map(({ output }) => output)).toEqual([
      'Once.',
      'Once.',
      'Once.',
      'Once.',
    ])
    kit.model.assertComplete()
  })

  it('tells an agent that has lost its tools of earlier calls in words', async () => {
    const store = createKit().store
    const steps = [{ toolCalls: [{ name: 'add', args: { a: 1, b: 2 } }] }, { text: 'It is 3.' }]
    const { conversation_id } = await createKit({ store, tools: [add], steps }).run('1 + 2?')
    const kit = createKit({ store, steps: [{ text: 'Still 3.' }], createId: () => 'another' })
    await kit.run('And now?', { conversation_id })
    const prompt = JSON.stringify(kit.model.calls[0]?.prompt)
    expect(prompt).toContain('Called add')
    expect(prompt).not.toMatch(/"type":"tool-/)
  })

  it('refuses the idempotency key of another agent, and the conversation of another agent or user', async () => {
    const agents = [agentOf(), agentOf({ id: 'other' })]
    const kit = createKit({ agents, steps: [{ text: 'One.' }] })
    const first = await kit.run('Hi', { idempotency_key: 'k', user_id: 'u1' })
    await expect(
      kit.runs.start({ agent_id: 'other', task: 'x', idempotency_key: 'k' }),
    ).rejects.toMatchObject({
      code: 'conflict',
    })
    const { conversation_id } = first
    await expect(kit.runs.start({ agent_id: 'other', task: 'x', conversation_id })).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(
      kit.runs.start({ agent_id: 'helper', task: 'x', conversation_id, user_id: 'u2' }),
    ).rejects.toMatchObject({ code: 'not_found' })
  })

  it('refuses an unknown agent and a model that is not configured before anything is kept', async () => {
    const kit = createKit({ models: modelsOf({}) })
    await expect(kit.runs.start({ agent_id: 'nobody', task: 'x' })).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(kit.run()).rejects.toMatchObject({ code: 'model_not_configured' })
    expect((await kit.store.listRuns({}, { limit: 10 })).rows).toEqual([])
  })

  it('tells the model its personality, its skills and whom to believe', async () => {
    const kit = createKit({
      agents: [agentOf({ personality: 'You are a pirate.' })],
      tools: [add],
      instructions: 'Skills: sums.',
      steps: [{ text: 'Arr.' }],
    })
    await kit.run()
    expect(kit.model.calls[0]?.prompt[0]).toMatchObject({
      role: 'system',
      content: expect.stringMatching(
        /^You are a pirate\.\n\nSkills: sums\.\n\nWhat tools return.*information/,
      ),
    })
  })
})

describe('A5: limits', () => {
  it('A5: after max_turns one last call without tools sums up', async () => {
    const loop = { toolCalls: [{ name: 'add', args: { a: 1, b: 2 } }] }
    const kit = createKit({
      agents: [agentOf({ limits: { max_turns: 2 } })],
      tools: [add],
      steps: [loop, loop, { text: 'I added twice.' }],
    })
    const result = await kit.run()
    expect(result).toMatchObject({
      success: true,
      stop_reason: 'max_turns',
      turns: 2,
      output: 'I added twice.',
    })
    const last = kit.model.calls[2]
    expect(last?.tools).toBeUndefined()
    expect(JSON.stringify(last?.prompt)).not.toMatch(/"type":"tool-(call|result)"/)
    expect(JSON.stringify(last?.prompt)).toContain('Called add with')
  })

  it('A5: a model that calls the same failing tool for ever ends at ten turns, also when its last call fails', async () => {
    const loop = { toolCalls: [{ name: 'nowhere' }] }
    const kit = createKit({
      steps: [...Array.from({ length: 10 }, () => loop), { error: new Error('no more') }],
    })
    const result = await kit.run()
    expect(result).toMatchObject({ success: true, stop_reason: 'max_turns', turns: 10, tool_calls: 10 })
    expect(result.output).toContain('10 turns')
    expect(result.steps[0]?.error).toContain('No tool has the name "nowhere"')
  })

  it('A5: max_tokens caps each call and all calls of the run together', async () => {
    const kit = createKit({
      agents: [agentOf({ limits: { max_tokens: 50 } })],
      tools: [add],
      steps: [
        { toolCalls: [{ name: 'add', args: { a: 1, b: 2 } }], usage: { input: 10, output: 30 } },
        { toolCalls: [{ name: 'add', args: { a: 1, b: 2 } }], usage: { input: 10, output: 30 } },
      ],
    })
    const result = await kit.run('x', { limits: { max_tokens: 1000 } })
    expect(kit.model.calls.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([50, 20])
    expect(result).toMatchObject({ success: true, stop_reason: 'max_tokens', usage: { output_tokens: 60 } })
    expect(result.steps[1]?.error).toContain('token limit')
  })

  it('A5: an answer that the token limit cut off is kept, and says so', async () => {
    const kit = createKit({ steps: [{ text: 'Once upon a', finish: 'length' }] })
    expect(await kit.run()).toMatchObject({ success: true, stop_reason: 'max_tokens', output: 'Once upon a' })
  })

  it('A5: a provider that does not heed the token limit is cut off', async () => {
    const text = Array.from({ length: 1000 }, () => 'blah ')
    const kit = createKit({ agents: [agentOf({ limits: { max_tokens: 10 } })], steps: [{ text }] })
    const result = await kit.run()
    expect(result.stop_reason).toBe('max_tokens')
    expect(result.output.length).toBeLessThan(200)
  })

  it('A5: max_runtime is in seconds and stops a model that never answers', async () => {
    vi.useFakeTimers()
    const kit = createKit({
      agents: [agentOf({ limits: { max_runtime: 2 } })],
      steps: [{ gate: () => new Promise(() => {}) }],
    })
    const running = kit.run()
    await vi.advanceTimersByTimeAsync(1999)
    expect((await kit.store.listRuns({}, { limit: 1 })).rows[0]?.status).toBe('running')
    await vi.advanceTimersByTimeAsync(1)
    expect(await running).toMatchObject({ success: false, stop_reason: 'max_runtime', code: 'timeout' })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('A5: max_runtime stops a tool that never returns, whose signal it aborts', async () => {
    vi.useFakeTimers()
    let signal: AbortSignal | undefined
    const stuck = toolOf('stuck', (_, context) => {
      signal = context.signal
      return new Promise(() => {})
    })
    const kit = createKit({ tools: [stuck], steps: [{ text: 'Wait.', toolCalls: [{ name: 'stuck' }] }] })
    const handle = await kit.runs.start({ agent_id: 'helper', task: 'x' }, { maxRuntimeMs: 500 })
    await vi.waitFor(() => expect(signal).toBeDefined(), { timeout: 60_000 })
    await vi.advanceTimersByTimeAsync(500)
    expect(await handle.result).toMatchObject({
      stop_reason: 'max_runtime',
      output: 'Wait.',
      steps: [{ tool: 'stuck', error: expect.stringContaining('stopped') }],
    })
    expect(signal?.aborted).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('A6: events', () => {
  it('A6: are numbered from 1 without gaps, the same live and stored, and end with done', async () => {
    const gate = createGate()
    const kit = createKit({
      tools: [add],
      steps: [
        { text: ['Let ', 'me see.'], toolCalls: [{ name: 'add', args: { a: 1, b: 2 } }] },
        { gate: gate.wait, text: ['It ', 'is 3.'] },
      ],
    })
    const { runId, result } = await kit.runs.start({ agent_id: 'helper', task: '1 + 2?' })
    const live = kit.events(runId)
    gate.open()
    await result
    const stored = await kit.events(runId)
    expect(await live).toEqual(stored)
    expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, index) => index + 1))
    expect(namesOf(stored)).toEqual([
      'start',
      'assistant',
      'assistant',
      'usage',
      'tool_start',
      'tool_call',
      'assistant',
      'assistant',
      'usage',
      'done',
    ])
    expect(firstOf(stored).done).toMatchObject({
      finalContent: 'It is 3.',
      turnCount: 2,
      stop_reason: 'done',
    })
    expect(await kit.events(runId, 8)).toEqual(stored.slice(8))
    expect(await kit.events(runId, 10)).toEqual([])
  })

  it('A6: end with error when the run fails, and a run that is unknown has none', async () => {
    const kit = createKit({ steps: [{ error: new Error('boom') }] })
    const result = await kit.run()
    expect(result).toMatchObject({ success: false, stop_reason: 'error', code: 'model_error' })
    expect(namesOf(await kit.events(result.run_id))).toEqual(['start', 'error'])
    await expect(kit.events('nothing')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('A6: a reader that stays away for the whole run reads all of it from the store', async () => {
    const kit = createKit({
      tools: [add],
      steps: [{ toolCalls: [{ name: 'add', args: { a: 1, b: 2 } }] }, { text: '3' }],
    })
    const { runId, result } = await kit.runs.start({ agent_id: 'helper', task: 'x' })
    const reader = kit.runs.events(runId, 0)[Symbol.asyncIterator]()
    const first = await reader.next()
    await result
    const rest = []
    for (let next = await reader.next(); !next.done; next = await reader.next()) rest.push(next.value)
    expect([first.value, ...rest]).toEqual(await kit.events(runId))
  })

  it('A6: a reader that goes away leaves the run alone', async () => {
    const gate = createGate()
    const kit = createKit({ steps: [{ gate: gate.wait, text: 'Still here.' }] })
    const { runId, result } = await kit.runs.start({ agent_id: 'helper', task: 'x' })
    const gone = new AbortController()
    const reading = Array.fromAsync(kit.runs.events(runId, 0, gone.signal))
    gone.abort()
    await reading
    gate.open()
    expect((await result).output).toBe('Still here.')
  })
})
