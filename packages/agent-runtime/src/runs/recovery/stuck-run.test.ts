import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createTestStore } from '../../testing/create-test-store.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import type { ScriptedResponse } from '../../testing/scripted-model.ts'
import { agentOf, createKit, toolOf } from '../testing/run-kit.ts'

const never = () => new Promise<never>(() => {})
const request = { agent_id: 'helper', task: 'x', idempotency_key: 'k' }
/** Numbers of the processes that take a run over before it is given up. */
const takeOvers = [1, 2, 3, 4, 5, 6, 7, 8, 9]
const act = { toolCalls: [{ name: 'act' }] }

let store: RuntimeStore
let calls = 0
beforeEach(() => {
  vi.useFakeTimers()
  store = { ...createTestStore(), isDurable: true }
  calls = 0
})
afterEach(() => void vi.useRealTimers())

/** The process of a number, from 0: it starts a minute after the one before, and renews nothing, so that its lease runs out. */
function openProcess(number: number, steps: readonly ScriptedResponse[], call: () => unknown = never) {
  const kit = createKit({
    store: { ...store, renewRuns: never },
    now: () => Date.UTC(2026, 0, 1) + number * 60_000,
    agents: [agentOf({ limits: { max_turns: 30 } }), agentOf({ id: 'parent' })],
    tools: ({ id }) =>
      id === 'parent'
        ? [
            toolOf('ask', async (_, { runId, idempotencyKey, signal }) => {
              const asked = { agent_id: 'helper', task: 'x', idempotency_key: idempotencyKey }
              const child = await kit.runs.start(asked, { parentRunId: runId, depth: 1, signal })
              const { success, error } = await child.result
              return { success, error }
            }),
          ]
        : [
            toolOf('act', () => {
              calls += 1
              return call()
            }),
          ],
    steps,
  })
  return kit
}

it('A8: ends a run in the middle of which ten processes ended, without a turn between them', async () => {
  const { runId } = await openProcess(0, [act]).runs.start(request)
  await vi.waitFor(() => expect(calls).toBe(1), { timeout: 60_000 })
  for (const number of takeOvers) {
    await openProcess(number, []).runs.recover()
    await vi.waitFor(() => expect(calls).toBe(number + 1), { timeout: 60_000 })
  }
  const last = openProcess(10, [])
  expect(await (await last.runs.attach(runId)).result).toMatchObject({
    success: false,
    code: 'run_error',
    retryable: true,
    error: expect.stringMatching(/10 processes in a row.*a new idempotency key/),
  })
  expect(await last.runs.find(runId)).toMatchObject({ status: 'failed' })
  expect(calls).toBe(10)
  expect(last.warnings).toEqual(['Resuming a run failed'])
})

/** Answers once, and then never. */
function onceOnly() {
  let isFirst = true
  return () => {
    if (!isFirst) return never()
    isFirst = false
    return 'acted'
  }
}

it('A8: goes on, however often its process ends, with a run that gets a turn further each time', async () => {
  const { runId } = await openProcess(0, [act]).runs.start(request)
  for (const number of [...takeOvers, 10, 11]) {
    await vi.waitFor(() => expect(calls).toBe(2 * number - 1), { timeout: 60_000 })
    await openProcess(number, [act], onceOnly()).runs.recover()
    await vi.waitFor(() => expect(calls).toBe(2 * number + 1), { timeout: 60_000 })
  }
  const last = openProcess(12, [{ text: 'End' }], () => 'acted')
  expect(await (await last.runs.attach(runId)).result).toMatchObject({
    success: true,
    output: 'End',
    turns: 13,
  })
})

it('A8: goes on with a run that was given back, however often', async () => {
  const { runId } = await openProcess(0, [act]).runs.start(request)
  for (const number of [...takeOvers, 10, 11]) {
    await vi.waitFor(() => expect(calls).toBe(number), { timeout: 60_000 })
    const [run] = (await store.listRuns({}, { limit: 1 })).rows
    await store.releaseRuns(run?.lease?.owner ?? '', [runId])
    await openProcess(number, []).runs.recover()
  }
  const last = openProcess(12, [{ text: 'End' }], () => 'acted')
  expect(await (await last.runs.attach(runId)).result).toMatchObject({ success: true, output: 'End' })
})

it('A8: of a run and its sub-agent it ends the sub-agent, and the run hears of it', async () => {
  const asked = { agent_id: 'parent', task: 'x', idempotency_key: 'k' }
  const { runId } = await openProcess(0, [{ toolCalls: [{ name: 'ask' }] }, act]).runs.start(asked)
  for (const number of takeOvers) {
    await vi.waitFor(() => expect(calls).toBe(number), { timeout: 60_000 })
    await openProcess(number, []).runs.recover()
  }
  await vi.waitFor(() => expect(calls).toBe(10), { timeout: 60_000 })
  const last = openProcess(10, [{ text: 'End' }])
  await last.runs.recover()
  expect(await (await last.runs.attach(runId)).result).toMatchObject({
    success: true,
    output: 'End',
    steps: [
      { tool: 'ask', result: { success: false, error: expect.stringContaining('10 processes in a row') } },
    ],
  })
  expect(calls).toBe(10)
})
