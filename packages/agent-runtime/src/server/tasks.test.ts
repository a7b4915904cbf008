import { APICallError } from '@ai-sdk/provider'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Tool } from '../ports/tool.ts'
import type { ScriptedResponse } from '../testing/scripted-model.ts'
import {
  startWithScripts,
  ways,
  type TestPlatform,
  type TestPlatformOptions,
  type Way,
} from './testing/start-platform.ts'

let home = ''

// What is loaded when it is needed first is loaded here: on a busy machine that takes its time.
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'homeward-tasks-'))
  for (const way of ways) {
    await using platform = await startWith(way)
    const { body } = await create(platform, { agent_id: 'echo', task: 'Hello' })
    await untilEnded(platform, body.task.id)
  }
  await rm(home, { recursive: true })
})

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'homeward-tasks-'))
})
afterEach(() => rm(home, { recursive: true }))

/** Over a real database file. */
const startWith = (
  way: Way,
  scripts: Readonly<Record<string, readonly ScriptedResponse[]>> = {},
  options: TestPlatformOptions = {},
) => startWithScripts(way, scripts, { home, ...options })

const create = async (platform: TestPlatform, body: object, headers = {}) =>
  platform.send('POST', '/api/tasks', { body, headers })

/** Waits for a task by the journal, as a client would by the event stream. */
async function untilEnded(platform: TestPlatform, id: string) {
  const stop = new AbortController()
  for await (const event of platform.runtime.logs.follow({ since: 0 }, stop.signal)) {
    const isEnd = 'type' in event && ['task.completed', 'task.failed'].includes(event.type)
    if (isEnd && 'data' in event && (event.data as { task_id?: unknown }).task_id === id) break
  }
  stop.abort()
  return (await platform.send('GET', `/api/tasks/${id}`)).body.task
}

const failure: ScriptedResponse = { error: new Error('the provider is down') }
const refusal: ScriptedResponse = {
  error: new APICallError({
    message: 'no',
    url: 'https://models.test',
    requestBodyValues: {},
    statusCode: 401,
  }),
}

