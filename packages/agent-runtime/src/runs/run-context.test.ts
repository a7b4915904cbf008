import { describe, expect, it, vi } from 'vitest'
import { createRuntime } from '../index.ts'
import type { ToolContext } from '../ports/tool.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { createTestStore } from '../testing/create-test-store.ts'
import { createScriptedModel } from '../testing/scripted-model.ts'
import { agentOf, createKit, toolOf } from './testing/run-kit.ts'

const look = { toolCalls: [{ name: 'look' }] }
const last = { text: 'Done.' }
const metadata = { tenant: 't1' }

describe('the context of a run', () => {
  it('is built from the identifiers of the run, and reaches its tools', async () => {
    const seen: Partial<ToolContext>[] = []
    const contextFor = vi.fn(() => ({ db: 'of t1' }))
    const tool = toolOf('look', (_, context) => void seen.push(context))
    const kit = createKit({ tools: [tool], steps: [look, last], contextFor })
    const { run_id: runId, conversation_id: conversationId } = await kit.run('x', {
      user_id: 'ann',
      metadata,
    })
    const identity = { runId, agentId: 'helper', conversationId, userId: 'ann', metadata }
    expect(contextFor.mock.calls).toEqual([[identity, expect.any(AbortSignal)]])
    expect(seen).toMatchObject([{ ...identity, context: { db: 'of t1' } }])
  })

  it('is undefined without contextFor, and metadata is empty without any', async () => {
    const seen: Partial<ToolContext>[] = []
    const kit = createKit({
      tools: [toolOf('look', (_, context) => void seen.push(context))],
      steps: [look, last],
    })
    await kit.run()
    expect(seen).toMatchObject([{ context: undefined, metadata: {} }])
  })

  it('D28: is built again by the process that resumes the run', async () => {
    const store = createTestStore()
    const first = createKit({
      store,
      contextFor: () => 'first process',
      steps: [look],
      tools: [toolOf('look', () => 1, { needsApproval: () => true })],
    })
    const { run_id: runId, approvals = [] } = await first.run('x', { metadata })
    await first.runs.close()
    const seen: unknown[] = []
    const second = createKit({
      store,
      contextFor: ({ metadata: known }) => ({ second: known }),
      steps: [last],
      tools: [toolOf('look', (_, { context }) => void seen.push(context))],
    })
    await second.runs.decideApproval(runId, approvals[0]?.id ?? '', { decision: 'approve' })
    await second.events(runId)
    expect(seen).toEqual([{ second: metadata }])
  })

  it('that cannot be built keeps the run from starting, and says why in the log only', async () => {
    const contextFor = () => Promise.reject(new Error('no route to db.internal'))
    const kit = createKit({ contextFor })
    await expect(kit.run()).rejects.toMatchObject({
      code: 'run_error',
      message:
        'Building the context of a run failed: contextFor threw an error. See the server log for details.',
    })
    expect(kit.warnings).toEqual(['Calling a function of the app failed'])
    const told = createKit({
      contextFor: () => Promise.reject(new RuntimeError('not_found', 'There is no such shop.')),
    })
    await expect(told.run()).rejects.toMatchObject({ code: 'not_found', message: 'There is no such shop.' })
    expect((await kit.runs.list()).runs).toEqual([])
  })

  it('has 30 seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const kit = createKit({ contextFor: () => new Promise<never>(() => {}) })
    const failed = expect(kit.run()).rejects.toThrow('contextFor must finish within 30 s')
    await vi.advanceTimersByTimeAsync(30_000)
    await failed
    vi.useRealTimers()
  })

  it('of an agent that another one runs has the metadata of the first', async () => {
    const metadataSeen: unknown[] = []
    const first = createScriptedModel([
      { toolCalls: [{ name: 'run_agent', args: { agent_id: 'below', task: 'y' } }] },
      last,
    ])
    const below = createScriptedModel([look, last])
    await using runtime = createRuntime({
      models: { first: () => first, below: () => below },
      tools: [toolOf('look', (_, context) => void metadataSeen.push(context.metadata))],
      environment: {},
    })
    await runtime.agents.create(agentOf({ id: 'top', model: 'first/m' }))
    await runtime.agents.create(agentOf({ id: 'below', model: 'below/m' }))
    await runtime.run({ agent_id: 'top', task: 'x', metadata })
    expect(metadataSeen).toEqual([metadata])
  })
})

describe('the progress of a tool', () => {
  it('comes with the events of the run, without secrets, and not after the call', async () => {
    let late: ToolContext | undefined
    let nowMs = 0
    const tool = toolOf('look', (_, context) => {
      late = context
      for (const part of ['one', 'too soon', 'two s3cr3t-key', '']) {
        context.progress(part)
        nowMs += part === 'one' ? 100 : 200
      }
      return 1
    })
    const secrets = async () => ['s3cr3t-key']
    const kit = createKit({ tools: [tool], steps: [look, last], secrets, now: () => nowMs })
    const { run_id: runId } = await kit.run()
    late?.progress('late')
    const events = await kit.events(runId)
    const reports = events.flatMap(({ event }) => (event.event === 'tool_progress' ? [event.data] : []))
    expect(reports.map(({ name, text }) => [name, text])).toEqual([
      ['look', 'one'],
      ['look', 'two [secret]'],
    ])
    expect(JSON.stringify(kit.model.calls)).not.toContain('one')
  })
})
