import * as fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createTestStore } from '../testing/create-test-store.ts'
import type { ModelMessage } from '../ports/message.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { createGate, createKit, namesOf, toolOf } from './testing/run-kit.ts'

afterEach(() => void vi.useRealTimers())

/** Ids of calls without exactly one result, and of results without a call. */
function unanswered(messages: readonly ModelMessage[]): string[] {
  const open: string[] = []
  for (const message of messages) {
    if (message.role === 'assistant') {
      for (const part of message.parts) if (part.type === 'tool_call') open.push(part.id)
    } else if (message.role === 'tool') {
      for (const { id } of message.results) {
        if (open.includes(id)) open.splice(open.indexOf(id), 1)
        else open.push(`result ${id}`)
      }
    } else if (open.length > 0) return open
  }
  return open
}

describe('cancelling', () => {
  it('keeps the text and the usage of the answer that was coming', async () => {
    const kit = createKit({ steps: [{ text: ['Half ', 'a sentence'], hang: true }] })
    const { runId, result } = await kit.runs.start({ agent_id: 'helper', task: 'x' })
    for await (const { event } of kit.runs.events(runId, 0)) {
      if (event.event === 'assistant' && event.data.delta === 'a sentence') break
    }
    const run = await kit.runs.cancel(runId)
    expect(run).toMatchObject({ status: 'cancelled' })
    expect(await result).toMatchObject({
      stop_reason: 'cancelled',
      code: 'cancelled',
      output: 'Half a sentence',
    })
    expect((await result).usage.output_tokens).toBeGreaterThan(0)
    expect(await kit.runs.cancel(runId)).toEqual(run)
    await expect(kit.runs.cancel('nothing')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('gives every tool call a result, those that were under way an error', async () => {
    const started = createGate()
    const quick = toolOf('quick', () => 'quick result')
    const stuck = toolOf('stuck', () => {
      started.open()
      return new Promise(() => {})
    })
    const steps = [{ toolCalls: [{ name: 'quick' }, { name: 'stuck' }, { name: 'nowhere' }] }]
    const kit = createKit({ tools: [quick, stuck], steps })
    const { runId, result } = await kit.runs.start({ agent_id: 'helper', task: 'x' })
    await started.wait()
    await kit.runs.cancel(runId)
    expect((await result).steps).toMatchObject([
      { tool: 'quick', result: 'quick result' },
      { tool: 'stuck', error: expect.stringContaining('stopped') },
      { tool: 'nowhere', error: expect.stringContaining('No tool has the name') },
    ])
    const { rows } = await kit.store.listMessages((await result).conversation_id, { limit: 9 })
    expect(unanswered(rows.toReversed().map(({ message }) => message))).toEqual([])
  })

  it("ends by the caller's own signal too, and lets go of it", async () => {
    const caller = new AbortController()
    const remove = vi.spyOn(caller.signal, 'removeEventListener')
    const kit = createKit({ steps: [{ gate: () => new Promise(() => {}) }] })
    const { result } = await kit.runs.start({ agent_id: 'helper', task: 'x' }, { signal: caller.signal })
    caller.abort()
    expect(await result).toMatchObject({ stop_reason: 'cancelled', code: 'cancelled' })
    expect(remove).toHaveBeenCalled()
  })

  it('A6: leaves a whole history and nothing running, wherever it comes', async () => {
    const anywhere = fc.integer({ min: 0, max: 60 })
    await fc.assert(
      fc.asyncProperty(anywhere, async (ticks) => {
        const tools = [toolOf('a', () => 1), toolOf('b', async () => Promise.resolve(2))]
        const turn = { text: ['x', 'y'], toolCalls: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] }
        const kit = createKit({ tools, steps: [turn, turn, turn, { text: 'End' }] })
        const { runId, result } = await kit.runs.start({ agent_id: 'helper', task: 'x' })
        for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve()
        const run = await kit.runs.cancel(runId)
        expect(['cancelled', 'completed']).toContain(run.status)
        const { conversation_id } = await result
        const { rows } = await kit.store.listMessages(conversation_id, { limit: 50 })
        expect(unanswered(rows.toReversed().map(({ message }) => message))).toEqual([])
        const events = await kit.events(runId)
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
        expect(namesOf(events).filter((name) => name === 'done' || name === 'error')).toHaveLength(1)
        const calls = kit.model.calls.length
        await kit.runs.close()
        expect(kit.model.calls).toHaveLength(calls)
      }),
      { numRuns: 120 },
    )
  })
})

describe('closing', () => {
  it('cancels what runs, waits for it, and refuses new runs', async () => {
    vi.useFakeTimers()
    const kit = createKit({
      steps: [{ gate: () => new Promise(() => {}) }, { gate: () => new Promise(() => {}) }],
    })
    const handles = [
      await kit.runs.start({ agent_id: 'helper', task: '1' }),
      await kit.runs.start({ agent_id: 'helper', task: '2' }),
    ]
    const starting = kit.runs.start({ agent_id: 'helper', task: '3' }).then(
      ({ result }) => result,
      (error: unknown) => error,
    )
    const listening = kit.runs.events(handles[0]?.runId ?? '', 0)[Symbol.asyncIterator]()
    expect((await listening.next()).value).toMatchObject({ seq: 1, event: { event: 'start' } })
    const rest = Array.fromAsync({ [Symbol.asyncIterator]: () => listening })
    await kit.runs.close()
    await kit.runs.close()
    expect(vi.getTimerCount()).toBe(0)
    for (const { result } of handles) expect(await result).toMatchObject({ stop_reason: 'cancelled' })
    expect(await starting).toMatchObject({ code: expect.stringMatching(/closed|cancelled/) })
    const kinds = (await rest).map(({ event }) => event.event)
    expect(kinds.filter((kind) => kind === 'done' || kind === 'error')).toEqual(['error'])
    expect(kinds.at(-1)).toBe('error')
    await expect(kit.run()).rejects.toMatchObject({ code: 'closed' })
  })

  it('does not wait for ever for a reader that takes no more events', async () => {
    vi.useFakeTimers()
    const kit = createKit({ steps: [{ gate: () => new Promise(() => {}) }] })
    const { runId } = await kit.runs.start({ agent_id: 'helper', task: 'x' })
    const idle = kit.runs.events(runId, 0)[Symbol.asyncIterator]()
    await idle.next()
    const closing = kit.runs.close()
    await vi.advanceTimersByTimeAsync(500)
    await closing
    expect(await idle.next()).toMatchObject({ done: true })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('leaves runs that wait for people as they are', async () => {
    const pay = toolOf('pay', () => 1, { effects: 'external' })
    const kit = createKit({ tools: [pay], steps: [{ toolCalls: [{ name: 'pay' }] }] })
    const handle = await kit.runs.start({ agent_id: 'helper', task: 'x' }, { tainted: true })
    const { run_id } = await handle.result
    const stored = (await kit.store.listRunEvents(run_id, 0)).flatMap(({ events }) => events)
    const listening = kit.runs.events(run_id, stored.length - 1)[Symbol.asyncIterator]()
    expect((await listening.next()).value).toMatchObject({ event: { event: 'approval' } })
    const waiting = listening.next()
    await kit.runs.close()
    expect(await waiting).toMatchObject({ done: true })
    expect((await kit.store.findRun(run_id))?.status).toBe('waiting')
  })
})

describe('a store that fails', () => {
  it('while the run goes on ends it as failed, and says so to those who listen', async () => {
    const store = {
      ...createTestStore(),
      saveRunStep: () => Promise.reject(new RuntimeError('storage_error', 'Saving: full')),
    }
    const tools = [toolOf('a', () => 1, { effects: 'write' })]
    const kit = createKit({ store, tools, steps: [{ toolCalls: [{ name: 'a' }] }] })
    const result = await kit.run()
    expect(result).toMatchObject({
      success: false,
      code: 'storage_error',
      stop_reason: 'error',
      tool_calls: 1,
    })
    expect(namesOf(await kit.events(result.run_id)).at(-1)).toBe('error')
  })

  it('lets calls that only read go on for one turn, and no further', async () => {
    const saveRunStep = () => Promise.reject(new RuntimeError('storage_error', 'Saving: full'))
    const store = { ...createTestStore(), saveRunStep }
    const look = vi.fn(() => 1)
    // each answer takes longer than the write that fails
    const gate = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))
    const steps = Array.from({ length: 5 }, () => ({ gate, toolCalls: [{ name: 'a' }] }))
    const kit = createKit({ store, tools: [toolOf('a', look)], steps })
    expect(await kit.run()).toMatchObject({ success: false, code: 'storage_error' })
    expect(look).toHaveBeenCalledTimes(1)
  })

  it('at the end still gives a result and a last event', async () => {
    const store = { ...createTestStore(), finishRun: () => Promise.reject(new Error('disk full')) }
    const kit = createKit({ store, steps: [{ text: 'Done.' }] })
    const { runId, result } = await kit.runs.start({ agent_id: 'helper', task: 'x' })
    const listening = kit.events(runId)
    expect(await result).toMatchObject({ success: false, code: 'storage_error', output: 'Done.' })
    expect(namesOf(await listening).at(-1)).toBe('error')
  })

  it('at the start gives a storage error', async () => {
    const store = { ...createTestStore(), insertRun: () => Promise.reject(new Error('disk full')) }
    await expect(createKit({ store }).run()).rejects.toMatchObject({ code: 'storage_error', retryable: true })
  })

  it('a logger that throws stops nothing', async () => {
    const fail = () => {
      throw new Error('logger')
    }
    const kit = createKit({
      logger: { warn: fail, error: fail },
      steps: [{ cut: true }, { text: 'Fine.' }],
      retry: { baseMs: 0 },
    })
    expect((await kit.run()).output).toBe('Fine.')
  })

  it('tools or a workspace that cannot be had fail the run, or the call', async () => {
    const noTools = createKit({ tools: () => { throw new Error('skills folder gone') } }) // prettier-ignore
    expect(await noTools.run()).toMatchObject({ success: false, code: 'run_error' })
    const noFolder = createKit({
      tools: [toolOf('a', () => 1)],
      workspace: () => Promise.reject(new Error('read-only')),
      steps: [{ toolCalls: [{ name: 'a' }] }, { text: 'Sorry.' }],
    })
    expect(await noFolder.run()).toMatchObject({
      success: true,
      steps: [{ error: expect.stringContaining('workspace') }],
    })
  })
})

describe('what a run leaves behind', () => {
  it('is waited for when the runs close: a tool that takes its time to stop', async () => {
    const started = createGate()
    let hasStopped = false
    const slow = toolOf('slow', async (_, { signal }) => {
      started.open()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      for (let tick = 0; tick < 100; tick += 1) await Promise.resolve()
      hasStopped = true
    })
    const kit = createKit({ tools: [slow], steps: [{ toolCalls: [{ name: 'slow' }] }] })
    const { result } = await kit.runs.start({ agent_id: 'helper', task: 'x' })
    await started.wait()
    await kit.runs.close()
    expect(hasStopped).toBe(true)
    expect(await result).toMatchObject({ stop_reason: 'cancelled' })
  })

  it('is not waited for without end', async () => {
    vi.useFakeTimers()
    const started = createGate()
    const stuck = toolOf('stuck', () => {
      started.open()
      return new Promise(() => {})
    })
    const kit = createKit({ tools: [stuck], steps: [{ toolCalls: [{ name: 'stuck' }] }] })
    await kit.runs.start({ agent_id: 'helper', task: 'x' })
    await started.wait()
    const closing = kit.runs.close()
    await vi.advanceTimersByTimeAsync(5000)
    await closing
    expect(vi.getTimerCount()).toBe(0)
  })
})
