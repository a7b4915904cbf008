import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { createTestStore } from '../../testing/create-test-store.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import type { ToolContext } from '../../ports/tool.ts'
import type { ScriptedStep } from '../../testing/scripted-model.ts'
import { createCrashStore, type CrashStore } from '../testing/crash-store.ts'
import { createKit, namesOf, toolOf } from '../testing/run-kit.ts'

/** What the model says depends on what it reads, as after a crash it has to. */
const answers: readonly ScriptedStep[] = [
  {
    text: 'First.',
    toolCalls: [
      { id: 'r1', name: 'read' },
      { id: 'w1', name: 'pay', args: { amount: 1 } },
      { id: 'r2', name: 'read' },
      { id: 'x1', name: 'unknown' },
    ],
  },
  { toolCalls: [{ id: 'w2', name: 'pay', args: { amount: 2 } }] },
  { toolCalls: [{ id: 'r3', name: 'read' }] },
  { text: 'Done.' },
]
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
const stepsOf = (isSlow: boolean) =>
  Array.from({ length: 40 }, () => ({ prompt }: LanguageModelV4CallOptions): ScriptedStep => {
    const answer = answers[prompt.filter(({ role }) => role === 'tool').length] ?? {}
    return isSlow ? { ...answer, gate: nextTurn } : answer
  })

interface Made {
  readonly tool: string
  readonly key: string
  readonly process: number
}

interface Opened {
  readonly made: Made[]
  readonly process: number
  readonly isSlow: boolean
  readonly crash?: CrashStore
  readonly nowMs?: number
}

function openProcess(store: RuntimeStore, { made, process, isSlow, crash, nowMs = 0 }: Opened) {
  const act =
    (tool: string) =>
    async (_: object, { idempotencyKey }: ToolContext) => {
      if (crash?.isGone()) return new Promise(() => {}) // a process that is gone does nothing
      await Promise.resolve()
      made.push({ tool, key: idempotencyKey, process })
      return `${tool} ${made.length > 0}`
    }
  return createKit({
    store,
    steps: stepsOf(isSlow),
    now: () => Date.UTC(2026, 0, 1) + nowMs,
    tools: [
      toolOf('read', act('read')),
      toolOf('pay', act('pay'), { effects: 'external', idempotent: false }),
    ],
  })
}

const request = { agent_id: 'helper', task: 'Pay', idempotency_key: 'key' }

/** The state that an undisturbed run leaves behind. */
async function stateOf(store: RuntimeStore, runId: string) {
  const run = await store.findRun(runId)
  if (run?.kind !== 'agent' || !run.result) throw new Error('The run has not ended')
  const { rows } = await store.listMessages(run.conversationId, { limit: 50 })
  const { output, success, turns, tool_calls, stop_reason } = run.result
  return {
    status: run.status,
    output,
    success,
    turns,
    tool_calls,
    stop_reason,
    messages: rows.map(({ message }) => message),
  }
}

async function undisturbed(isSlow: boolean) {
  const store = createTestStore()
  const made: Made[] = []
  const crash = createCrashStore(store, Infinity, 'before')
  const kit = openProcess(crash.store, { made, process: 1, isSlow })
  const { runId, result } = await kit.runs.start(request)
  await result
  return {
    state: await stateOf(store, runId),
    made,
    events: namesOf(await kit.events(runId)),
    writes: crash.count(),
  }
}

/** Ends the process at a write, starts another one, and waits for the end of the run. */
async function crashAt(at: number, when: 'before' | 'behind', isSlow: boolean) {
  const store = createTestStore()
  const made: Made[] = []
  const crash = createCrashStore(store, at, when)
  const first = openProcess(crash.store, { made, process: 1, isSlow, crash })
  const starting = first.runs.start(request).then(({ result }) => result)
  await Promise.race([starting, crash.gone])
  const second = openProcess(store, { made, process: 2, isSlow, nowMs: 60_000 })
  // its caller comes back with the same key
  const { runId, result } = await second.runs.start(request)
  await result
  const events = await second.events(runId)
  return { store, runId, made, events, crash, state: await stateOf(store, runId) }
}

// Of a model that answers at once, what a turn adds is kept with the next answer's calls.
const speeds = [
  { model: 'answers at once', isSlow: false, ofSecond: ['behind write 6', 'before write 7'] },
  { model: 'takes its time', isSlow: true, ofSecond: ['behind write 7', 'before write 8'] },
]

describe.each(speeds)('A8: a crash at each write, while the model $model', ({ isSlow, ofSecond }) => {
  it('A8: leaves the state of an undisturbed run, or says that an effect is uncertain; no effect is made twice', async () => {
    const normal = await undisturbed(isSlow)
    expect(normal.made).toHaveLength(5)
    const uncertain: string[] = []
    for (let at = 1; at <= normal.writes; at += 1) {
      for (const when of ['before', 'behind'] as const) {
        const { state, made, events, crash, store, runId } = await crashAt(at, when, isSlow)
        const point = `${when} write ${at}`
        expect(crash.isGone(), point).toBe(true)
        const payments = made.filter(({ tool }) => tool === 'pay').map(({ key }) => key)
        expect(new Set(payments).size, point).toBe(payments.length)
        const seqs = events.map(({ seq }) => seq)
        expect(seqs, point).toEqual(seqs.toSorted((a, b) => a - b))
        expect(new Set(seqs).size, point).toBe(seqs.length)
        const journal = await store.listEvents({ runId, limit: 1000 })
        const called = journal.filter(({ type }) => type === 'tool.called').map(({ data }) => data['call_id'])
        expect(new Set(called).size, point).toBe(called.length)
        if (!state.success) {
          expect((await store.findRun(runId))?.result, point).toMatchObject({ code: 'effect_uncertain' })
          uncertain.push(point)
          continue
        }
        expect(state, point).toEqual(normal.state)
        expect(namesOf(events), point).toEqual(normal.events)
      }
    }
    // Behind the entry in the ledger and before the outcome of a payment: nowhere else.
    expect(uncertain).toEqual(['behind write 3', 'before write 4', 'before write 5', ...ofSecond])
  })
})
