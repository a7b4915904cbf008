import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTestStore } from '../../testing/create-test-store.ts'
import { agentOf, createKit, toolOf } from '../testing/run-kit.ts'

/** Long enough for a lease to be over, and for the look behind it. */
const leaseOverMs = 27_000
const never = () => new Promise<void>(() => {})

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('several calls of a turn, of which one had ended when their process went away', () => {
  const callsOf = (...names: string[]) => ({ toolCalls: names.map((name) => ({ id: name, name })) })

  /** Has a first process made these calls, which hang but for `ended`, and goes on in another one. */
  async function goOn(names: readonly string[], more: ReturnType<typeof callsOf>[], fields: object = {}) {
    const store = { ...createTestStore(), isDurable: true }
    const agents = [agentOf({ approval_tools: ['asked'] })]
    const made: string[] = []
    const tools = (isFirst: boolean) =>
      [...names, 'pay'].map((name) =>
        toolOf(
          name,
          () => {
            made.push(name)
            return isFirst && name !== 'ended' ? never() : `${name} did`
          },
          {
            ...(name === 'ended' && fields),
            ...(name === 'once' && { idempotent: false }),
            ...(name === 'pay' && { effects: 'external' }),
          },
        ),
      )
    const gone = createKit({
      store: { ...store, renewRuns: never as never },
      agents,
      tools: tools(true),
      steps: [callsOf(...names)],
    })
    const { runId } = await gone.runs.start({ agent_id: 'helper', task: 'x' })
    const isKept = async () => (await store.listEffects(runId)).filter(({ outcome }) => outcome).length
    await vi.waitFor(async () => expect(await isKept()).toBe(1), { timeout: 60_000 })
    const other = createKit({ store, agents, tools: tools(false), steps: [...more, { text: 'End' }] })
    const { result } = await other.runs.attach(runId)
    await vi.advanceTimersByTimeAsync(leaseOverMs)
    const end = await result
    await other.runs.close()
    return { end, made, model: other.model }
  }

  it('A8: keep the order of the calls, and what had ended is not made again', async () => {
    const { end, made } = await goOn(['slow', 'ended', 'slow2'], [])
    expect(made).toEqual(['slow', 'ended', 'slow2', 'slow', 'slow2'])
    expect(end.steps).toEqual(
      ['slow', 'ended', 'slow2'].map((tool) => ({ tool, args: {}, result: `${tool} did` })),
    )
    expect(end).toMatchObject({ success: true, tool_calls: 3 })
  })

  it('A20: what a stranger may have made still counts, of a call that had ended', async () => {
    for (const effects of ['read', 'write'] as const) {
      const untrusted = await goOn(['slow', 'ended'], [callsOf('pay')], {
        returnsUntrustedContent: true,
        effects,
      })
      expect(untrusted.end).toMatchObject({ stop_reason: 'approval', approvals: [{ tool: 'pay' }] })
      expect(untrusted.made).toEqual(['slow', 'ended', 'slow'])
      const free = await goOn(['slow', 'ended'], [callsOf('pay')], { effects })
      expect(free.end).toMatchObject({ success: true, steps: [{}, {}, { result: 'pay did' }] })
    }
  })

  it('A20: the run waits behind them for what a person is asked about', async () => {
    const { end, made } = await goOn(['slow', 'asked', 'ended'], [])
    expect(end).toMatchObject({ stop_reason: 'approval', approvals: [{ tool: 'asked' }] })
    expect(end.steps.map(({ tool }) => tool)).toEqual(['slow', 'ended'])
    expect(made).toEqual(['slow', 'ended', 'slow'])
  })

  it('A8: none is made again where one is uncertain; that one alone is named', async () => {
    const { end, made } = await goOn(['slow', 'asked', 'ended', 'once'], [])
    expect(end).toMatchObject({ success: false, code: 'effect_uncertain' })
    expect(end.error).toMatch(/while "once" was running/)
    const unknown = expect.stringContaining('may or may not have taken effect')
    expect(end.steps.slice(0, 3)).toMatchObject([
      { tool: 'slow', error: unknown },
      { tool: 'ended', result: 'ended did' },
      { tool: 'once', error: unknown },
    ])
    expect(made).toEqual(['slow', 'ended', 'once'])
  })
})