describe.each(ways)('tasks %s', (way) => {
  it('A7: a task is accepted, carried out in the background, and shows its result', async () => {
    await using platform = await startWith(way)
    const accepted = await create(platform, { agent_id: 'echo', task: 'Hello', metadata: { a: 1 } })
    expect([accepted.status, accepted.body.task.status, accepted.body.task.attempt]).toEqual([
      202,
      'queued',
      0,
    ])
    const { id } = accepted.body.task
    const task = await untilEnded(platform, id)
    expect(task).toMatchObject({
      id,
      agent_id: 'echo',
      input: 'Hello',
      status: 'completed',
      attempt: 1,
      max_attempts: 3,
      metadata: { a: 1 },
      result: { success: true, output: 'Hello', stop_reason: 'done' },
    })
    expect(task.run_id).toBe(task.result.run_id)
    expect((await platform.send('GET', `/api/runs/${task.run_id}`)).body.run.status).toBe('completed')
    expect((await platform.send('GET', `/api/tasks?id=${id}`)).body.task).toEqual(task)
    const { events } = (await platform.send('GET', '/api/logs?limit=100')).body
    const types = events
      .filter((event: { data: { task_id?: string } }) => event.data.task_id === id)
      .map((event: { type: string }) => event.type)
    expect(types).toEqual(['task.created', 'task.started', 'task.completed'])
  })

  it('A7: exactly one of agent_id and graph_id, which must be there', async () => {
    await using platform = await startWith(way)
    for (const body of [
      { task: 'x' },
      { agent_id: 'echo', graph_id: 'g', task: 'x' },
      { agent_id: 'echo' },
      // what a graph does not heed
      { graph_id: 'g', task: 'x', conversation_id: 'c' },
      { graph_id: 'g', task: 'x', limits: { max_runtime: 1 } },
    ]) {
      expect((await create(platform, body)).status).toBe(400)
    }
    for (const body of [
      { agent_id: 'nobody', task: 'x' },
      { graph_id: 'nothing', task: 'x' },
    ]) {
      const { status, body: error } = await create(platform, body)
      expect([status, error.code]).toEqual([404, 'not_found'])
    }
    for (const [method, path, attempt] of [
      ['GET', '/api/tasks/none', 'Getting'],
      ['GET', '/api/tasks?id=none', 'Getting'],
      ['POST', '/api/tasks/none/cancel', 'Canceling'],
      ['POST', '/api/tasks/none/retry', 'Retrying'],
    ] as const) {
      const { status, body } = await platform.send(method, path)
      expect([status, body.message]).toEqual([
        404,
        `${attempt} a task failed: no task has this id. List the tasks to find it.`,
      ])
    }
    expect((await platform.send('GET', '/api/tasks?agent_id=a&graph_id=b')).status).toBe(400)
  })

  it('A7: the same Idempotency-Key gives the same task with 200, however many requests race', async () => {
    await using platform = await startWith(way)
    const body = { agent_id: 'echo', task: 'once' }
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => create(platform, body, { 'idempotency-key': 'k1' })),
    )
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual([
      ...Array<string>(7).fill('200'),
      '202',
    ])
    expect(new Set(answers.map((answer) => answer.body.task.id)).size).toBe(1)
    const { id } = answers[0]!.body.task
    await untilEnded(platform, id)
    const again = await create(platform, { ...body, idempotency_key: 'k1' }, { 'idempotency-key': 'other' })
    expect([again.status, again.body.task.id, again.body.task.status]).toEqual([200, id, 'completed'])
    for (const change of [{ task: 'twice' }, { user_id: 'ben' }, { conversation_id: 'another' }]) {
      const other = await create(platform, { ...body, ...change }, { 'idempotency-key': 'k1' })
      expect([other.status, other.body.code]).toEqual([409, 'conflict'])
    }
    expect((await platform.send('GET', '/api/tasks')).body.tasks).toHaveLength(1)
  })

  it('A7: lists tasks newest first, page by page, by agent and status', async () => {
    await using platform = await startWith(way, {}, { workers: { concurrency: 0 } })
    const ids: string[] = []
    for (const task of ['a', 'b', 'c'])
      ids.unshift((await create(platform, { agent_id: 'echo', task })).body.task.id)
    const first = (await platform.send('GET', '/api/tasks?limit=2&agent_id=echo&status=queued')).body
    const rest = (await platform.send('GET', `/api/tasks?limit=2&agent_id=echo&cursor=${first.next_cursor}`))
      .body
    expect([...first.tasks, ...rest.tasks].map(({ id }: { id: string }) => id)).toEqual(ids)
    expect(rest.next_cursor).toBeUndefined()
    expect((await platform.send('GET', '/api/tasks?status=failed')).body).toEqual({ tasks: [] })
    expect((await platform.send('GET', '/api/tasks?status=lost')).status).toBe(400)
    const one = `/api/tasks?id=${ids[0]}`
    expect((await platform.send('GET', `${one}&agent_id=echo&status=queued`)).body.task.id).toBe(ids[0])
    for (const other of ['agent_id=tools', 'graph_id=echo', 'status=failed'])
      expect((await platform.send('GET', `${one}&${other}`)).status).toBe(404)
    expect((await platform.send('GET', `${one}&agent_id=echo&graph_id=echo`)).status).toBe(400)
  })

  it('A7: cancels a queued task, and one that has ended stays as it is', async () => {
    await using platform = await startWith(way, {}, { workers: { concurrency: 0 } })
    const { id } = (await create(platform, { agent_id: 'echo', task: 'x' })).body.task
    for (let time = 0; time < 2; time += 1) {
      const { status, body } = await platform.send('POST', `/api/tasks/${id}/cancel`)
      expect([status, body.ok, body.task.status, body.task.failure.code]).toEqual([
        200,
        true,
        'failed',
        'cancelled',
      ])
    }
    const retried = await platform.send('POST', `/api/tasks/${id}/retry`)
    expect([retried.status, retried.body.task.status, retried.body.task.attempt]).toEqual([202, 'queued', 0])
    expect((await platform.send('POST', `/api/tasks/${id}/retry`)).status).toBe(409)
  })

  it('A7: cancels a task that runs, and its run', async () => {
    const reached = Promise.withResolvers<AbortSignal>()
    const hang: Tool = {
      id: 'hang',
      description: 'Takes for ever.',
      inputSchema: { type: 'object' },
      effects: 'read',
      idempotent: true,
      returnsUntrustedContent: false,
      execute: (_args, { signal }) =>
        new Promise((_resolve, reject) => {
          reached.resolve(signal)
          signal.addEventListener('abort', () => reject(signal.reason as Error))
        }),
    }
    const script = [{ toolCalls: [{ name: 'hang', args: {} }] }, { text: 'never' }]
    await using platform = await startWith(way, { slow: script }, { tools: [hang] })
    const { id } = (await create(platform, { agent_id: 'slow', task: 'x' })).body.task
    const signal = await reached.promise
    const { body } = await platform.send('POST', `/api/tasks/${id}/cancel`)
    expect([body.task.status, body.task.failure.code, signal.aborted]).toEqual(['failed', 'cancelled', true])
    expect((await platform.send('GET', `/api/runs/${body.task.run_id}`)).body.run.status).toBe('cancelled')
  })

  it('A7: a run that fails shows why, and a retry begins another run', async () => {
    await using platform = await startWith(way, { weak: [failure, { text: 'better' }] })
    const { id } = (await create(platform, { agent_id: 'weak', task: 'x', max_attempts: 1 })).body.task
    const task = await untilEnded(platform, id)
    expect(task).toMatchObject({ status: 'failed', failure: { code: 'run_error', retryable: true } })
    const since = (await platform.runtime.logs.list({ limit: 1 })).at(-1)?.seq ?? 0
    expect((await platform.send('POST', `/api/tasks/${id}/retry`)).status).toBe(202)
    for await (const event of platform.runtime.logs.follow({ since })) {
      if ('type' in event && event.type === 'task.completed') break
    }
    const again = (await platform.send('GET', `/api/tasks/${id}`)).body.task
    expect(again).toMatchObject({ status: 'completed', attempt: 1, result: { output: 'better' } })
    expect(again.failure).toBeUndefined()
    expect(again.run_id).not.toBe(task.run_id)
  })

  it('A7: what a provider refuses is not tried again', async () => {
    await using platform = await startWith(way, { barred: [refusal, { text: 'never' }] })
    const { id } = (await create(platform, { agent_id: 'barred', task: 'x' })).body.task
    const failed = { code: 'run_error', retryable: false }
    expect(await untilEnded(platform, id)).toMatchObject({ status: 'failed', attempt: 1, failure: failed })
  })

  it('A7: a task whose run waits for a person takes no worker, and ends when the person has decided', async () => {
    const pay: Tool = {
      id: 'pay',
      description: 'Pays.',
      inputSchema: { type: 'object' },
      effects: 'external',
      idempotent: false,
      returnsUntrustedContent: false,
      execute: async () => 'paid',
    }
    const script = [{ toolCalls: [{ name: 'pay', args: {} }] }, { text: 'Paid.' }]
    await using platform = await startWith(
      way,
      { payer: script },
      { tools: [pay], workers: { concurrency: 1 } },
    )
    await platform.send('PUT', '/api/agents/payer', { body: { approval_tools: ['pay'] } })
    const { id } = (await create(platform, { agent_id: 'payer', task: 'x' })).body.task
    for await (const event of platform.runtime.logs.follow({ since: 0 })) {
      if ('type' in event && event.type === 'approval.requested') break
    }
    const other = (await create(platform, { agent_id: 'echo', task: 'meanwhile' })).body.task
    expect((await untilEnded(platform, other.id)).status).toBe('completed')
    const waiting = (await platform.send('GET', `/api/tasks/${id}`)).body.task
    expect(waiting.status).toBe('running')
    const { approvals } = (await platform.send('GET', `/api/runs/${waiting.run_id}`)).body.run
    await platform.send('POST', `/api/runs/${waiting.run_id}/approvals/${approvals[0].id}`, {
      body: { decision: 'approve' },
    })
    expect(await untilEnded(platform, id)).toMatchObject({ status: 'completed', result: { output: 'Paid.' } })
  })

  it('A7: a graph can be a task', async () => {
    await using platform = await startWith(way)
    const graph = {
      id: 'pair',
      nodes: [
        { id: 'a', agent: 'echo' },
        { id: 'b', agent: 'echo' },
      ],
      edges: [{ from: 'a', to: 'b' }],
    }
    await platform.send('POST', '/api/graphs', { body: graph })
    const { id } = (await create(platform, { graph_id: 'pair', task: 'Hi' })).body.task
    const task = await untilEnded(platform, id)
    expect(task).toMatchObject({
      graph_id: 'pair',
      status: 'completed',
      result: { success: true, output: 'Hi' },
    })
  })

  it('A7: tasks survive the end of the process', async () => {
    const first = await startWith(way, {}, { workers: { concurrency: 0 } })
    const { id } = (await create(first, { agent_id: 'echo', task: 'later' })).body.task
    await first[Symbol.asyncDispose]()
    await using second = await startWith(way)
    await second.runtime.start()
    expect((await untilEnded(second, id)).result.output).toBe('later')
  })
})
