import type { StoreHarness } from '../conformance-case.ts'
import { type ConformanceCase, race, expectCode, expectSame } from '@homeward/kit/testing'
import { storeCase } from '../conformance-case.ts'
import { approvalCases } from './approval-conformance.ts'
import { decisionCases } from './decision-conformance.ts'
import { waitCases } from './wait-conformance.ts'
import * as make from '../conformance-fixtures.ts'
import { effectCases } from './effect-conformance.ts'
import { leaseCases } from './lease-conformance.ts'
import { repeatedStepCases } from './repeated-step-conformance.ts'
import { takeOverCases } from './take-over-conformance.ts'
import type { JournaledRuns } from './run-conformance-store.ts'
import { listCases } from './run-list-conformance.ts'
import { questionCases } from './question-conformance.ts'
import { readingCases } from './run-reading-conformance.ts'
import { messagesOf, snapshotOf } from './run-conformance-store.ts'

type Case = ConformanceCase<StoreHarness<JournaledRuns>>

const { appendOf, at, finishOf, idsOf, journalOf, leaseOf, messageOf, progressOf, resultOf, runOf, stepOf } =
  make

const starting: readonly Case[] = [
  storeCase('A4: keeps a new run as running, with its event', async (store) => {
    const setup = { instructions: make.oddText, model: 'p/m', skills: ['a'] }
    const optional = { conversationCreatedAt: at(0), questionSeq: 3, metadata: { odd: make.oddText }, setup }
    const run = runOf('r1', { userId: 'u1', ...optional, idempotencyKey: 'k1' })
    const progress = { ...progressOf(0), tainted: false }
    const fresh = { ...run, status: 'running', progress, cancelRequested: false, lease: leaseOf() }
    expectSame(
      await store.insertRun(run, leaseOf(), [journalOf('r1')]),
      { run: fresh, created: true },
      'the outcome',
    )
    expectSame(await store.findRun('r1'), fresh, 'the run')
    expectSame(await store.findRun('r2'), undefined, 'another run')
    expectSame((await store.listEvents({ limit: 9 })).length, 1, 'how many events there are')
    const parts = [
      await store.listWaitsOf(['r1']),
      await store.listRunMessages('r1'),
      await store.listRunEvents('r1', 0),
    ]
    expectSame(parts, [[], [], []], 'what it has so far')
  }),
  storeCase('A4: an idempotency key gives one run, however many repeats race', async (store) => {
    const outcomes = await race((index) =>
      store.insertRun(runOf(`r${index}`, { idempotencyKey: 'k1' }), leaseOf(), [journalOf(`r${index}`)]),
    )
    const winner = outcomes.findIndex(({ created }) => created)
    expectSame(outcomes.filter(({ created }) => created).length, 1, 'how many were created')
    expectSame(new Set(outcomes.map(({ run }) => run.id)).size, 1, 'how many runs were given')
    expectSame(outcomes[0]?.run.id, `r${winner}`, 'the run that was given')
    expectSame(idsOf((await store.listRuns({}, { limit: 99 })).rows), [`r${winner}`], 'the runs')
    expectSame(
      (await store.listEvents({ limit: 99 })).map((event) => event.run_id),
      [`r${winner}`],
      'the events',
    )
    await store.saveRunStep(stepOf(`r${winner}`))
    await store.finishRun(finishOf(`r${winner}`))
    const late = await store.insertRun(runOf('late', { idempotencyKey: 'k1' }), leaseOf(), [])
    expectSame(
      [late.created, late.run],
      [false, await store.findRun(`r${winner}`)],
      'a repeat when it has ended',
    )
    await store.insertRun(runOf('x1'), leaseOf(), [])
    expectSame((await store.insertRun(runOf('x2'), leaseOf(), [])).created, true, 'a run without a key')
  }),
  storeCase('A4: an id is taken once', async (store) => {
    await store.insertRun(runOf('r1', { task: 'first' }), leaseOf(), [])
    const again = () =>
      store.insertRun(runOf('r1', { task: 'second', idempotencyKey: 'k' }), leaseOf(), [journalOf('r1')])
    await expectCode(again, 'conflict', 'an id that is in use')
    expectSame((await store.findRun('r1'))?.task, 'first', 'the run')
    expectSame(await store.listEvents({ limit: 9 }), [], 'the events')
    expectSame(
      (await store.insertRun(runOf('r2', { idempotencyKey: 'k' }), leaseOf(), [])).created,
      true,
      'the key',
    )
  }),
]

