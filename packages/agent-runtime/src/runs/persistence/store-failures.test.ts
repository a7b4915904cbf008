import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDriveGraph } from '../../graphs/drive-graph.ts'
import { graphOf } from '../../graphs/testing/graph-kit.ts'
import { createTestStore } from '../../testing/create-test-store.ts'
import type { NewGraphRun } from '../../store/ports/run-store.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { createSqliteStore } from '../../store/sqlite/index.ts'
import type { ScriptedStep } from '../../testing/scripted-model.ts'
import { createFailingStore, type Failures } from '../testing/failing-store.ts'
import { agentOf, createKit, toolOf } from '../testing/run-kit.ts'

const opened: RuntimeStore[] = []
beforeEach(() => void vi.useFakeTimers())
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
  vi.useRealTimers()
})

const stores = {
  memory: () => createTestStore(),
  SQLite: () => createSqliteStore({ path: ':memory:' }),
}
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Lets time pass until something is done. */
async function pass<Result>(work: Promise<Result>): Promise<Result> {
  let isOver = false
  const settle = () => void (isOver = true)
  work.then(settle, settle)
  for (let tick = 0; !isOver && tick < 2000; tick += 1) await vi.advanceTimersByTimeAsync(50)
  if (!isOver) throw new Error('It takes too long')
  return work
}

const steps: readonly ScriptedStep[] = [
  {
    text: 'First.',
    toolCalls: [
      { id: 'r1', name: 'read' },
      { id: 'w1', name: 'pay' },
      { id: 'x1', name: 'unknown' },
    ],
  },
  { toolCalls: [{ id: 'r2', name: 'read' }] },
  { toolCalls: [{ id: 'w2', name: 'pay' }] },
  { text: 'Done.' },
]

/** Everything of a run, without what differs from run to run. */
async function traceOf(store: RuntimeStore, runId: string) {
  const events = (await store.listRunEvents(runId, 0)).flatMap(({ firstSeq, events: batch }) =>
    batch.map(({ event, data }, index) => ({ seq: firstSeq + index, event, data })),
  )
  const { rows } = await store.listMessages('c', { limit: 99 })
  const journal = await store.listEvents({ runId, limit: 99 })
  return {
    status: (await store.findRun(runId))?.status,
    messages: await store.listRunMessages(runId),
    events,
    conversation: rows.map(({ message }) => message),
    journal: journal.map(({ type, data: { duration_ms: _ms, ...data } }) => ({ type, data })),
  }
}

async function runAgent(inner: RuntimeStore, failures: Failures, isSlow: boolean) {
  opened.push(inner)
  const { store, count } = createFailingStore(inner, failures)
  const made: string[] = []
  const act = (id: string) => () => `${id} ${made.push(id)}`
  const kit = createKit({
    store,
    steps: steps.map((step) => (isSlow ? { ...step, gate: nextTurn } : step)),
    tools: [
      toolOf('read', act('read')),
      toolOf('pay', act('pay'), { effects: 'external', idempotent: false }),
    ],
  })
  const result = await pass(kit.run('Do it', { conversation_id: 'c' }))
  return { result, made, calls: count(), trace: await traceOf(inner, result.run_id) }
}

async function runGraph(inner: RuntimeStore, failures: Failures) {
  opened.push(inner)
  const { store, count } = createFailingStore(inner, failures)
  const kit = createKit({
    store,
    agents: [agentOf({ id: 'a' })],
    steps: ['One', 'Two', 'Three'].map((text) => ({ text })),
    driveGraph: (work) => createDriveGraph({ runs: kit.runs, store })(work),
  })
  const graph = graphOf(['x', 'y', 'z'], ['x y', 'y z'])
  const id = 'g1'
  const run: NewGraphRun = {
    kind: 'graph',
    id,
    task: 'in',
    source: 'api',
    depth: 0,
    tainted: false,
    accounts: [],
    createdAt: new Date().toISOString(),
    graph,
  }
  const { result } = await pass(kit.runs.startGraph(run, []))
  const ended = await pass(result)
  return { result: ended, models: kit.model.calls.length, calls: count(), trace: await traceOf(inner, id) }
}

