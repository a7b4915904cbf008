import { expect, it, vi } from 'vitest'
import { createScriptedModel } from '../testing/scripted-model.ts'
import { createRuntime } from './create-runtime.ts'
import type { RuntimeOptions } from './runtime-options.ts'

const refusing = {
  input: ({ text }) => (text.includes('forbidden') ? { refuse: 'the rules' } : 'allow'),
} as const satisfies RuntimeOptions['guards']

it('guards check the runs of tasks, graphs and sub-agents', async () => {
  const call = { id: 'a', name: 'run_agent', args: { agent_id: 'a', task: 'the forbidden thing' } }
  const models = { boss: () => createScriptedModel([{ toolCalls: [call] }, { text: 'I could not.' }]) }
  await using runtime = createRuntime({ models, guards: refusing, environment: {} })
  await runtime.agents.create({ id: 'a', model: 'boss/any' })
  await runtime.graphs.create({ id: 'g', nodes: [{ id: 'n', agent: 'a', retries: 2 }] })

  const boss = await runtime.run({ agent_id: 'a', task: 'Have it done' })
  expect(JSON.stringify(boss.steps)).toContain('the rules')

  const graph = await runtime.graphs.run({ graph_id: 'g', input: 'forbidden' })
  expect(graph.node_results[0]).toMatchObject({ status: 'failed', code: 'guard_refused', attempts: 1 })

  const { task } = await runtime.tasks.create({ agent_id: 'a', task: 'forbidden' })
  const ended = await vi.waitFor(async () => {
    const now = await runtime.tasks.get(task.id)
    expect(now.status).toBe('failed')
    return now
  })
  expect(ended.failure).toMatchObject({ code: 'guard_refused', retryable: false })
})

it.each([
  [{ guards: { inputs: () => 'allow' } }, /"guards.inputs" is unknown/],
  [{ guards: { input: [] } }, /"guards.input" must be a function or a list/],
  [{ guards: { output: 'yes' } }, /"guards.output" must be a function/],
  [{ guards: { timeoutMs: 0 } }, /guards.timeoutMs/],
  [{ guards: [] }, /"guards" must be an object/],
])('rejects guards that would check nothing: %o', (options, reason) => {
  expect(() => createRuntime(options as never)).toThrow(reason)
})
