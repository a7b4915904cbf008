import { setImmediate } from 'node:timers/promises'
import type { GraphRunResult, Run, RunResult } from '@homeward/contract/agent-platform'
import { describe, expect, it, vi } from 'vitest'
import type { StoredTask } from '../store/ports/task-store.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { at, graphResultOf, resultOf } from '../testing/conformance-fixtures.ts'
import { taskOf } from '../testing/tasks/task-fixtures.ts'
import { createExecuteTask } from './execute-task.ts'

const never = new AbortController().signal
const cancelled = () => new RuntimeError('cancelled', 'The task was cancelled.')
const closed = () => new RuntimeError('closed', 'The runtime was closed.')

function storedOf(changes: Partial<StoredTask> = {}): StoredTask {
  const task = {
    ...taskOf('t1', { input: 'Go' }),
    status: 'running',
    attempt: 1,
    runCount: 2,
    updatedAt: at(1),
  }
  return { ...task, ...changes } as StoredTask
}

interface Given {
  readonly result?: Promise<RunResult | GraphRunResult>
  readonly found?: Partial<Run> | undefined
  readonly isOurs?: boolean
}

/** Attempts over runs that end as they are told to; every run has ended in the store, too. */
function open({ result, found = { finished_at: at(5) }, isOurs = true }: Given = {}) {
  const handle = { runId: 'r1', result: result ?? Promise.resolve(resultOf('r1')) } as never
  const calls = {
    start: vi.fn(async () => handle),
    attach: vi.fn(async () => handle),
    startGraph: vi.fn(async () => handle),
    cancel: vi.fn(async () => undefined as never),
    find: vi.fn(async () => found as Run | undefined),
    setTaskRun: vi.fn(async () => isOurs),
  }
  const { setTaskRun, startGraph, ...runs } = calls
  return { ...calls, ...createExecuteTask({ store: { setTaskRun }, runs, startGraph, owner: 'o1' }) }
}

const attemptOf = (result: RunResult | GraphRunResult, found?: Partial<Run>) =>
  open({ result: Promise.resolve(result), ...(found && { found }) }).execute(storedOf(), never)

const brokenOf = (changes: Partial<RunResult>) =>
  resultOf('r1', { success: false, error: 'It broke.', stop_reason: 'error', ...changes })
const brokenGraphOf = (changes: Partial<GraphRunResult>): GraphRunResult => ({
  ...graphResultOf('r1'),
  success: false,
  error: 'It broke.',
  ...changes,
})

describe('A7: how a run ends is how its task goes', () => {
  it('completed, with what the run gave', async () => {
    const result = resultOf('r1')
    expect(await attemptOf(result)).toEqual({ kind: 'completed', result })
  })

  it('waiting for a person, as the run of an agent or a graph does', async () => {
    expect(await attemptOf(resultOf('r1', { stop_reason: 'approval' }))).toEqual({ kind: 'parked' })
    expect(await attemptOf(brokenGraphOf({ success: true, stop_reason: 'waiting' }))).toEqual({
      kind: 'parked',
    })
    // as older versions stored it
    expect(await attemptOf(brokenGraphOf({ code: 'approval' }))).toEqual({ kind: 'parked' })
  })

  it.each<[given: Partial<RunResult>, code: string, retryable: boolean]>([
    [{}, 'run_error', false],
    [{ code: 'model_error' }, 'run_error', false],
    [{ code: 'model_error', retryable: true }, 'run_error', true],
    [{ code: 'timeout' }, 'run_error', true],
    [{ code: 'storage_error' }, 'run_error', true],
    [{ code: 'store_unavailable' }, 'run_error', true],
    [{ code: 'effect_uncertain' }, 'effect_uncertain', false],
    [{ code: 'not_found' }, 'not_found', false],
    [{ stop_reason: 'cancelled' }, 'cancelled', false],
    [{ code: 'cancelled' }, 'cancelled', false],
    [{ stop_reason: 'max_runtime', retryable: true }, 'timeout', false],
    [{ stop_reason: 'max_turns' }, 'run_error', false],
  ])('failed, for a run with %j: %s, tried again %s', async (given, code, retryable) => {
    const result = brokenOf(given)
    const failure = { code, message: 'It broke.', retryable }
    expect(await attemptOf(result)).toEqual({ kind: 'failed', failure, result })
  })

  it('failed, with words of its own where the run has none', async () => {
    const { error: _, ...silent } = brokenOf({})
    expect(await attemptOf(silent)).toMatchObject({ failure: { message: 'The run failed.' } })
  })

  it('failed for good, for a graph of which nodes have ended: another run would make them again', async () => {
    const storage = { code: 'storage_error' }
    expect(await attemptOf(brokenGraphOf(storage))).toMatchObject({ failure: { retryable: false } })
    expect(await attemptOf(brokenGraphOf({ ...storage, node_results: [] }))).toMatchObject({
      failure: { retryable: true },
    })
  })

  it('failed, to go on with the same run, where the store does not have its end', async () => {
    const result = brokenOf({ code: 'storage_error' })
    expect(await attemptOf(result, {})).toMatchObject({ kind: 'failed', keepsRun: true, result })
    const { execute, find } = open({ result: Promise.resolve(result) })
    find.mockResolvedValueOnce(undefined)
    expect(await execute(storedOf(), never)).toMatchObject({ kind: 'failed', keepsRun: true, result })
    expect(await attemptOf(result)).not.toHaveProperty('keepsRun')
    expect(await attemptOf(brokenOf({ code: 'timeout' }), {})).not.toHaveProperty('keepsRun')
  })
})

