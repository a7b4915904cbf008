import { describe, expect, it, vi } from 'vitest'
import { createRuntime, type AgentRuntime } from '../index.ts'
import { serviceMethods, textsOf, type Parameter } from './service-methods.ts'
import { uncheckedServices } from './services.ts'

type Methods = Readonly<Record<string, (...given: readonly unknown[]) => Promise<unknown>>>

describe.each(Object.entries(serviceMethods))('runtime.%s', (name, methods: object) => {
  const table = Object.entries(methods as Readonly<Record<string, readonly Parameter[]>>)
  const texts = table.map(([method, parameters]) => [method, textsOf(parameters)] as const)
  const serviceOf = (runtime: AgentRuntime) => runtime[name as keyof typeof serviceMethods] as object

  it('has no method that its table does not know', async () => {
    await using runtime = createRuntime({ environment: {} })
    const streams = { runs: ['events'], logs: ['follow'] }[name] ?? []
    const known = [...texts.map(([method]) => method), ...streams]
    expect(Object.keys(serviceOf(runtime)).toSorted()).toEqual(known.toSorted())
  })

  it.each(texts.filter(([, names]) => names.length > 0))(
    '.%s says which text is none',
    async (method, names) => {
      await using runtime = createRuntime({ environment: {} })
      for (const [place, parameter] of names.entries()) {
        const given = names.slice(0, place).map(() => 'a')
        await expect((serviceOf(runtime) as Methods)[method]?.(...given)).rejects.toMatchObject({
          code: 'validation_error',
          message: `Calling ${name}.${method} failed: "${parameter}" must be a string.`,
        })
      }
    },
  )
})

it.each<[problem: string, (runtime: AgentRuntime) => unknown]>([
  ['Creating an agent failed: "model"', ({ agents }) => agents.create({ model: 7 } as never)],
  ['Changing an agent failed: "skills"', ({ agents }) => agents.update('a', { skills: 'web' } as never)],
  ['Running an agent failed: "task" is missing', ({ runs }) => runs.start({ agent_id: 'a' } as never)],
  ['Running an agent failed: "task" is missing', (runtime) => runtime.run({ agent_id: 'a' } as never)],
  ['Running an agent failed: "task" is missing', (runtime) => runtime.stream({ agent_id: 'a' } as never)],
  // anything but `approve` would have been a refusal
  ['approval failed: the input', ({ runs }) => runs.decideApproval('r', 'a', 'approve' as never)],
  [
    'approval failed: "decision"',
    ({ runs }) => runs.decideApproval('r', 'a', { decision: 'approved' as never }),
  ],
  ['Creating a task failed: "task"', ({ tasks }) => tasks.create({ agent_id: 'a' } as never)],
  ['Creating a graph failed: ', ({ graphs }) => graphs.create({ id: 'g' } as never)],
  ['Changing a graph failed: "nodes"', ({ graphs }) => graphs.update('g', { nodes: 5 } as never)],
  ['Running a graph failed: "graph_id"', ({ graphs }) => graphs.start({ input: 'x' } as never)],
  ['Running a graph failed: "graph_id"', ({ graphs }) => graphs.run({ input: 'x' } as never)],
  ['Resolving an answer failed: "decision"', ({ channels }) => channels.resolve('c', 'm', 'again' as never)],
  [
    'Appending a message failed: "content"',
    (runtime) => runtime.conversations.append({ agent_id: 'a' } as never),
  ],
  ['Writing a memory failed: "text"', ({ memory }) => memory.write({ agent_id: 'a' } as never)],
  ['"trust" must be', ({ memory }) => memory.write({ agent_id: 'a', text: 'x' }, { trust: 'yes' as never })],
  ['Creating a schedule failed: "cron"', ({ schedules }) => schedules.create({ input: 'x' } as never)],
  ['Creating a token failed: "name"', ({ tokens }) => tokens.create({ scopes: ['read'] } as never)],
  ['Changing the settings failed: ', ({ settings }) => settings.update({ openai_api_key: 7 } as never)],
  ['Saving a price failed: ', ({ prices }) => prices.save('test/echo', { input: 1 } as never)],
  ['Searching memories failed: "q"', ({ memory }) => memory.search({} as never)],
])('refuses what only a program without types can pass: %s', async (problem, use) => {
  await using runtime = createRuntime({ environment: {} })
  await expect(use(runtime)).rejects.toMatchObject({
    code: 'validation_error',
    message: expect.stringContaining(problem) as string,
  })
})

it('takes what may be left out as undefined', async () => {
  await using runtime = createRuntime({ environment: {} })
  const query = { limit: undefined, cursor: undefined, status: undefined, agentId: undefined }
  expect(await runtime.tasks.list(query, undefined)).toEqual({ tasks: [] })
  expect(
    await runtime.logs.list({ types: undefined, since: undefined }, new AbortController().signal),
  ).toEqual([])
})

it('gives the REST interface services that take what was parsed, and leaves a wrapped runtime its own', async () => {
  await using runtime = createRuntime({ environment: {} })
  expect(uncheckedServices(runtime)).not.toBe(runtime)
  const find = vi.fn()
  const wrapped = { ...runtime, agents: { ...runtime.agents, find } }
  expect(uncheckedServices(wrapped)).toBe(wrapped)
})
