import { describe, expect, it } from 'vitest'
import { createRuntime, type AgentRuntime } from '../index.ts'
import { runtimeMethods } from './runtime-methods.ts'
import type { Parameters } from '../host-input/check-call.ts'

/** What stands before the argument that is wrong. */
const right: Readonly<Record<string, unknown>> = {
  sinceSeq: 0,
  request: { agent_id: 'a', task: 'x' },
  query: { schedule: '@daily' },
  decision: { decision: 'approve' },
  content: new Blob().stream(),
  title: null,
  input: {},
  patch: {},
  page: {},
  view: {},
}

type Methods = Readonly<Record<string, (...given: readonly unknown[]) => unknown>>

/** Calls a method as a program without types does, until it has answered or begun to. */
async function call(target: unknown, method: string, given: readonly unknown[]): Promise<unknown> {
  const answer = (target as Methods)[method]?.(...given)
  return isEvents(answer) ? answer.next() : answer
}

function isEvents(answer: unknown): answer is AsyncGenerator {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer
}

const refusal = (problem: string) => ({
  name: 'RuntimeError',
  code: 'validation_error',
  message: expect.stringContaining(problem),
})

describe.each(Object.entries(runtimeMethods))('runtime.%s', (group, methods) => {
  const target = (runtime: AgentRuntime) => runtime[group as keyof typeof runtimeMethods]

  it('has no method that its table does not know', async () => {
    await using runtime = createRuntime({ environment: {} })
    expect(Object.keys(target(runtime)).toSorted()).toEqual(Object.keys(methods).toSorted())
  })

  it.each(Object.entries<Parameters>(methods).filter(([, parameters]) => Object.keys(parameters).length > 0))(
    '.%s says which argument is wrong',
    async (method, parameters) => {
      await using runtime = createRuntime({ environment: {} })
      const names = Object.keys(parameters)
      for (const [place, name] of names.entries()) {
        const before = names.slice(0, place).map((each) => right[each] ?? 'a')
        const isChecked = parameters[name]?.(() => 'wrong') !== undefined
        const problem = isChecked ? `Calling ${group}.${method} failed: ${name} must be ` : ': '
        await expect(call(target(runtime), method, [...before, () => 'wrong'])).rejects.toMatchObject(
          refusal(problem),
        )
      }
    },
  )
})

it.each<[problem: string, (runtime: AgentRuntime) => unknown]>([
  ['agents.get failed: id must be a text', ({ agents }) => agents.get(5 as never)],
  ['agents.get failed: id must be a text', ({ agents }) => agents.get(undefined as never)],
  ['runs.list failed: query must be an object', ({ runs }) => runs.list(null as never)],
  ['runs.list failed: query.limit must be a number', ({ runs }) => runs.list({ limit: 'abc' as never })],
  ['tasks.list failed: query.limit must be a number', ({ tasks }) => tasks.list({ limit: Number.NaN })],
  ['usage.report failed: query.from must be a text', ({ usage }) => usage.report({ from: 5 as never })],
  ['logs.list failed: query.types must be a list', ({ logs }) => logs.list({ types: 'a' as never })],
  ['schedules.next failed: query.schedule must be', ({ schedules }) => schedules.next({} as never)],
  ['skills.install failed: wanted.slug must be', ({ skills }) => skills.install({} as never)],
  [
    'memory.write failed: options.trust must be untrusted',
    ({ memory }) => memory.write({ agent_id: 'a', text: 'x' }, { trust: 'yes' as never }),
  ],
  // anything but `approve` would have been a refusal
  [
    'runs.decideApproval failed: decision must be an object',
    ({ runs }) => runs.decideApproval('r', 'a', 'approve' as never),
  ],
  [
    'runs.decideApproval failed: decision.decision must be approve or deny',
    ({ runs }) => runs.decideApproval('r', 'a', { decision: 'approved' as never }),
  ],
  ['runs.start', ({ runs }) => runs.start({ agent_id: 'a', task: 'x' }, { signal: 5 as never })],
  [
    'run failed: options must be an object',
    (runtime) => runtime.run({ agent_id: 'a', task: 'x' }, null as never),
  ],
  [
    'stream failed: options.signal must be',
    (runtime) => runtime.stream({ agent_id: 'a', task: 'x' }, { signal: {} as never }),
  ],
  ['Running an agent: task: is missing', ({ runs }) => runs.start({ agent_id: 'a' } as never)],
])('refuses what only a program without types can pass: %s', async (problem, use) => {
  await using runtime = createRuntime({ environment: {} })
  await expect(use(runtime)).rejects.toMatchObject(refusal(problem))
})

it('takes what may be left out as undefined', async () => {
  await using runtime = createRuntime({ environment: {} })
  const query = { limit: undefined, cursor: undefined, status: undefined, agentId: undefined }
  expect(await runtime.tasks.list(query, undefined)).toEqual({ tasks: [] })
  expect(
    await runtime.logs.list({ types: undefined, since: undefined }, new AbortController().signal),
  ).toEqual([])
})
