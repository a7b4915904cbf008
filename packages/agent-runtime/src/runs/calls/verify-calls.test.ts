import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createTestStore } from '../../testing/create-test-store.ts'
import type { Tool, Verification } from '../../ports/tool.ts'
import { agentOf, createKit, toolOf, type KitOptions } from '../testing/run-kit.ts'

/** Long enough for a lease to be over, and for the look behind it. */
const leaseOverMs = 27_000
const timeoutMs = 1000
const never = () => new Promise<never>(() => {})
const callsOf = (...names: string[]) => ({
  toolCalls: names.map((name) => ({ id: name, name, args: { name } })),
})

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Has a first process begin these calls, which hang, and a second one go on. */
async function goOn(
  names: readonly string[],
  verify: NonNullable<Tool['verify']>,
  options: KitOptions & { readonly fields?: Partial<Tool> } = {},
) {
  const { fields = {}, ...more } = options
  const store = { ...createTestStore(), isDurable: true }
  const made: string[] = []
  const asked = vi.fn(verify)
  const tools = (isFirst: boolean) =>
    names.map((name) =>
      toolOf(
        name,
        (_, { idempotencyKey }) => {
          made.push(`${name} ${idempotencyKey}`)
          return isFirst ? never() : `${name} did`
        },
        {
          effects: 'external',
          idempotent: false,
          ...(name !== 'plain' && { verify: asked }),
          ...(!isFirst && fields),
        },
      ),
    )
  const gone = createKit({
    ...more,
    store: { ...store, renewRuns: never },
    tools: tools(true),
    steps: [callsOf(...names)],
  })
  const { runId } = await gone.runs.start({ agent_id: 'helper', task: 'x' })
  await vi.waitFor(() => expect(made).toHaveLength(names.length), { timeout: 60_000 })
  const other = createKit({ ...more, store, tools: tools(false), steps: [{ text: 'End' }] })
  const { result } = await other.runs.attach(runId)
  await vi.advanceTimersByTimeAsync(leaseOverMs)
  await vi.waitFor(() => expect(asked).toHaveBeenCalled(), { timeout: 60_000 })
  await vi.advanceTimersByTimeAsync(timeoutMs)
  const end = await result
  await other.runs.close()
  return { end, made, asked, other, runId, key: `${runId}:1:0` }
}

it('A8: records the result of a call that took effect, without a second call', async () => {
  const { end, made, asked, key, other } = await goOn(['pay'], async () => ({
    happened: true,
    result: { paid: 1 },
  }))
  expect(end).toMatchObject({ success: true, output: 'End', tool_calls: 1 })
  expect(end.steps).toEqual([{ tool: 'pay', args: { name: 'pay' }, result: { paid: 1 } }])
  expect([made, asked.mock.calls.length]).toEqual([[`pay ${key}`], 1])
  const [args, about] = asked.mock.calls[0] ?? []
  expect([args, about]).toMatchObject([{ name: 'pay' }, { idempotencyKey: key, agentId: 'helper' }])
  expect(JSON.stringify(other.model.calls.at(-1))).toContain('{"paid":1}')
})

it.each([
  ['unknown', { success: false, code: 'effect_uncertain' }],
  [false, { success: true, output: 'End' }],
] as const)('A8: a call that was killed after its answer, happened: %s', async (happened, expected) => {
  const store = { ...createTestStore(), isDurable: true }
  let calls = 0
  const book = (isFirst: boolean) =>
    toolOf(
      'book',
      async (_, { ask }) => {
        const size = await ask({ message: 'Which size?' })
        calls += 1
        return isFirst ? never() : `booked ${JSON.stringify(size)}`
      },
      { effects: 'external', idempotent: false, verify: async () => ({ happened }) },
    )
  const gone = createKit({
    store: { ...store, renewRuns: never },
    tools: [book(true)],
    steps: [callsOf('book')],
  })
  const { run_id: runId, waits = [] } = await gone.run('x')
  await gone.runs.answerWait(runId, waits[0]!.id, { data: 'XL' })
  await vi.waitFor(() => expect(calls).toBe(1), { timeout: 60_000 })
  const other = createKit({ store, tools: [book(false)], steps: [{ text: 'End' }] })
  const { result } = await other.runs.attach(runId)
  await vi.advanceTimersByTimeAsync(leaseOverMs + timeoutMs)
  expect(await result).toMatchObject(expected)
  expect(calls).toBe(happened === false ? 2 : 1)
  await other.runs.close()
})

it('A8: makes a call again that did not take effect, with the same key', async () => {
  const { end, made, key } = await goOn(['pay'], async () => ({ happened: false }))
  expect(end).toMatchObject({ success: true, steps: [{ tool: 'pay', result: 'pay did' }] })
  expect(made).toEqual([`pay ${key}`, `pay ${key}`])
})

/** Answers when nobody waits for it any more. */
const late: NonNullable<Tool['verify']> = (_, { signal }) =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve({ happened: false })))
const unknowns: [string, NonNullable<Tool['verify']>][] = [
  ['says so', async () => ({ happened: 'unknown' })],
  ['fails', () => Promise.reject(new Error('down'))],
  ['takes longer than a call may', late],
  ['says something else', async () => ({ happened: 'yes' }) as unknown as Verification],
  ['gives a result that cannot be stored', async () => ({ happened: true, result: (() => 1) as never })],
]
it.each(unknowns)('A8: the run stops if the check %s', async (_, verify) => {
  const { end, made } = await goOn(['pay'], verify, { fields: { timeoutMs } })
  expect(end).toMatchObject({ success: false, code: 'effect_uncertain' })
  expect(made).toHaveLength(1)
})

it('A8: keeps the result of one call, and names the other whose tool cannot tell', async () => {
  const { end, made } = await goOn(['pay', 'plain'], async () => ({ happened: true, result: 'paid' }))
  expect(end).toMatchObject({ code: 'effect_uncertain', steps: [{ result: 'paid' }, { tool: 'plain' }] })
  expect(end.error).toContain('while "plain" was running')
  expect(made).toHaveLength(2)
})

it('A20: a result that a stranger may have written taints the run, and guards check it', async () => {
  const guards: KitOptions['guards'] = {
    toolResult: async () => ({ replace: { result: 'checked' } }),
  }
  const verify = async (): Promise<Verification> => ({ happened: true, result: 'raw' })
  const { end, other, runId } = await goOn(['pay'], verify, {
    guards,
    agents: [agentOf()],
    fields: { returnsUntrustedContent: true },
  })
  expect(end.steps).toMatchObject([{ result: 'checked' }])
  expect((await other.store.findRun(runId))?.progress.tainted).toBe(true)
})
