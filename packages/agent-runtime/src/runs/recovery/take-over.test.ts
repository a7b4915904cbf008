import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTestStore } from '../../testing/create-test-store.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import { createGate, createKit, namesOf, toolOf } from '../testing/run-kit.ts'

/** A store that outlives the processes of a test. */
const durable = (): RuntimeStore => ({ ...createTestStore(), isDurable: true })
/** Long enough for a lease to be over, and for the look behind it. */
const leaseOverMs = 27_000
const never = () => new Promise<void>(() => {})

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A process that hangs: its store answers no more, and none of its timers does anything. */
function pausable(store: RuntimeStore) {
  const state = { isPaused: false, resume: createGate() }
  const held = async (given: unknown) => {
    if (state.isPaused) await state.resume.wait()
    return given
  }
  const renewRuns: RuntimeStore['renewRuns'] = async (...given) => {
    await held(undefined)
    return store.renewRuns(...given)
  }
  return { store: { ...store, renewRuns }, state }
}

describe('a run whose process is gone', () => {
  it('A8: goes on in another process once its lease is over, behind what was kept', async () => {
    const store = durable()
    const calls: string[] = []
    const tools = [toolOf('a', () => calls.push('a'))]
    const gone = createKit({
      store: { ...store, renewRuns: never as never },
      tools,
      steps: [{ toolCalls: [{ name: 'a' }] }, { text: ['never ', 'kept'], gate: never }],
    })
    const { runId } = await gone.runs.start({ agent_id: 'helper', task: 'x' })
    await vi.waitFor(async () => expect(await store.listRunMessages(runId)).toHaveLength(2), {
      timeout: 60_000,
    })

    const other = createKit({ store, tools, steps: [{ text: 'End' }] })
    expect(await other.runs.find(runId)).toMatchObject({ status: 'running' })
    const handle = await other.runs.attach(runId)
    const listening = other.events(runId)
    await vi.advanceTimersByTimeAsync(leaseOverMs)
    expect(await handle.result).toMatchObject({ success: true, output: 'End', turns: 2, tool_calls: 1 })
    expect(calls).toEqual(['a'])
    expect(namesOf(await listening)).toEqual([
      'start',
      'usage',
      'tool_start',
      'tool_call',
      'assistant',
      'usage',
      'done',
    ])
    await other.runs.close()
  })

  it('A6: a reader sees each event of the final history once; what was never kept has numbers of its own', async () => {
    const store = durable()
    const gone = createKit({
      store: { ...store, renewRuns: never as never },
      tools: [toolOf('a', () => 1)],
      steps: [{ toolCalls: [{ name: 'a' }] }, { text: ['half ', 'an answer'], hang: true }],
    })
    const { runId } = await gone.runs.start({ agent_id: 'helper', task: 'x' })
    const seen: { seq: number; name: string }[] = []
    for await (const { seq, event } of gone.runs.events(runId, 0)) {
      seen.push({ seq, name: event.event })
      if (seen.filter(({ name }) => name === 'assistant').length === 2) break
    }
    const other = createKit({ store, tools: [toolOf('a', () => 1)], steps: [{ text: 'A whole answer' }] })
    await other.runs.recover()
    await vi.advanceTimersByTimeAsync(leaseOverMs)
    // as a client does with Last-Event-ID
    const rest = await other.events(runId, seen.at(-1)?.seq)
    expect(namesOf(rest)).toEqual(['assistant', 'usage', 'done'])
    const history = (await other.events(runId)).map(({ seq }) => seq)
    const all = [...seen.map(({ seq }) => seq), ...rest.map(({ seq }) => seq)]
    expect(all).toEqual([...new Set(all)].toSorted((a, b) => a - b))
    expect(all.filter((seq) => history.includes(seq))).toEqual(history)
    await other.runs.close()
  })

  it('A8: a call of a tool that may be repeated is made again with the same key; of another one a person decides', async () => {
    for (const repeat of ['safe', 'once'] as const) {
      const store = durable()
      const keys: string[] = []
      const slow = (stuck: boolean) => [
        toolOf(
          'send',
          (_, { idempotencyKey }) => {
            keys.push(idempotencyKey)
            return stuck ? never() : 'sent'
          },
          { idempotent: repeat === 'safe' },
        ),
      ]
      const steps = [{ toolCalls: [{ name: 'send', id: 'c' }] }, { text: 'End' }]
      const gone = createKit({ store: { ...store, renewRuns: never as never }, tools: slow(true), steps })
      const { runId } = await gone.runs.start({ agent_id: 'helper', task: 'x' })
      await vi.waitFor(() => expect(keys).toHaveLength(1), { timeout: 60_000 })
      const other = createKit({ store, tools: slow(false), steps: steps.slice(1) })
      const { result } = await other.runs.attach(runId)
      await vi.advanceTimersByTimeAsync(leaseOverMs)
      if (repeat === 'safe') {
        expect(await result).toMatchObject({ success: true, steps: [{ tool: 'send', result: 'sent' }] })
        expect(keys).toEqual([keys[0], keys[0]])
      } else {
        expect(await result).toMatchObject({
          success: false,
          code: 'effect_uncertain',
          error: expect.stringMatching(/"send".*may or may not have taken effect/),
          steps: [{ error: expect.stringContaining('may or may not have taken effect') }],
        })
        expect(keys).toHaveLength(1)
      }
      await other.runs.close()
    }
  })
})

