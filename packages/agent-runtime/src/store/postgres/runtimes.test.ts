// What docs/guides/scaling.md says of who does what: two processes on one database, behind a load balancer.
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import type { Tool } from '../../ports/tool.ts'
import type { RuntimeOptions } from '../../runtime/runtime-options.ts'
import type { TestPlatform } from '../../server/testing/start-platform.ts'
import { startPlatform } from '../../server/testing/start-platform.ts'
import { agentOf, at, leaseOf, runOf } from '../../testing/conformance-fixtures.ts'
import { createScriptedModel } from '../../testing/scripted-model.ts'
import { createPostgresStore } from './index.ts'
import { createCutProxy } from './testing/cut-proxy.ts'
import type { TestDatabase } from './testing/test-database.ts'
import { createTestDatabase } from './testing/test-database.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const pay: Tool = {
  id: 'pay',
  description: 'Pays.',
  inputSchema: { type: 'object' },
  effects: 'external',
  idempotent: false,
  returnsUntrustedContent: false,
  execute: async () => 'paid',
}
/** Pays first, and then answers. Each process has one of its own, which looks at what was done already. */
const createPayer = () => {
  const answer = ({ prompt }: { readonly prompt: readonly { readonly role: string }[] }) =>
    prompt.at(-1)?.role === 'tool' ? { text: 'Thank you.' } : { toolCalls: [{ name: 'pay' }] }
  return createScriptedModel([answer, answer])
}

async function start(options: RuntimeOptions = {}): Promise<TestPlatform> {
  return startPlatform('in process', {
    store: await createPostgresStore({ connectionString: database.connectionString }),
    tools: [pay],
    models: { payer: createPayer, hanging: () => createScriptedModel([{ text: 'Well', hang: true }]) },
    ...options,
  })
}

/** The names of the events of a run, until it is over. */
async function follow(platform: TestPlatform, runId: string): Promise<readonly string[]> {
  const text = await (await platform.fetch(`/api/runs/${runId}/events`)).text()
  return [...text.matchAll(/^event: (\S+)$/gm)].map(([, name = '']) => name)
}

it('A6, A20: a run that waits is streamed and decided about by any of them', async () => {
  await using here = await start()
  await using there = await start()
  await here.send('POST', '/api/agents', {
    body: { id: 'payer', model: 'payer/any', approval_tools: ['pay'] },
  })
  const { body } = await here.send('POST', '/api/agents/run', { body: { agent_id: 'payer', task: 'Pay' } })
  expect(body).toMatchObject({ stop_reason: 'approval' })
  const streams = [follow(here, body.run_id), follow(there, body.run_id)]
  const approval = `/api/runs/${body.run_id}/approvals/${body.approvals[0].id}`
  expect((await there.send('POST', approval, { body: { decision: 'approve' } })).status).toBe(200)
  const [near, far] = await Promise.all(streams)
  expect(near?.slice(-4)).toEqual(['tool_call', 'assistant', 'usage', 'done'])
  expect(far).toEqual(near)
  expect((await here.send('GET', `/api/runs/${body.run_id}`)).body.run.status).toBe('completed')
})

it('A6: a run is streamed and cancelled by one that does not work on it', async () => {
  // It hears of the cancellation when it renews its lease, which is four times as often as the lease would be over.
  await using here = await start({ leaseMs: 8000 })
  await using there = await start()
  await there.send('POST', '/api/agents', { body: { id: 'slow', model: 'hanging/any' } })
  const answer = here.send('POST', '/api/agents/run', { body: { agent_id: 'slow', task: 'Think' } })
  const running = async () => (await there.send('GET', '/api/runs?agent_id=slow&status=running')).body.runs
  await vi.waitFor(async () => expect(await running()).toHaveLength(1), { timeout: 60_000 })
  const [{ id }] = await running()
  const stream = follow(there, id)
  const cancelled = await there.send('POST', `/api/runs/${id}/cancel`)
  expect([cancelled.status, cancelled.body.run.status]).toEqual([200, 'cancelled'])
  expect((await answer).body.stop_reason).toBe('cancelled')
  expect((await stream).at(-1)).toMatch(/^(?:done|error)$/)
})

