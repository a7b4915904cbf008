import { describe, expect, it, vi } from 'vitest'
import { createTestStore } from '../../testing/create-test-store.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import { createGate, createKit, firstOf, toolOf } from '../testing/run-kit.ts'

const callsOf = (...names: string[]) => ({ toolCalls: names.map((name) => ({ id: name, name })) })
const done = { text: 'Done.' }

/** A store, and the outcomes that it was told of one by one. */
function createNotingStore(answer?: boolean) {
  const inner = createTestStore()
  const noted: string[] = []
  const saveEffect: RuntimeStore['saveEffect'] = async (effect, signal) => {
    if ('result' in effect.outcome) noted.push(effect.outcome.result.name)
    return answer ?? inner.saveEffect(effect, signal)
  }
  return { store: { ...inner, saveEffect }, noted }
}

describe('the calls of a turn', () => {
  it('are sixty-four at the most: the others go back to the model', async () => {
    const call = vi.fn(() => 'seen')
    const toolCalls = Array.from({ length: 66 }, (_, index) => ({ id: `c${index}`, name: 'look' }))
    const kit = createKit({ tools: [toolOf('look', call)], steps: [{ toolCalls }, done] })
    const { steps, success } = await kit.run()
    expect([success, steps.length]).toEqual([true, 66])
    expect(call).toHaveBeenCalledTimes(64)
    const problem = expect.stringContaining('Not called: more than 64 calls')
    expect(steps.slice(63)).toMatchObject([{ result: 'seen' }, { error: problem }, { error: problem }])
  })

  it('A8: have their outcomes written down as they come, but for the last one, which goes with the next step', async () => {
    const { store, noted } = createNotingStore()
    const gate = createGate()
    const tools = [
      toolOf('slow', gate.wait),
      toolOf('quick', () => 1),
      toolOf('alone', () => 1),
      toolOf('last', async () => {
        await vi.waitFor(() => expect(noted).toEqual(['quick']), { timeout: 60_000 })
        gate.open()
        await vi.waitFor(() => expect(noted).toEqual(['quick', 'slow']), { timeout: 60_000 })
      }),
    ]
    const steps = [callsOf('alone'), callsOf('slow', 'quick', 'last'), callsOf('alone'), done]
    expect(await createKit({ store, tools, steps }).run()).toMatchObject({ success: true, tool_calls: 5 })
    expect(noted).toEqual(['quick', 'slow'])
  })

  it('stop when the outcome of one cannot be kept, because the run is somebody else’s', async () => {
    const { store, noted } = createNotingStore(false)
    const reasons: unknown[] = []
    const wait = toolOf('wait', (_, { signal }) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      signal.addEventListener('abort', () => resolve(void reasons.push(signal.reason)))
      return promise
    })
    const kit = createKit({
      store,
      tools: [wait, toolOf('quick', () => 1)],
      steps: [callsOf('wait', 'quick')],
    })
    const { runId } = await kit.runs.start({ agent_id: 'helper', task: 'x' })
    await vi.waitFor(() => expect(reasons).toHaveLength(1), { timeout: 60_000 })
    expect(String(reasons[0])).toContain('Another process has taken over the run')
    expect(noted).toEqual(['quick'])
    expect(await store.findRun(runId)).toMatchObject({ status: 'running' })
    await kit.runs.close()
  })

  it('that are not made are told of once, and counted, whether others are made or not', async () => {
    for (const names of [['nothing'], ['look', 'nothing']]) {
      const kit = createKit({ tools: [toolOf('look', () => 1)], steps: [callsOf(...names), done] })
      const result = await kit.run()
      expect(result.tool_calls).toBe(names.length)
      const journal = await kit.store.listEvents({ runId: result.run_id, limit: 99 })
      const told = (type: string) =>
        journal.filter((event) => event.type === type).map(({ data }) => data['tool'])
      expect(told('tool.called')).toEqual(names)
      // what is not made is told of before what takes its time
      expect(told('tool.completed')).toEqual(names.toReversed())
      const events = (await kit.events(result.run_id)).map(({ event }) => event.event)
      expect(events.filter((event) => event.startsWith('tool_'))).toHaveLength(2 * names.length)
    }
  })

  it('have their time told, which is never less than none', async () => {
    for (const [passedMs, told] of [
      [250, 250],
      [-5000, 0],
    ] as const) {
      let nowMs = Date.UTC(2026, 0)
      const tools = [toolOf('look', () => void (nowMs += passedMs))]
      const kit = createKit({ tools, steps: [callsOf('look'), done], now: () => nowMs })
      await kit.run()
      const [event] = await kit.store.listEvents({ type: 'tool.completed', limit: 9 })
      expect(event?.data).toMatchObject({ tool: 'look', ok: true, duration_ms: told })
    }
  })
})

describe('the workspace of a run', () => {
  it('is asked for with its first call, and once', async () => {
    const workspace = vi.fn(async (agentId: string) => `/kept/${agentId}`)
    const seen: string[] = []
    const tools = [toolOf('look', (_, context) => void seen.push(context.workspace))]
    const kit = createKit({ workspace, tools, steps: [callsOf('look'), callsOf('look'), done] })
    await kit.run()
    expect(seen).toEqual(['/kept/helper', '/kept/helper'])
    expect(workspace).toHaveBeenCalledTimes(1)
  })

  it('that cannot be had is an error for the model, and is asked for again with the next call', async () => {
    const workspace = vi.fn(async () => '/kept').mockRejectedValueOnce(new Error('read-only'))
    const call = vi.fn(() => 'seen')
    const logger = { warn: vi.fn(), error: vi.fn() }
    const steps = [callsOf('look'), callsOf('look'), done]
    const kit = createKit({ workspace, logger, tools: [toolOf('look', call)], steps })
    const result = await kit.run()
    expect(result).toMatchObject({
      success: true,
      steps: [
        { error: "Opening the agent's workspace failed. Read the log of the server." },
        { result: 'seen' },
      ],
    })
    expect(call).toHaveBeenCalledTimes(1)
    expect(logger.error.mock.calls).toEqual([
      ['Opening the workspace of an agent failed', { agentId: 'helper', error: 'Error: read-only' }],
    ])
    expect(firstOf(await kit.events(result.run_id)).tool_call).toMatchObject({ id: 'look', name: 'look' })
  })
})

it('a run of nobody gives its tools no user', async () => {
  const users: unknown[] = []
  const tools = [toolOf('look', (_, context) => void users.push('userId' in context, context.userId))]
  const kit = createKit({ tools, steps: [callsOf('look'), done, callsOf('look'), done] })
  await kit.run()
  await kit.run('Look', { user_id: 'ann' })
  expect(users).toEqual([false, undefined, true, 'ann'])
})