describe('fencing', () => {
  it('a process that was paused writes nothing and begins no tool once another one has its run', async () => {
    const inner = durable()
    const { store, state } = pausable(inner)
    const answer = createGate()
    const made: string[] = []
    const tool = (name: string) => [toolOf('act', () => made.push(name))]
    const paused = createKit({
      store,
      tools: tool('paused'),
      steps: [{ toolCalls: [{ name: 'act' }], gate: answer.wait }],
    })
    const handle = await paused.runs.start({ agent_id: 'helper', task: 'x' })
    const listening = paused.events(handle.runId)
    await vi.advanceTimersByTimeAsync(1)
    state.isPaused = true

    const other = createKit({
      store: inner,
      tools: tool('other'),
      steps: [{ toolCalls: [{ name: 'act' }] }, { text: 'End' }],
    })
    await other.runs.recover()
    await vi.advanceTimersByTimeAsync(leaseOverMs)
    expect(await (await other.runs.attach(handle.runId)).result).toMatchObject({ output: 'End' })
    const before = await other.events(handle.runId)

    answer.open()
    state.resume.open()
    await vi.advanceTimersByTimeAsync(6000)
    expect(made).toEqual(['other'])
    expect(await handle.result).toMatchObject({ output: 'End' })
    // its start was told here before it was kept, and once more by who went on
    expect(namesOf(await listening).slice(1)).toEqual(namesOf(before))
    expect(await other.events(handle.runId)).toEqual(before)
    expect(paused.warnings).toEqual(['Another process took over a run while it was running here.'])
    await Promise.all([paused.runs.close(), other.runs.close()])
  })

  it('a run whose end was kept while its lease was renewed is not taken for lost', async () => {
    const inner = durable()
    const told = createGate()
    const finishRun: RuntimeStore['finishRun'] = async (...given) => {
      const isKept = await inner.finishRun(...given)
      await told.wait()
      return isKept
    }
    const kit = createKit({ store: { ...inner, finishRun }, steps: [{ text: 'End' }] })
    const { runId, result } = await kit.runs.start({ agent_id: 'helper', task: 'x' })
    await vi.waitFor(async () => expect(await inner.findRun(runId)).toMatchObject({ status: 'completed' }), {
      timeout: 60_000,
    })
    await vi.advanceTimersByTimeAsync(6000)
    told.open()
    expect(await result).toMatchObject({ success: true, output: 'End' })
    expect(kit.warnings).toEqual([])
    await kit.runs.close()
  })

  it('asks whether it still has the run before it begins a tool, when its lease may be over', async () => {
    const inner = durable()
    let nowMs = Date.now()
    const made: string[] = []
    const saveRunStep: RuntimeStore['saveRunStep'] = async (step, signal) => {
      const kept = await inner.saveRunStep(step, signal)
      // the process hangs behind the write that announces the call, and another one takes the run
      if (step.intents) {
        nowMs += 60_000
        const [now, until] = [0, 60_000].map((ms) => new Date(nowMs + ms).toISOString())
        await inner.claimRuns({ lease: { owner: 'other', until: until ?? '' }, now: now ?? '', limit: 1 })
      }
      return kept
    }
    const kit = createKit({
      store: { ...inner, saveRunStep },
      now: () => nowMs,
      tools: [toolOf('act', () => made.push('act'), { idempotent: false })],
      steps: [{ toolCalls: [{ name: 'act' }] }],
    })
    const { runId } = await kit.runs.start({ agent_id: 'helper', task: 'x' })
    await vi.waitFor(async () => expect((await inner.findRun(runId))?.lease?.owner).toBe('other'), {
      timeout: 60_000,
    })
    await vi.advanceTimersByTimeAsync(0)
    expect(made).toEqual([])
    await kit.runs.close()
  })

  it('goes on with its run behind a pause when nobody has taken it', async () => {
    const inner = durable()
    let nowMs = Date.now()
    const renewed: string[][] = []
    const kit = createKit({
      store: {
        ...inner,
        async saveRunStep(step, signal) {
          const kept = await inner.saveRunStep(step, signal)
          if (step.intents && renewed.length === 0) nowMs += 60_000
          return kept
        },
        renewRuns(lease, ids, signal) {
          renewed.push([...ids])
          return inner.renewRuns(lease, ids, signal)
        },
      },
      now: () => nowMs,
      tools: [toolOf('act', () => 'acted', { idempotent: false })],
      steps: [{ toolCalls: [{ name: 'act' }, { name: 'act' }] }, { text: 'End' }],
    })
    const { runId, result } = await kit.runs.start({ agent_id: 'helper', task: 'x' })
    expect(await result).toMatchObject({ success: true, steps: [{ result: 'acted' }, { result: 'acted' }] })
    expect(renewed).toEqual([[runId]])
    await kit.runs.close()
  })
})

