import type { StoreHarness } from '../conformance-case.ts'
import { type ConformanceCase, expectAborts, expectCode, expectSame } from '@homeward/kit/testing'
import { storeCase } from '../conformance-case.ts'
import * as make from '../conformance-fixtures.ts'
import type { JournaledRuns } from './run-conformance-store.ts'
import { modelSpanOf, toolSpanOf } from './span-fixtures.ts'
import { snapshotOf } from './run-conformance-store.ts'

const { at, finishOf, idsOf, leaseOf, progressOf, runOf, stepOf } = make

/** Promises about reading runs, part of `runStoreConformance`. */
export const readingCases: readonly ConformanceCase<StoreHarness<JournaledRuns>>[] = [
  storeCase('lists runs newest first, by agent, conversation and status', async (store) => {
    const rows = [
      ['a', 1, 'a1', 'c1'],
      ['b', 2, 'a1', 'c2'],
      ['c', 2, 'a2', 'c1'],
      ['d', 0, 'a1', 'c1'],
    ] as const
    for (const [id, second, agentId, conversationId] of rows) {
      await store.insertRun(runOf(id, { createdAt: at(second), agentId, conversationId }), leaseOf(), [])
    }
    await store.finishRun(finishOf('a'))
    await store.saveRunStep(make.waitingStepOf('d', ['p1']))
    const list = async (filter: Parameters<typeof store.listRuns>[0]) =>
      idsOf(await make.readAll((cursor) => store.listRuns(filter, { limit: 2, cursor }))).join('')
    expectSame(await list({}), 'cbad', 'all of them')
    expectSame(await list({ agentId: 'a1' }), 'bad', 'those of an agent')
    expectSame(await list({ conversationId: 'c1' }), 'cad', 'those of a conversation')
    expectSame(await list({ agentId: 'a1', conversationId: 'c1' }), 'ad', 'those of both')
    expectSame(await list({ status: 'running' }), 'cb', 'those that run')
    expectSame(await list({ status: 'waiting' }), 'd', 'those that wait')
    expectSame(await list({ status: 'completed', agentId: 'a1' }), 'a', 'those that completed')
    expectSame(await list({ status: 'failed' }), '', 'those that failed')
    const strange = () => store.listRuns({}, { limit: 2, cursor: 'strange' })
    await expectCode(strange, 'validation_error', 'a strange cursor')
  }),
  storeCase('A10: keeps runs of graphs, and lists runs by graph and by parent', async (store) => {
    const graph = make.graphRunOf('g', { idempotencyKey: 'k1', parentRunId: 'p0' })
    const inserted = await store.insertRun(graph, leaseOf(), [])
    const fresh = { status: 'running', progress: { ...progressOf(0), tainted: false } }
    const run = { ...graph, ...fresh, cancelRequested: false, lease: leaseOf() }
    expectSame(inserted, { run, created: true }, 'the outcome')
    expectSame(await store.findRun('g'), run, 'the run of a graph')
    const accounts = [{ key: 'run:g', maxTokens: 5, maxMicroUsd: 7 }]
    const child = { parentRunId: 'g', depth: 1, tainted: true, accounts }
    await store.insertRun(runOf('c1', { ...child, createdAt: at(1) }), leaseOf(), [])
    await store.insertRun(runOf('c2', { ...child, createdAt: at(2) }), leaseOf(), [])
    await store.insertRun(runOf('alone', { createdAt: at(3) }), leaseOf(), [])
    const list = async (filter: Parameters<typeof store.listRuns>[0]) =>
      idsOf(await make.readAll((cursor) => store.listRuns(filter, { limit: 1, cursor }))).join(' ')
    expectSame(await list({ graphId: 'g1' }), 'g', 'those of a graph')
    expectSame(await list({ graphId: 'g2' }), '', 'those of another graph')
    expectSame(await list({ parentRunId: 'g' }), 'c2 c1', 'those of a parent')
    expectSame(await list({ parentRunId: 'g', status: 'running' }), 'c2 c1', 'those of a parent that run')
    expectSame(await list({ agentId: 'a1' }), 'alone c2 c1', 'those of an agent')
    expectSame(await list({ graphId: 'g1', agentId: 'a1' }), '', 'those of both')
    const result = make.graphResultOf('g')
    expectSame(await store.saveRunStep(stepOf('g', { waitFor: { result } })), true, 'waiting')
    const waiting = await store.findRun('g')
    expectSame([waiting?.status, waiting?.result], ['waiting', result], 'a graph that waits')
    expectSame(await store.resumeRun('g', leaseOf()), true, 'going on without approvals')
    const { conversation: _, ...finish } = finishOf('g', { result })
    expectSame(await store.finishRun(finish), true, 'the end')
    expectSame((await store.findRun('g'))?.result, result, 'its result')
  }),
  storeCase('shows every run once that was there at the start, while others are added', async (store) => {
    for (const id of ['a', 'b', 'c', 'd', 'e'])
      await store.insertRun(runOf(id, { createdAt: at(1) }), leaseOf(), [])
    const add = async (pages: number) => {
      await store.insertRun(runOf(`z${pages}`, { createdAt: at(1 + pages) }), leaseOf(), [])
      await store.finishRun(finishOf('a'))
    }
    const seen = await make.readAll((cursor) => store.listRuns({}, { limit: 2, cursor }), add)
    expectSame(idsOf(seen), ['e', 'd', 'c', 'b', 'a'], 'all pages')
  }),
  storeCase('keeps what ended in a run, step by step, until its steps are removed', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    await store.insertRun(runOf('r2'), leaseOf(), [])
    expectSame(await store.listRunSpans('r1'), [], 'the spans of a new run')
    const [model, tool] = [modelSpanOf(0), toolSpanOf('call-1')]
    await store.saveRunStep(stepOf('r1', { spans: [model] }))
    await store.saveRunStep(stepOf('r1', { spans: [], stream: { firstSeq: 3, events: [] } }))
    await store.saveRunStep(stepOf('r2', { spans: [modelSpanOf(7)] }))
    await store.finishRun(finishOf('r1', { spans: [tool, modelSpanOf(2)] }))
    expectSame(await store.listRunSpans('r1'), [model, tool, modelSpanOf(2)], 'the spans of a run')
    expectSame(await store.listRunSpans('r3'), [], 'the spans of no run')
  }),
  storeCase('a run begins behind what it takes over, in the same write', async (store) => {
    const progress = { ...progressOf(0), tainted: true }
    const { messages } = stepOf('r1')
    const [spans, intents] = [[modelSpanOf(0)], [{ ...make.intentOf('a'), outcome: make.outcomeOf('a') }]]
    const run = runOf('r2', { rerunOf: { runId: 'r1', step: 't0.1' }, idempotencyKey: 'k1' })
    const begun = { messages, spans, intents, progress }
    const fresh = { ...run, status: 'running', progress, cancelRequested: false, lease: leaseOf() }
    expectSame(
      await store.insertRun({ ...run, begun }, leaseOf(), []),
      { run: fresh, created: true },
      'the run',
    )
    expectSame(await store.findRun('r2'), fresh, 'the run as it is read')
    expectSame(await store.listRunMessages('r2'), messages, 'its messages')
    expectSame(await store.listRunSpans('r2'), spans, 'its spans')
    expectSame(await store.listEffects('r2'), intents, 'its calls')
    const again = runOf('r3', { idempotencyKey: 'k1' })
    expectSame((await store.insertRun({ ...again, begun }, leaseOf(), [])).created, false, 'a repeat')
    expectSame(await store.listRunMessages('r2'), messages, 'its messages after a repeat')
    expectSame(await store.saveRunStep(stepOf('r2')), true, 'the next step')
    expectSame((await store.listRunMessages('r2')).length, 2, 'how many messages there are')
  }),
  storeCase('the stream of a run begins with the events that it takes over', async (store) => {
    const run = make.graphRunOf('g2', { rerunOf: { runId: 'g1', step: 'failed' } })
    const events = make.eventsOf(3)
    const begun = { messages: [], spans: [], intents: [], progress: progressOf(0), events }
    await store.insertRun({ ...run, begun }, leaseOf(), [])
    expectSame(await store.listRunEvents('g2', 0), [{ firstSeq: 1, events }], 'the stream')
    const later = { firstSeq: 4, events: make.eventsOf(1) }
    expectSame(await store.saveRunStep(stepOf('g2', { stream: later })), true, 'the next step')
    expectSame(await store.listRunEvents('g2', 3), [later], 'what follows')
  }),
  storeCase('verbs on runs give up when their signal has aborted', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    await store.saveRunStep(make.waitingStepOf('r1', ['p1']))
    const before = await snapshotOf(store, 'r1')
    await expectAborts({
      insertRun: (signal) => store.insertRun(runOf('r2'), leaseOf(), [], signal),
      saveRunStep: (signal) => store.saveRunStep(stepOf('r1'), signal),
      finishRun: (signal) => store.finishRun(finishOf('r1'), signal),
      settleWait: (signal) => store.settleWait(make.verdictOf('r1', 'p1'), signal),
      resumeRun: (signal) => store.resumeRun('r1', leaseOf(), signal),
      findRun: (signal) => store.findRun('r1', signal),
      listRuns: (signal) => store.listRuns({}, { limit: 9 }, signal),
      countRunSources: (signal) => store.countRunSources({}, signal),
      countRunTimes: (signal) => store.countRunTimes({}, signal),
      countFailures: (signal) => store.countFailures({}, signal),
      listWaits: (signal) => store.listWaits({}, { limit: 9 }, signal),
      listWaitsOf: (signal) => store.listWaitsOf(['r1'], signal),
      listRunMessages: (signal) => store.listRunMessages('r1', signal),
      listRunSpans: (signal) => store.listRunSpans('r1', signal),
      listRunEvents: (signal) => store.listRunEvents('r1', 0, signal),
    })
    expectSame(await snapshotOf(store, 'r1'), before, 'everything afterwards')
    expectSame(await store.findRun('r2'), undefined, 'the run that was given up')
  }),
  storeCase('a run goes on when the storage is opened again', async (store, { reopen }) => {
    await store.insertRun(runOf('r1', { idempotencyKey: 'k1' }), leaseOf(), [])
    await store.saveRunStep(make.waitingStepOf('r1', ['p1']))
    const before = await snapshotOf(store, 'r1')
    if (reopen === undefined) return
    const again = await reopen()
    expectSame(await snapshotOf(again, 'r1'), before, 'everything')
    expectSame(
      (await again.insertRun(runOf('r2', { idempotencyKey: 'k1' }), leaseOf(), [])).created,
      false,
      'the key',
    )
    await again.settleWait(make.verdictOf('r1', 'p1'))
    expectSame(await again.resumeRun('r1', leaseOf()), true, 'going on')
    expectSame(await again.finishRun(finishOf('r1')), true, 'the end')
  }),
]
