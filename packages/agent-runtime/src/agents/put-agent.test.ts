import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { createRuntime, defineAgent, defineTool, type AgentDefinition, type RunContext } from '../index.ts'
import { createTestStore } from '../testing/create-test-store.ts'
import { createScriptedModel } from '../testing/scripted-model.ts'

const head = { description: 'A.', effects: 'read', idempotent: true, returnsUntrustedContent: false } as const
const look = defineTool({ ...head, id: 'look', inputSchema: z.object({}), execute: () => 'seen' })
const systemOf = (model: ReturnType<typeof createScriptedModel>, call = 0) =>
  JSON.stringify(model.calls[call]?.prompt[0])

function open(...texts: readonly string[]) {
  const model = createScriptedModel(texts.map((text) => ({ text })))
  const store = createTestStore()
  let nowMs = 0
  const writes = [vi.spyOn(store, 'insertAgent'), vi.spyOn(store, 'replaceAgent')]
  const runtime = createRuntime({
    store,
    models: { mine: () => model, other: () => model },
    environment: {},
    now: () => (nowMs += 1000),
  })
  return {
    model,
    runtime,
    writes: () => writes.map(({ mock }) => mock.calls.length),
    [Symbol.asyncDispose]: () => runtime.close(),
  }
}

describe('an agent that lives in code', () => {
  it('takes a schema of a library for its output, and stores its JSON Schema', async () => {
    await using world = open()
    const schema = z.object({ city: z.string() })
    const put = (output_schema: NonNullable<AgentDefinition['output_schema']>) =>
      world.runtime.agents.put({ id: 'a', model: 'mine/m', output_schema })
    const { output_schema: stored } = await put(schema)
    expect(stored).toMatchObject({ type: 'object', properties: { city: { type: 'string' } } })
    await put(z.toJSONSchema(schema, { io: 'input' }))
    await put({ ...stored })
    expect(world.writes()).toEqual([1, 0])
    await expect(put(z.object({ at: z.date() }))).rejects.toThrow(
      '"output_schema" cannot be converted to JSON Schema: Date',
    )
  })

  it('has no two tools with one id, and none with the id of a built-in tool', () => {
    const agent = (tools: AgentDefinition['tools']) => () =>
      defineAgent({ id: 'a', model: 'mine/m', ...(tools && { tools }) })
    expect(agent([look, look])).toThrow('two tools have the id "look"')
    expect(agent([{ ...look, id: 'time' }])).toThrow('"time" is the id of a built-in tool')
    expect(agent([look, 'look', 'time'])).not.toThrow()
  })

  it('D28: is created, is not written again without a change, and is changed with one', async () => {
    await using world = open()
    const { agents } = world.runtime
    const definition = {
      id: 'a',
      model: 'mine/m',
      instructions: 'Be kind.',
      limits: { max_turns: 3 },
      name: 'A',
    }
    const created = await agents.put(defineAgent(definition))
    expect(created).toMatchObject({ id: 'a', personality: 'Be kind.', limits: { max_turns: 3 } })
    expect(created).not.toHaveProperty('instructions')
    expect(await agents.put({ ...definition })).toEqual(created)
    expect(world.writes()).toEqual([1, 0])
    const { name: _, ...unnamed } = definition
    const changed = await agents.put(unnamed)
    expect(changed).toMatchObject({ created_at: created.created_at, personality: 'Be kind.' })
    expect(changed).not.toHaveProperty('name')
    expect(world.writes()).toEqual([1, 1])
    await agents.put({ ...unnamed })
    expect(world.writes()).toEqual([1, 1])
  })

  it('is put by several processes at the same time', async () => {
    const store = createTestStore()
    const processes = [1, 2, 3].map(() => createRuntime({ store, environment: {}, now: () => 0 }))
    const put = await Promise.all(processes.map(({ agents }) => agents.put({ id: 'a', model: 'test/echo' })))
    expect(new Set(put.map((agent) => JSON.stringify(agent))).size).toBe(1)
    await Promise.all(processes.map((runtime) => runtime.close()))
  })

  it('has its tools in code for itself, and only those and the named ones', async () => {
    await using world = open('Done.', 'Done.')
    const { agents } = world.runtime
    expect(await agents.put({ id: 'a', model: 'mine/m', tools: [look, 'time'] })).toMatchObject({
      tools: ['look', 'time'],
    })
    await agents.put({ id: 'b', model: 'mine/m' })
    for (const agent_id of ['a', 'b']) await world.runtime.run({ agent_id, task: 'x' })
    const [own = [], others = []] = world.model.calls.map(({ tools }) => tools?.map(({ name }) => name))
    expect(own.toSorted()).toEqual(['look', 'time'])
    expect(others).not.toContain('look')
  })

  it('writes instructions for each run, behind its personality, once for the run', async () => {
    await using world = open('Done.')
    const instructions = vi.fn(({ metadata }: RunContext) => `Plan: ${JSON.stringify(metadata)}.`)
    await world.runtime.agents.put({ id: 'a', model: 'mine/m', personality: 'Be kind.', instructions })
    const metadata = { plan: 'gold' }
    const request = { agent_id: 'a', task: 'x', metadata, idempotency_key: 'k' }
    const { run_id: runId } = await world.runtime.run(request)
    expect(systemOf(world.model)).toMatch(/Be kind\..*Plan: \{.*gold/)
    expect(instructions).toHaveBeenCalledWith(expect.objectContaining({ runId, agentId: 'a', metadata }))
    // the same request joins its run, whatever the function writes now
    expect((await world.runtime.run(request)).run_id).toBe(runId)
  })

  it('with an instructions function alone is not described by its id', async () => {
    await using world = open('Done.')
    await world.runtime.agents.put({ id: 'a', model: 'mine/m', instructions: async () => 'You are Ann.' })
    await world.runtime.run({ agent_id: 'a', task: 'x' })
    expect(systemOf(world.model)).toContain('You are Ann.')
    expect(systemOf(world.model)).not.toContain('helpful assistant')
  })

  it.each<[string, unknown]>([
    ['instructions threw an error', () => Promise.reject(new Error('offline'))],
    ['"instructions" must return a string of at most 1000000', () => 5],
    ['"instructions" must return a string of at most 1000000', () => 'x'.repeat(1_000_001)],
  ])('does not run if its function fails: %s', async (problem, instructions) => {
    await using world = open()
    await world.runtime.agents.put({ id: 'a', model: 'mine/m', instructions } as never)
    await expect(world.runtime.run({ agent_id: 'a', task: 'x' })).rejects.toMatchObject({
      code: 'run_error',
      message: expect.stringContaining(`Starting a run failed: ${problem}`),
    })
  })

  it.each<[string, object]>([
    ['"id" must be a string', { model: 'mine/m' }],
    ['"model" must be a string', { id: 'a' }],
    ['"instructions" must be a string or a function', { id: 'a', model: 'mine/m', instructions: 5 }],
    ['Remove one of them', { id: 'a', model: 'mine/m', instructions: 'x', personality: 'y' }],
    ['"tools" must be a list', { id: 'a', model: 'mine/m', tools: look }],
    ['"tools[0].effects" must be', { id: 'a', model: 'mine/m', tools: [{ ...look, effects: 'x' }] }],
    ['limits.max_turns', { id: 'a', model: 'mine/m', limits: { max_turns: 0 } }],
    ['limits.maxTurns', { id: 'a', model: 'mine/m', limits: { maxTurns: 5 } }],
    ['schedule', { id: 'a', model: 'mine/m', schedule: 'every day' }],
  ])('is rejected: %s', async (problem, definition) => {
    await using world = open()
    const rejected = world.runtime.agents.put(definition as never)
    await expect(rejected).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining(problem),
    })
    expect(await world.runtime.agents.list()).toEqual([])
  })
})