describe('another process', () => {
  it('cancels a run: its owner hears of it', async () => {
    const store = durable()
    const here = createKit({ store, steps: [{ gate: never }] })
    const other = createKit({ store })
    const { runId, result } = await here.runs.start({ agent_id: 'helper', task: 'x' })
    const cancelling = other.runs.cancel(runId)
    await vi.advanceTimersByTimeAsync(6000)
    expect(await cancelling).toMatchObject({ status: 'cancelled' })
    expect(await result).toMatchObject({ stop_reason: 'cancelled' })
    await Promise.all([here.runs.close(), other.runs.close()])
  })

  it('cancels a run whose owner is gone', async () => {
    const store = durable()
    const gone = createKit({ store: { ...store, renewRuns: never as never }, steps: [{ gate: never }] })
    const { runId } = await gone.runs.start({ agent_id: 'helper', task: 'x' })
    const other = createKit({ store })
    const cancelling = other.runs.cancel(runId)
    await vi.advanceTimersByTimeAsync(leaseOverMs)
    expect(await cancelling).toMatchObject({ status: 'cancelled', result: { stop_reason: 'cancelled' } })
    await other.runs.close()
  })

  it('joins a run by its idempotency key, and gets its result', async () => {
    const store = durable()
    const answer = createGate()
    const here = createKit({ store, steps: [{ text: 'Yes', gate: answer.wait }] })
    const other = createKit({ store })
    const request = { agent_id: 'helper', task: 'x', idempotency_key: 'k' }
    const first = await here.runs.start(request)
    const second = await other.runs.start(request)
    expect(second.runId).toBe(first.runId)
    answer.open()
    await vi.advanceTimersByTimeAsync(1000)
    expect(await second.result).toEqual(await first.result)
    await Promise.all([here.runs.close(), other.runs.close()])
  })
})

describe('closing over a durable store', () => {
  it('gives runs back instead of cancelling them: they go on at the next start, at once', async () => {
    const store = durable()
    const first = createKit({ store, steps: [{ text: ['half'], hang: true }] })
    const { runId, result } = await first.runs.start({ agent_id: 'helper', task: 'x' })
    const reading = first.events(runId)
    await vi.advanceTimersByTimeAsync(1)
    await first.runs.close()
    await expect(result).rejects.toMatchObject({ code: 'closed', retryable: true })
    expect(namesOf(await reading).at(-1)).toBe('assistant')
    expect(await store.findRun(runId)).toMatchObject({ status: 'running' })
    expect(vi.getTimerCount()).toBe(0)

    const second = createKit({ store, steps: [{ text: 'Whole' }] })
    await second.runs.recover()
    expect(await (await second.runs.attach(runId)).result).toMatchObject({ success: true, output: 'Whole' })
    await second.runs.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('waits for no tool once the calls of a turn have ended', async () => {
    const tools = [toolOf('look', () => 'seen')]
    const kit = createKit({
      store: durable(),
      tools,
      steps: [{ toolCalls: [{ name: 'look' }] }, { hang: true }],
    })
    const { runId, result } = await kit.runs.start({ agent_id: 'helper', task: 'x' })
    result.catch(() => {})
    await vi.waitFor(() => expect(kit.model.calls).toHaveLength(2), { timeout: 60_000 })
    let isClosed = false
    const closing = kit.runs.close().then(() => (isClosed = true))
    await vi.advanceTimersByTimeAsync(100)
    expect([isClosed, (await kit.store.listRunMessages(runId)).length]).toEqual([true, 2])
    await closing
  })

  it('A8: lets tools end for a while, and keeps what they did', async () => {
    const made: string[] = []
    const tool = (ms: number) => [
      toolOf(
        'send',
        async (_, { signal }) => {
          made.push('begun')
          await new Promise((resolve) => {
            const timer = setTimeout(resolve, ms)
            signal.addEventListener('abort', () => clearTimeout(timer))
          })
          made.push('done')
          return 'sent'
        },
        { idempotent: false },
      ),
    ]
    const steps = [{ toolCalls: [{ name: 'send', id: 'c' }] }, { text: 'End' }]
    for (const [ms, outcome] of [
      [1000, { success: true, output: 'End', steps: [{ result: 'sent' }] }],
      [9000, { success: false, code: 'effect_uncertain' }],
    ] as const) {
      made.length = 0
      const store = durable()
      const first = createKit({ store, tools: tool(ms), steps: steps.slice(0, 1) })
      const { runId } = await first.runs.start({ agent_id: 'helper', task: 'x' })
      await vi.waitFor(() => expect(made).toEqual(['begun']), { timeout: 60_000 })
      const closing = first.runs.close()
      await vi.advanceTimersByTimeAsync(10_000)
      await closing
      const second = createKit({ store, tools: tool(1), steps: steps.slice(1) })
      expect(await (await second.runs.attach(runId)).result).toMatchObject(outcome)
      expect(made.filter((what) => what === 'begun')).toHaveLength(1)
      await second.runs.close()
    }
  })
})
