import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createTestStore } from '../testing/create-test-store.ts'
import type { NewTask } from '../store/ports/task-store.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { createFailingStore, passingFailure } from '../runs/testing/failing-store.ts'
import { createKit } from '../runs/testing/run-kit.ts'
import { runTask, taskOf } from '../testing/tasks/task-fixtures.ts'
import { createExecuteTask } from './execute-task.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = new AbortController().signal

/** A task of an agent over a store, which is carried out twice. */
async function executeTwice(inner: RuntimeStore, store: RuntimeStore, fields: Partial<NewTask> = {}) {
  const kit = createKit({ store, steps: [{ text: 'Once' }, { text: 'Twice' }] })
  const { execute } = createExecuteTask({
    store,
    runs: kit.runs,
    startGraph: () => Promise.reject(new Error('there is none')),
    owner: 'o1',
  })
  await runTask(inner, taskOf('t1', { subject: { kind: 'agent', id: 'helper' }, ...fields }))
  const attempts = []
  for (let count = 0; count < 2; count += 1) {
    const attempt = execute((await inner.findTask('t1'))!, never)
    await vi.advanceTimersByTimeAsync(60_000)
    attempts.push(await attempt)
  }
  return { attempts, runs: (await inner.listRuns({}, { limit: 9 })).rows }
}

it('A7: a run whose end could not be kept goes on with the next attempt: no second one is begun', async () => {
  const inner = createTestStore()
  const { store } = createFailingStore(inner, { verb: 'finishRun', at: 1, times: 7, when: 'before' })
  const { attempts, runs } = await executeTwice(inner, store)
  expect(attempts).toMatchObject([
    { kind: 'failed', failure: { retryable: true }, keepsRun: true },
    { kind: 'completed', result: { run_id: runs[0]?.id } },
  ])
  expect(runs).toHaveLength(1)
})

it('A7: a run that was begun goes on with the next attempt, when the task could not be told of it', async () => {
  const inner = createTestStore()
  const setTaskRun = vi.fn(inner.setTaskRun).mockRejectedValueOnce(passingFailure())
  const { attempts, runs } = await executeTwice(inner, { ...inner, setTaskRun })
  expect(attempts).toMatchObject([{ kind: 'failed', keepsRun: true }, { kind: 'completed' }])
  expect(runs).toHaveLength(1)
})

it('A7: a run that ended because the store failed is over: the next attempt is another run', async () => {
  const inner = createTestStore()
  const message = { role: 'user', text: 'before' } as const
  const earlier = { conversationId: 'c1', agentId: 'helper', now: '2026-01-01T00:00:00.000Z' }
  await inner.appendMessages({ ...earlier, messages: [{ id: 'm', message }] })
  const damaged = new RuntimeError('storage_error', 'Reading failed: it is damaged.')
  // the first look is the one of the start; the run itself looks again
  const findConversation = vi
    .fn(inner.findConversation)
    .mockImplementationOnce(inner.findConversation)
    .mockRejectedValueOnce(damaged)
  const { attempts } = await executeTwice(inner, { ...inner, findConversation }, { conversationId: 'c1' })
  expect(attempts[0]).toMatchObject({ kind: 'failed', result: { code: 'storage_error' } })
  expect(attempts[0]).not.toHaveProperty('keepsRun')
})