it('gives a signal that two of them get at once to each wait once, and counts all of them', async () => {
  await using here = await start()
  await using there = await start()
  const nodes = [{ id: 'paid', wait: { event: 'paid', match: { type: 'integer' } } }]
  await here.send('POST', '/api/graphs', { body: { id: 'waits', nodes } })
  const ids: string[] = []
  for (let number = 0; number < 20; number += 1) {
    const platform = number % 2 === 0 ? here : there
    const body = { graph_id: 'waits', input: 'x' }
    ids.push((await platform.send('POST', '/api/graphs/run', { body })).body.run_id)
  }
  const body = { event: 'paid', data: 7, id: 'both' }
  const sends = [here, there, here, there].map((one) => one.send('POST', '/api/signals', { body }))
  expect((await Promise.all(sends)).map((sent) => sent.body.delivered)).toEqual([20, 20, 20, 20])
  for (const id of ids) {
    const runOf = async () => (await here.send('GET', `/api/runs/${id}`)).body.run
    await vi.waitFor(async () => expect((await runOf()).status).toBe('completed'), { timeout: 60_000 })
    const { waits, result } = await runOf()
    expect([waits.length, result.node_results[0].data]).toEqual([1, 7])
  }
  const settled = await database.query(
    "select count(*) as count from homeward.journal where type = 'wait.settled' and run_id in (select id from homeward.runs where graph_id = 'waits')",
  )
  expect(Number(settled[0]?.['count'])).toBe(20)
})

it('A7: one that only serves takes tasks in, which another one carries out', async () => {
  await using serving = await start({ workers: { concurrency: 0 }, schedules: false })
  await using working = await start()
  await Promise.all([serving.runtime.start(), working.runtime.start()])
  await serving.send('POST', '/api/agents', { body: { id: 'parrot', model: 'test/echo' } })
  const owners = new Set<string>()
  working.runtime.events.on('task.completed', () => owners.add('working'))
  serving.runtime.events.on('task.completed', () => owners.add('serving'))
  const { body } = await serving.send('POST', '/api/tasks', { body: { agent_id: 'parrot', task: 'Hello' } })
  const read = async () => (await serving.send('GET', `/api/tasks/${body.task.id}`)).body.task
  await vi.waitFor(async () => expect((await read()).status).toBe('completed'), { timeout: 60_000 })
  expect([...owners]).toEqual(['working'])
})

it('A8: what runs when a database is put back goes on with whoever opens it, but for what is marked as cancelled', async () => {
  const store = await createPostgresStore({ connectionString: database.connectionString })
  await store.insertAgent(agentOf('a1'))
  const left = (id: string) =>
    store.insertRun(runOf(id, { conversationId: id }), leaseOf({ until: at(1) }), [])
  await Promise.all([left('left'), left('marked')])
  await store.close()
  await database.query("update homeward.runs set cancel_requested = 1 where id = 'marked'")
  await using serving = await start({ workers: { concurrency: 0 }, schedules: false })
  await serving.runtime.start()
  const statusOf = async (id: string) => (await serving.send('GET', `/api/runs/${id}`)).body.run.status
  await vi.waitFor(async () => expect(await statusOf('left')).toBe('completed'), { timeout: 60_000 })
  await vi.waitFor(async () => expect(await statusOf('marked')).toBe('cancelled'), { timeout: 60_000 })
})

it('answers 500 with `storage_error` while Postgres is down, and works again when it is back', async () => {
  const proxy = await createCutProxy(database.connectionString)
  onTestFinished(() => proxy.close())
  const { connectionString } = proxy
  await using platform = await start({
    store: await createPostgresStore({ connectionString, connectTimeoutMs: 2000 }),
  })
  await platform.send('POST', '/api/agents', { body: { id: 'parrot', model: 'test/echo' } })
  const run = () => platform.send('POST', '/api/agents/run', { body: { agent_id: 'parrot', task: 'Hello' } })
  expect((await run()).status).toBe(200)
  proxy.cut()
  for (const { status, body } of [await run(), await platform.send('GET', '/api/agents')])
    expect([status, body.code]).toEqual([500, 'storage_error'])
  proxy.mend()
  expect((await run()).status).toBe(200)
})