describe('A7: a task is begun', () => {
  const question = { questionId: 't1.question', isRetry: true }

  it('as a run of its agent, whose key has the number of the run, and with all that it was given', async () => {
    const { start, setTaskRun, execute } = open()
    const rest = { limits: { max_turns: 3 }, budget: { max_usd: 1 }, metadata: { a: 1 } }
    await execute(storedOf({ conversationId: 'c1', userId: 'ann', ...rest }), never)
    const request = { conversation_id: 'c1', user_id: 'ann', ...rest, idempotency_key: 'task:t1:2' }
    expect(start).toHaveBeenCalledExactlyOnceWith(
      { agent_id: 'a1', task: 'Go', ...request },
      { source: 'task', ...question },
    )
    expect(setTaskRun).toHaveBeenCalledExactlyOnceWith('t1', 'o1', 'r1')
  })

  it('with nothing that it was not given', async () => {
    const { start, execute } = open()
    await execute(storedOf(), never)
    const request = { agent_id: 'a1', task: 'Go', idempotency_key: 'task:t1:2' }
    expect(start.mock.calls).toStrictEqual([[request, { source: 'task', ...question }]])
  })

  it('as the run of a schedule or of a message, where it is one', async () => {
    const { start, execute } = open()
    await execute(storedOf({ scheduleId: 's1' }), never)
    await execute(storedOf({ channelMessage: true, untrusted: true }), never)
    const options = start.mock.calls.map((given: readonly unknown[]) => given[1])
    expect(options).toStrictEqual([
      { source: 'schedule', ...question },
      { source: 'channel', ...question, tainted: true },
    ])
  })

  it('as a run of its graph, which joins the one that was begun', async () => {
    const { start, attach, startGraph, execute } = open({ result: Promise.resolve(graphResultOf('r1')) })
    const subject = { kind: 'graph', id: 'g1' } as const
    const rest = { budget: { max_usd: 1 }, metadata: { a: 1 } }
    await execute(storedOf({ subject, runId: 'r1', userId: 'ann', ...rest }), never)
    await execute(storedOf({ subject }), never)
    const request = { graph_id: 'g1', input: 'Go', idempotency_key: 'task:t1:2' }
    expect(startGraph.mock.calls).toStrictEqual([
      [{ ...request, user_id: 'ann', ...rest }, { source: 'task' }],
      [request, { source: 'task' }],
    ])
    expect(start).not.toHaveBeenCalled()
    expect(attach).not.toHaveBeenCalled()
  })

  it('with the run that an attempt before has begun, also when the agent is gone', async () => {
    const { start, attach, execute } = open()
    await execute(storedOf({ runId: 'r1' }), never)
    expect(attach).toHaveBeenCalledExactlyOnceWith('r1')
    expect(start).not.toHaveBeenCalled()
  })
})

