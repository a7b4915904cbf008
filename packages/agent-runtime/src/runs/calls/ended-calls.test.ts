import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createTestStore } from '../../testing/create-test-store.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import { createGate, createKit, namesOf, toolOf } from '../testing/run-kit.ts'

const never = () => new Promise<never>(() => {})
/** Long enough for a lease to be over, and for the look behind it. */
const leaseOverMs = 27_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Leaves behind a run with a payment that was made, one that may have been, and a call of no tool. */
async function leaveRun() {
  const store: RuntimeStore = { ...createTestStore(), isDurable: true }
  let made = 0
  const tools = [
    toolOf('pay', () => ((made += 1) === 1 ? 'paid' : never()), { effects: 'external', idempotent: false }),
  ]
  const gone = createKit({
    store: { ...store, renewRuns: never },
    tools,
    steps: [
      {
        toolCalls: [
          { id: 'p1', name: 'pay' },
          { id: 'p2', name: 'pay' },
          { id: 'p3', name: 'unknown' },
        ],
      },
    ],
  })
  const { runId } = await gone.runs.start({ agent_id: 'helper', task: 'x' })
  await vi.waitFor(
    async () =>
      expect((await store.listEffects(runId)).map(({ outcome }) => outcome?.result.result)).toEqual([
        'paid',
        undefined,
      ]),
    {
      timeout: 60_000,
    },
  )
  return { store, runId, tools }
}

const told = [
  { result: 'paid' },
  { error: expect.stringContaining('may or may not have taken effect') },
  { error: expect.stringContaining('Not called') },
]

it('A8: a run that is cancelled behind a crash says which of its calls were made', async () => {
  const { store, runId } = await leaveRun()
  const other = createKit({ store })
  const cancelling = other.runs.cancel(runId)
  await vi.advanceTimersByTimeAsync(leaseOverMs)
  expect(await cancelling).toMatchObject({ status: 'cancelled', result: { steps: told } })
  await other.runs.close()
})

it('A8: a run whose agent is gone behind a crash says which of its calls were made', async () => {
  const { store, runId } = await leaveRun()
  const other = createKit({ store, agents: [] })
  const { result } = await other.runs.attach(runId)
  await vi.advanceTimersByTimeAsync(leaseOverMs)
  expect(await result).toMatchObject({ code: 'not_found', steps: told })
  await other.runs.close()
})

it('A8: a call whose workspace is still being opened when the process ends is made by the next one', async () => {
  const store: RuntimeStore = { ...createTestStore(), isDurable: true }
  const call = vi.fn(() => 'paid')
  const tools = [toolOf('pay', call)]
  const pay = { toolCalls: [{ id: 'p1', name: 'pay' }] }
  const first = createKit({ store, tools, steps: [pay], workspace: never })
  const { runId, result } = await first.runs.start({ agent_id: 'helper', task: 'x' })
  result.catch(() => {})
  await vi.waitFor(async () => expect(await store.listEffects(runId)).toHaveLength(1), { timeout: 60_000 })
  const closing = first.runs.close()
  await vi.advanceTimersByTimeAsync(10_000)
  await closing
  const second = createKit({ store, tools, steps: [{ text: 'End' }] })
  const ended = await (await second.runs.attach(runId)).result
  expect(ended).toMatchObject({ success: true, steps: [{ result: 'paid' }] })
  expect([call.mock.calls.length, first.warnings]).toEqual([1, []])
  await second.runs.close()
})

it('a call whose workspace is still being opened when the run is cancelled is told as stopped', async () => {
  const kit = createKit({
    tools: [toolOf('pay', () => 'paid')],
    steps: [{ toolCalls: [{ id: 'p1', name: 'pay' }] }],
    workspace: never,
  })
  const { runId } = await kit.runs.start({ agent_id: 'helper', task: 'x' })
  await vi.waitFor(async () => expect(await kit.store.listEffects(runId)).toHaveLength(1), {
    timeout: 60_000,
  })
  expect(await kit.runs.cancel(runId)).toMatchObject({
    status: 'cancelled',
    result: { steps: [{ error: expect.stringContaining('the run ended') }] },
  })
  expect(kit.warnings).toEqual([])
})

it('A8: goes on when the outcome of one of several calls cannot be kept at once: its turn holds it', async () => {
  const store = createTestStore()
  const saveEffect = vi.fn().mockRejectedValue(new Error('no connection'))
  const slow = createGate()
  const kit = createKit({
    store: { ...store, saveEffect },
    tools: [
      toolOf('pay', () => 'paid', { effects: 'external', idempotent: false }),
      toolOf('slow', slow.wait),
    ],
    steps: [
      {
        toolCalls: [
          { id: 'p', name: 'pay' },
          { id: 's', name: 'slow' },
        ],
      },
      { text: 'End' },
    ],
  })
  const { runId, result } = await kit.runs.start({ agent_id: 'helper', task: 'x' })
  await vi.waitFor(() => expect(saveEffect).toHaveBeenCalledOnce(), { timeout: 60_000 })
  slow.open()
  expect(await result).toMatchObject({
    success: true,
    output: 'End',
    steps: [{ result: 'paid' }, { result: null }],
  })
  expect(namesOf(await kit.events(runId)).filter((name) => name === 'tool_call')).toHaveLength(2)
  expect(kit.warnings).toEqual(['Saving the result of a tool call failed. Retrying.'])
})
