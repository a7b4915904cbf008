import { type ConformanceCase, expectAborts, expectSame } from '@homeward/kit/testing'
import type { NewRunInput, RunInput } from '../../store/ports/run-input-store.ts'
import type { RunStepWrite } from '../../store/ports/run-store.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import { type StoreHarness, storeCase } from '../conformance-case.ts'
import { at, finishOf, leaseOf, oddText, runOf, stepOf } from '../conformance-fixtures.ts'
import { claimOf, settlementOf, taskOf } from '../tasks/task-fixtures.ts'

const inputOf = (id: string, changes: Partial<NewRunInput> = {}): NewRunInput => ({
  runId: 'r1',
  id,
  mode: 'steer',
  text: oddText,
  createdAt: at(1),
  journal: [],
  ...changes,
})

const queuedOf = (id: string): NewRunInput => {
  const task = taskOf(`t-${id}`, { afterRun: 'r1', serialKey: 'conversation c1' })
  const event = { type: 'task.created', timestamp: at(1), data: { task_id: task.id } } as const
  return inputOf(id, { mode: 'queue', task, journal: [event] })
}

const messageOf = (input: string): RunStepWrite['messages'] => [{ role: 'user', text: oddText, input }]
const idsOf = (inputs: readonly RunInput[]) => inputs.map(({ id }) => id)
const listed = async (store: RuntimeStore) => idsOf(await store.listRunInputs(['r1']))

/** Promises of `RunInputStore`. */
export const runInputConformance: readonly ConformanceCase<StoreHarness<RuntimeStore>>[] = [
  storeCase('keeps messages to runs in their order, each once, until a step has them', async (store) => {
    for (const id of ['r1', 'r2']) await store.insertRun(runOf(id), leaseOf(), [])
    const { createdAt: _, journal: __, ...first } = inputOf('i1', { untrusted: true })
    expectSame(
      await store.insertRunInput(inputOf('i1', { untrusted: true })),
      { input: first, isNew: true },
      'the first',
    )
    await store.insertRunInput(inputOf('i2'))
    expectSame(
      await store.insertRunInput(inputOf('i1', { text: 'other' })),
      { input: first, isNew: false },
      'one that is there',
    )
    await store.insertRunInput(inputOf('i1', { runId: 'r2' }))
    expectSame(idsOf(await store.listRunInputs(['r2', 'r1'])), ['i1', 'i2', 'i1'], 'those of both runs')
    expectSame(await store.listRunInputs([]), [], 'those of none')
    expectSame(await store.saveRunStep(stepOf('r1', { messages: messageOf('i1') })), true, 'a step')
    expectSame(await listed(store), ['i2'], 'those that are left')
    expectSame(idsOf(await store.listRunInputs(['r2'])), ['i1'], 'those of the other run')
    const lost = stepOf('r1', { owner: 'o2', messages: messageOf('i2') })
    expectSame(await store.saveRunStep(lost), false, 'a step of another process')
    expectSame(await listed(store), ['i2'], 'those that are left behind it')
    expectSame(await store.insertRunInput(inputOf('i1', { runId: 'r9' })), 'unknown', 'no run')
  }),
  storeCase('completes no run that has a message which no step has', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    for (const id of ['i1', 'i2']) await store.insertRunInput(inputOf(id))
    const completed = finishOf('r1', { messages: messageOf('i1') })
    expectSame(await store.finishRun(completed), false, 'an end with one of them')
    expectSame(await listed(store), ['i1', 'i2'], 'those that are left')
    await store.saveRunStep(stepOf('r1', { messages: messageOf('i1') }))
    expectSame(await store.finishRun(finishOf('r1', { messages: messageOf('i2') })), true, 'an end with all')
    expectSame(await listed(store), [], 'those that are left then')
    expectSame(await store.insertRunInput(inputOf('i3')), 'ended', 'one behind the end')
    expectSame(typeof (await store.insertRunInput(inputOf('i2'))), 'object', 'a known one behind the end')
  }),
  storeCase('lets a run fail and be cancelled whatever messages it has', async (store) => {
    for (const [id, status] of [
      ['r1', 'failed'],
      ['r2', 'cancelled'],
    ] as const) {
      await store.insertRun(runOf(id), leaseOf(), [])
      await store.insertRunInput(inputOf('i1', { runId: id }))
      expectSame(await store.finishRun(finishOf(id, { status })), true, status)
    }
  }),
  storeCase('holds queued messages until their run has ended, in their order', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    for (const id of ['i1', 'i2', 'i1']) await store.insertRunInput(queuedOf(id))
    expectSame(await listed(store), ['i1', 'i2'], 'the messages')
    expectSame(await store.claimTasks(claimOf({ limit: 9 })), [], 'what may be taken')
    expectSame(await store.listSettleableTasks(9), [], 'what can be settled')
    expectSame((await store.listEvents({ types: ['task.created'], limit: 9 })).length, 2, 'the events')
    expectSame(await store.finishRun(finishOf('r1')), true, 'the end of the run')
    const [task, ...more] = await store.listSettleableTasks(9)
    expectSame([task?.id, task?.afterRun, more], ['t-i1', 'r1', []], 'what can be settled then')
    await store.settleTask({ ...settlementOf('t-i1', { kind: 'retry', runAt: at(5) }), owner: undefined })
    expectSame(await listed(store), ['i1', 'i2'], 'the messages, while no task has begun')
    const taken = await store.claimTasks(claimOf({ limit: 9, now: at(6) }))
    expectSame(
      taken.map(({ id, runId }) => [id, runId]),
      [['t-i1', undefined]],
      'the task that begins',
    )
    expectSame(await listed(store), ['i2'], 'the messages then')
    await store.settleTask(settlementOf('t-i1', { kind: 'retry', runAt: at(60) }))
    expectSame(
      await store.claimTasks(claimOf({ limit: 9, now: at(7) })),
      [],
      'the second, while the first is open',
    )
  }),
  storeCase('stores the result of a run in the background with its end, once', async (store) => {
    for (const id of ['r1', 'r2', 'r3', 'r4']) await store.insertRun(runOf(id), leaseOf(), [])
    const reportOf = (id: string) => ({
      input: inputOf(`of ${id}`),
      task: taskOf(`t-${id}`, { background: true, serialKey: 'conversation c1' }),
    })
    const end = (id: string) => {
      const { conversation: _, ...finish } = finishOf(id)
      return store.finishRun({ ...finish, report: reportOf(id) })
    }
    const tasks = async () => (await store.listTasks({}, { limit: 9 })).rows.map(({ id }) => id)
    expectSame([await end('r2'), await end('r2')], [true, false], 'the end, twice')
    expectSame([await listed(store), await tasks()], [['of r2'], []], 'while the other run works')
    await store.finishRun(finishOf('r1', { status: 'cancelled' }))
    expectSame([await end('r3'), await end('r3')], [true, false], 'the end of another, twice')
    expectSame(await tasks(), ['t-r3'], 'once the other run has ended')
    const { input: _, ...alone } = reportOf('r4')
    const { conversation: __, ...last } = finishOf('r4')
    expectSame(await store.finishRun({ ...last, report: alone }), true, 'an end without another run')
    expectSame((await store.findTask('t-r4'))?.background, true, 'its task')
  }),
  storeCase('verbs on messages to runs give up when their signal has aborted', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    await expectAborts({
      insertRunInput: (signal) => store.insertRunInput(inputOf('i1'), signal),
      listRunInputs: (signal) => store.listRunInputs(['r1'], signal),
    })
    expectSame(await listed(store), [], 'the messages')
  }),
]