describe('A7: a task is let go', () => {
  const forever = new Promise<RunResult>(() => {})

  it('when it is another process’s by now, whatever becomes of the run', async () => {
    const { execute } = open({ isOurs: false, result: Promise.reject(new Error('lost')) })
    expect(await execute(storedOf(), never)).toEqual({ kind: 'released' })
  })

  it.each([true, false])(
    'when the runtime closes, and its run goes on (closed before: %s)',
    async (isBefore) => {
      const stop = new AbortController()
      const { execute, cancel } = open({ result: forever })
      if (isBefore) stop.abort(closed())
      const attempt = execute(storedOf(), stop.signal)
      await setImmediate()
      stop.abort(closed())
      expect(await attempt).toEqual({ kind: 'released' })
      expect(cancel).not.toHaveBeenCalled()
    },
  )

  it('when the runtime closes while its run is begun, or fails for that', async () => {
    const { start, execute } = open()
    start.mockRejectedValueOnce(new Error('The store was closed.')).mockRejectedValueOnce(closed())
    expect(await execute(storedOf(), AbortSignal.abort(closed()))).toEqual({ kind: 'released' })
    expect(await execute(storedOf(), never)).toEqual({ kind: 'released' })
  })
})

it('A7: a task that is cancelled cancels its run, and ends as that does', async () => {
  const stop = new AbortController()
  const ended = Promise.withResolvers<RunResult>()
  const { execute, cancel } = open({ result: ended.promise })
  cancel.mockImplementation(async () => {
    ended.resolve(brokenOf({ stop_reason: 'cancelled' }))
    return undefined as never
  })
  const attempt = execute(storedOf(), stop.signal)
  await setImmediate()
  stop.abort(cancelled())
  expect(await attempt).toMatchObject({ kind: 'failed', failure: { code: 'cancelled', retryable: false } })
  expect(cancel).toHaveBeenCalledExactlyOnceWith('r1')
})

it.each<[error: Error, failed: object]>([
  [new Error('odd'), { failure: { code: 'run_error', message: 'odd', retryable: true } }],
  [cancelled(), { failure: { code: 'cancelled', message: 'The task was cancelled.', retryable: false } }],
  [
    new RuntimeError('not_found', 'No such agent.'),
    { failure: { code: 'not_found', message: 'No such agent.', retryable: false } },
  ],
  [
    new RuntimeError('validation_error', 'Wrong.'),
    { failure: { code: 'run_error', message: 'Wrong.', retryable: false } },
  ],
  [
    new RuntimeError('model_error', 'Slower.', { retryable: true }),
    { failure: { code: 'run_error', message: 'Slower.', retryable: true } },
  ],
  [
    new RuntimeError('storage_error', 'Damaged.'),
    { failure: { code: 'run_error', message: 'Damaged.', retryable: true }, keepsRun: true },
  ],
])('A7: a task whose run cannot be started fails with %s', async (error, failed) => {
  const { start, execute } = open()
  start.mockRejectedValueOnce(error)
  expect(await execute(storedOf(), never)).toEqual({ kind: 'failed', ...failed })
})

it('A7: a task that is cancelled and whose run cannot be started has failed: nobody takes it up', async () => {
  const { start, execute } = open()
  start.mockRejectedValueOnce(new Error('odd'))
  expect(await execute(storedOf(), AbortSignal.abort(cancelled()))).toMatchObject({ kind: 'failed' })
})

describe('A20: a task whose run waited for a person', () => {
  it('ends as its run has ended', async () => {
    const { conclude, find } = open({ found: { finished_at: at(5), result: resultOf('r1') } })
    expect(await conclude(storedOf({ runId: 'r1' }))).toEqual({ kind: 'completed', result: resultOf('r1') })
    expect(find).toHaveBeenCalledExactlyOnceWith('r1')
  })

  it('waits while its run does, or goes on', async () => {
    for (const found of [{ result: resultOf('r1', { stop_reason: 'approval' }) }, { finished_at: at(5) }])
      expect(await open({ found }).conclude(storedOf({ runId: 'r1' }))).toBeUndefined()
  })

  it('is tried again when its run is gone, or it has none', async () => {
    const gone = { kind: 'failed', failure: { code: 'not_found', retryable: true } }
    const { conclude, find } = open()
    find.mockResolvedValueOnce(undefined)
    expect(await conclude(storedOf({ runId: 'r1' }))).toMatchObject(gone)
    expect(await conclude(storedOf())).toMatchObject(gone)
  })
})
