import { expect, it } from 'vitest'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import type { Guards } from '../../ports/guard.ts'
import { createTestStore } from '../../testing/create-test-store.ts'
import { createCrashStore } from '../testing/crash-store.ts'
import { createKit, toolOf } from '../testing/run-kit.ts'

const request = { agent_id: 'helper', task: 'Pay', idempotency_key: 'key' }

interface Opened {
  readonly store: RuntimeStore
  readonly guards: Guards
  readonly made: string[]
  /** After the process before was gone for longer than its lease. */
  readonly isSecond?: boolean
}

const openProcess = ({ store, guards, made, isSecond = false }: Opened) =>
  createKit({
    store,
    guards,
    steps: [
      ...(isSecond ? [] : [{ toolCalls: [{ id: 'a', name: 'pay', args: { amount: 1 } }] }]),
      { text: 'Paid.' },
    ],
    now: () => Date.UTC(2026, 0, 1) + (isSecond ? 60_000 : 0),
    tools: [toolOf('pay', () => made.push('pay'), { effects: 'external', idempotent: false })],
  })

it('A8: a call whose result was being checked at a crash is not uncertain: the check alone is repeated', async () => {
  const store = createTestStore()
  const crash = createCrashStore(store, Infinity, 'before')
  const made: string[] = []
  const asked = Promise.withResolvers<void>()
  const first = openProcess({
    store: crash.store,
    made,
    guards: {
      toolResult: () => {
        asked.resolve()
        return new Promise(() => {})
      },
    },
  })
  const { runId } = await first.runs.start(request)
  await asked.promise
  const toolResult: Guards['toolResult'] = ({ args }) => ({ replace: { result: { checked: args } } })
  const second = openProcess({ store, made, isSecond: true, guards: { toolResult } })
  const { result } = await second.runs.start(request)
  expect(await result).toMatchObject({ run_id: runId, success: true, output: 'Paid.' })
  expect((await result).steps).toEqual([
    { tool: 'pay', args: { amount: 1 }, result: { checked: { amount: 1 } } },
  ])
  expect(made).toEqual(['pay'])
})

it('asks about the input once, whoever resumes the run', async () => {
  const store = createTestStore()
  let asks = 0
  const guards: Guards = { input: ({ text }) => ({ replace: `${text} ${(asks += 1)}` }) }
  const first = createKit({ store, guards, steps: [{ hang: true }], now: () => 0 })
  await first.runs.start(request)
  while (first.model.calls.length === 0) await new Promise<void>((resolve) => setImmediate(resolve))
  const second = createKit({ store, guards, steps: [{ text: 'Paid.' }], now: () => 60_000 })
  const { result } = await second.runs.start(request)
  expect((await result).success).toBe(true)
  expect(JSON.stringify(second.model.calls[0]?.prompt)).toContain('Pay 1')
  expect(asks).toBe(1)
})