const none: Failures = { verb: 'saveRunStep', at: 0, times: 0, when: 'before' }
const plain = () => new Error('The connection broke')

describe.each(Object.entries(stores))('a store that fails for a moment (%s)', (_name, create) => {
  it.each([true, false])(
    'A8: costs a run nothing but time, whether or not the write was kept (slow model: %s)',
    async (isSlow) => {
      const whole = await runAgent(create(), none, isSlow)
      expect(whole.result).toMatchObject({ success: true, output: 'Done.' })
      for (const verb of ['insertRun', 'saveRunStep', 'saveEffect', 'finishRun'] as const) {
        const { calls } = await runAgent(create(), { ...none, verb }, isSlow)
        expect(calls).toBeGreaterThan(0)
        for (const when of ['before', 'behind'] as const) {
          for (let at = 1; at <= calls; at += 1) {
            const { result, made, trace } = await runAgent(create(), { verb, at, times: 2, when }, isSlow)
            expect([verb, when, at, result.success, made]).toEqual([verb, when, at, true, whole.made])
            expect(trace).toEqual(whole.trace)
          }
        }
      }
    },
  )

  it('A8: a step that was kept all the same is not in the end of a run that fails for it', async () => {
    const whole = await runAgent(create(), none, false)
    const { messages } = whole.trace
    const failures = (['before', 'behind'] as const).flatMap((when) =>
      [1, 2, 3].flatMap((at) => [1, 99].map((times) => ({ when, at, times }))),
    )
    for (const failure of failures) {
      const { trace } = await runAgent(create(), { verb: 'saveRunStep', error: plain, ...failure }, false)
      expect(trace.events.map(({ seq }) => seq)).toEqual(trace.events.map((__, index) => index + 1))
      const called = trace.messages.filter(({ role }) => role === 'assistant')
      expect(called).toEqual(messages.filter(({ role }) => role === 'assistant').slice(0, called.length))
      const told = trace.journal.filter(({ type }) => type === 'tool.called')
      expect(new Set(told.map(({ data }) => JSON.stringify(data))).size).toBe(told.length)
      expect(trace.journal.filter(({ type }) => type === 'model.completed')).toHaveLength(called.length)
    }
  })

  it('A10: costs a graph nothing but time: no node is made again', async () => {
    const whole = await runGraph(create(), none)
    expect(whole.result).toMatchObject({ success: true, output: 'Three' })
    // the first look for runs is that of a start, whose caller hears of it
    const firsts = { saveRunStep: 1, finishRun: 1, insertRun: 1, findRun: 1, listRunEvents: 1, listRuns: 2 }
    for (const [name, first] of Object.entries(firsts)) {
      const verb = name as keyof typeof firsts
      const { calls } = await runGraph(create(), { ...none, verb })
      expect(calls).toBeGreaterThanOrEqual(first)
      for (const when of ['before', 'behind'] as const) {
        for (let at = first; at <= calls; at += 1) {
          const { result, models, trace } = await runGraph(create(), { verb, at, times: 2, when })
          expect([verb, when, at, result.success, models]).toEqual([verb, when, at, true, 3])
          expect(trace.events.map(({ event }) => event)).toEqual(whole.trace.events.map(({ event }) => event))
          expect(trace.journal.map(({ type }) => type)).toEqual(whole.trace.journal.map(({ type }) => type))
        }
      }
    }
  })

  it('A8: what will not pass fails a run at once, and so does what does not pass in time', async () => {
    const broken = () => new RuntimeError('storage_error', 'Writing failed: it is damaged.')
    const damaged = await runAgent(
      create(),
      { verb: 'saveRunStep', at: 1, times: 99, when: 'before', error: broken },
      false,
    )
    expect(damaged.result).toMatchObject({ success: false, code: 'storage_error' })
    expect(damaged.calls).toBeLessThan(5)
    const busy = await runAgent(create(), { verb: 'saveRunStep', at: 1, times: 99, when: 'before' }, false)
    expect(busy.result).toMatchObject({ success: false, code: 'storage_error', retryable: true })
    expect(busy.calls).toBeLessThan(20)
  })
})