const going: readonly Case[] = [
  storeCase('A6: keeps what each step adds, in order', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    await store.insertRun(runOf('r2'), leaseOf(), [])
    const answer = { role: 'tool', results: [{ id: 'k1', name: 'time', result: make.oddText }] } as const
    const steps = [
      stepOf('r1'),
      stepOf('r1', { messages: [], stream: { firstSeq: 3, events: [] }, progress: progressOf(2) }),
      stepOf('r1', {
        messages: [answer],
        stream: { firstSeq: 3, events: make.eventsOf(3) },
        progress: progressOf(3),
      }),
    ]
    for (const step of steps) expectSame(await store.saveRunStep(step), true, 'a step')
    expectSame((await store.findRun('r1'))?.progress, progressOf(3), 'the progress')
    expectSame(
      await store.listRunMessages('r1'),
      steps.flatMap(({ messages }) => messages),
      'the messages',
    )
    const batches = [steps[0]?.stream, steps[2]?.stream]
    expectSame(await store.listRunEvents('r1', 0), batches, 'all stream events')
    expectSame(await store.listRunEvents('r1', 1), batches, 'those behind the first')
    expectSame(await store.listRunEvents('r1', 2), [batches[1]], 'those behind the second')
    expectSame(await store.listRunEvents('r1', 5), [], 'those behind the last')
    expectSame((await store.listEvents({ runId: 'r1', limit: 9 })).length, 3, 'the events of the journal')
    expectSame(
      [await store.listRunMessages('r2'), await store.listRunEvents('r2', 0)],
      [[], []],
      'another run',
    )
  }),
  storeCase('A4: ends a run in one write with the turn of its conversation', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    await store.saveRunStep(stepOf('r1'))
    expectSame(await store.finishRun(finishOf('r1')), true, 'the end')
    const run = await store.findRun('r1')
    const ended = { status: 'completed', result: resultOf('r1'), finishedAt: at(9), progress: progressOf(2) }
    expectSame(run, { ...runOf('r1'), ...ended, cancelRequested: false }, 'the run')
    expectSame((await store.listRunMessages('r1')).length, 2, 'how many messages it has')
    expectSame(await store.listRunEvents('r1', 2), [finishOf('r1').stream], 'the last stream events')
    expectSame(await messagesOf(store), ['r1-q', 'r1-a'], 'the conversation')
    const types = (await store.listEvents({ limit: 9 })).map(({ type }) => type)
    expectSame(types, ['tool.called', 'agent.completed'], 'the journal')
  }),
  storeCase('A12: a turn that is told of as one reads like any other messages', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    const turn = Array.from({ length: 3 }, (_, place) => ({ ...messageOf(`r1.${place}`), runId: 'r1' }))
    const conversation = appendOf([], { messages: turn, turnOf: 'r1', now: at(9) })
    await store.finishRun(finishOf('r1', { conversation }))
    await store.appendMessages(appendOf(['m1']))
    const { rows } = await store.listMessages('c1', { limit: 9 })
    const stored = turn.map((message, place) => ({ ...message, seq: place + 1, createdAt: at(9) }))
    expectSame(rows.slice(1), stored.toReversed(), 'the messages of the turn')
    expectSame(rows[0]?.id, 'm1', 'the newest message')
    for (const append of [appendOf(['r1.2']), conversation]) {
      await expectCode(() => store.appendMessages(append), 'conflict', 'an id that the turn has')
    }
    expectSame(await messagesOf(store), ['r1.0', 'r1.1', 'r1.2', 'm1'], 'the conversation')
  }),
  storeCase('A4: a run ends once, however many endings race, and keeps one turn', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    const statuses = ['completed', 'failed', 'cancelled'] as const
    const outcomes = await race((index) =>
      store.finishRun(finishOf('r1', { status: statuses[index % 3] ?? 'failed', finishedAt: at(index) })),
    )
    const winner = outcomes.indexOf(true)
    expectSame(outcomes.filter(Boolean).length, 1, 'how many endings succeeded')
    const run = await store.findRun('r1')
    expectSame([run?.status, run?.finishedAt], [statuses[winner % 3], at(winner)], 'how it ended')
    expectSame(
      [(await messagesOf(store)).length, (await store.listEvents({ limit: 99 })).length],
      [2, 1],
      'what was added',
    )
    expectSame((await store.listRunEvents('r1', 0)).length, 1, 'the stream events')
  }),
  storeCase('A6: a step that comes when the run has ended is refused and leaves nothing', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    const steps = race((index) =>
      store.saveRunStep(stepOf('r1', { stream: { firstSeq: index * 2 + 1, events: make.eventsOf(2) } })),
    )
    const [saved, ended] = await Promise.all([
      steps,
      store.finishRun(finishOf('r1', { status: 'cancelled' })),
    ])
    expectSame(ended, true, 'the end')
    const kept = saved.filter(Boolean).length
    expectSame((await store.listRunMessages('r1')).length, kept + 1, 'the messages')
    expectSame((await store.listEvents({ limit: 99 })).length, kept + 1, 'the journal')
    const before = await snapshotOf(store, 'r1')
    expectSame(await store.saveRunStep(stepOf('r1')), false, 'a late step')
    expectSame(await store.saveRunStep(make.waitingStepOf('r1', ['p1'])), false, 'a late step that waits')
    expectSame(await store.finishRun(finishOf('r1', { status: 'failed' })), false, 'a late end')
    expectSame(await snapshotOf(store, 'r1'), before, 'everything afterwards')
    expectSame(await store.saveRunStep(stepOf('nothing')), false, 'a step of none')
    expectSame(await store.finishRun(finishOf('nothing')), false, 'the end of none')
  }),
  storeCase('A4: a write that fails leaves nothing behind', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    await store.appendMessages(make.appendOf(['r1-a'], { title: 'kept' }))
    const before = await snapshotOf(store, 'r1')
    await expectCode(
      () => store.finishRun(finishOf('r1')),
      'conflict',
      'an end whose message is there already',
    )
    await expectCode(
      () => store.saveRunStep(make.waitingStepOf('r1', ['p1', 'p1'])),
      'conflict',
      'a step with an approval twice',
    )
    expectSame(await snapshotOf(store, 'r1'), before, 'everything afterwards')
    const { conversation: _, ...finish } = finishOf('r1')
    expectSame(await store.finishRun(finish), true, 'an end that is not for the conversation')
    expectSame(await messagesOf(store), ['r1-a'], 'the conversation')
  }),
  storeCase(
    'A12: a run does not end with a turn for a conversation of somebody else, or one that is gone',
    async (store) => {
      await store.insertRun(runOf('r1'), leaseOf(), [])
      await store.saveRunStep(stepOf('r1'))
      await store.appendMessages(appendOf(['m1'], { agentId: 'a2' }))
      const before = await snapshotOf(store, 'r1')
      const turn = [{ ...messageOf('r1.0'), runId: 'r1' }]
      const gone = { agentId: 'a2', conversationCreatedAt: at(99) }
      for (const conversation of [
        appendOf(['x']),
        appendOf(['x'], gone),
        appendOf([], { messages: turn, turnOf: 'r1' }),
      ]) {
        const end = () => store.finishRun(finishOf('r1', { conversation }))
        await expectCode(end, 'not_found', 'an end with a turn for it')
      }
      expectSame(await snapshotOf(store, 'r1'), before, 'everything afterwards')
      const { conversation: _, ...finish } = finishOf('r1')
      expectSame(await store.finishRun(finish), true, 'the end without a turn')
      expectSame(await messagesOf(store), ['m1'], 'the conversation')
    },
  ),
]

/**
 * Conformance cases for a `RunStore`, for any test runner. Runs also write to the journal and the conversation, so
 * the store must have both.
 *
 * @example
 * for (const { name, run } of runStoreConformance) it(name, () => run({ create: async () => ({ store: createMyStore() }) }))
 */
export const runStoreConformance: readonly Case[] = [
  ...starting,
  ...going,
  ...leaseCases,
  ...takeOverCases,
  ...repeatedStepCases,
  ...effectCases,
  ...approvalCases,
  ...decisionCases,
  ...questionCases,
  ...waitCases,
  ...readingCases,
  ...listCases,
]
