import { expect, it } from 'vitest'
import { createSqliteStore } from '../store/sqlite/create-sqlite-store.ts'
import { startPlatform, startWithScripts, type TestPlatform } from './testing/start-platform.ts'

const order = {
  id: 'order',
  nodes: [
    { id: 'collect', agent: 'echo', input: 'Order {{input}}' },
    {
      id: 'paid',
      wait: { event: 'paid', match: { required: ['amount'], properties: { amount: { type: 'integer' } } } },
    },
    { id: 'may', ask: { message: 'Send {{collect}} for {{paid}}?', schema: { type: 'boolean' } } },
    { id: 'send', agent: 'echo', input: 'Sent: {{may}}' },
  ],
  edges: [
    { from: 'collect', to: 'paid' },
    { from: 'paid', to: 'may' },
    { from: 'may', to: 'send', when: { data: { const: true } } },
  ],
}

async function start(
  platform: TestPlatform,
  graph: {
    readonly id: string
    readonly nodes: readonly object[]
    readonly edges: readonly object[]
  } = order,
) {
  expect((await platform.send('POST', '/api/graphs', { body: graph })).status).toBe(201)
  const started = await platform.send('POST', `/api/graphs/run`, { body: { graph_id: graph.id, input: '7' } })
  return started.body
}

const runOf = async ({ send }: TestPlatform, id: string) => (await send('GET', `/api/runs/${id}`)).body.run
const openOf = async (platform: TestPlatform, id: string) =>
  (await runOf(platform, id)).waits.filter(({ status }: { status: string }) => status === 'open')
const answer = ({ send }: TestPlatform, id: string, wait: { id: string }, body: object) =>
  send('POST', `/api/runs/${id}/waits/${wait.id}`, { body })

it('waits for an event, then asks a person, and begins what comes behind', async () => {
  const store = createSqliteStore({ path: ':memory:' })
  await using platform = await startWithScripts('in process', {}, { store })
  const result = await start(platform)
  expect(result).toMatchObject({
    success: true,
    stop_reason: 'waiting',
    waits: [{ kind: 'event', event: 'paid' }],
  })
  const id = result.run_id
  expect(await runOf(platform, id)).toMatchObject({ status: 'waiting' })
  const steps = (await platform.send('GET', `/api/runs/${id}/steps`)).body.steps
  expect(steps.map((step: { id: string; status: string }) => [step.id, step.status])).toEqual([
    ['collect', 'completed'],
    ['paid', 'waiting'],
  ])
  const [paid] = await openOf(platform, id)
  expect((await answer(platform, id, paid, { data: { amount: 'much' } })).status).toBe(400)
  expect((await answer(platform, id, paid, { data: { amount: 3 } })).status).toBe(200)
  await expect.poll(() => openOf(platform, id)).toMatchObject([{ kind: 'question' }])
  const [may] = await openOf(platform, id)
  expect(may.message).toMatch(/^Send .*Order 7.* for \{"amount":3\}\?$/s)
  await answer(platform, id, may, { data: true })
  await expect.poll(() => runOf(platform, id)).toMatchObject({ status: 'completed' })
  const { outputs, node_results } = (await runOf(platform, id)).result
  expect(outputs).toMatchObject({
    paid: '{"amount":3}',
    may: 'true',
    send: expect.stringContaining('Sent: true'),
  })
  expect(
    node_results.map(({ node_id, data }: { node_id: string; data: unknown }) => [node_id, data]),
  ).toMatchObject([
    ['collect', undefined],
    ['paid', { amount: 3 }],
    ['may', true],
    ['send', undefined],
  ])
  // what came with the event is a stranger's
  const { rows } = await store.listRuns({ parentRunId: id }, { limit: 9 })
  expect(rows.map(({ tainted }) => tainted)).toEqual([true, false])
})

it('lets an edge branch on a declined question', async () => {
  await using platform = await startWithScripts('in process')
  const { run_id: id } = await start(platform, {
    id: 'ask',
    nodes: [
      { id: 'may', ask: { message: 'May I?' } },
      { id: 'no', agent: 'echo', input: 'No' },
    ],
    edges: [{ from: 'may', to: 'no', when: { data: { required: ['declined'] } } }],
  })
  const [wait] = await openOf(platform, id)
  await answer(platform, id, wait, { decline: true, reason: 'Not today' })
  await expect.poll(() => runOf(platform, id)).toMatchObject({ status: 'completed' })
  const { result } = await runOf(platform, id)
  expect(result.node_results[0].data).toEqual({ declined: true, reason: 'Not today' })
  expect(result.node_results[1].status).toBe('completed')
})

it('fails a node whose event does not come in time, and continues at a time', async () => {
  await using platform = await startWithScripts('in process')
  const result = await start(platform, {
    id: 'late',
    nodes: [
      { id: 'past', wait: { until: '{{input}}' } },
      { id: 'soon', wait: { seconds: 1 } },
      { id: 'never', wait: { event: 'x', timeout: 1 }, on_error: 'continue' },
      { id: 'end', agent: 'echo', input: '{{never}}' },
    ],
    edges: [{ from: 'never', to: 'end' }],
  })
  await expect.poll(() => runOf(platform, result.run_id)).toMatchObject({ status: 'failed' })
  const ended = (await runOf(platform, result.run_id)).result.node_results
  const codes = ended.map(({ node_id, status, code }: Record<string, string>) => [node_id, status, code])
  expect(codes).toEqual([
    ['past', 'failed', 'validation_error'],
    ['soon', 'completed', undefined],
    ['never', 'failed', 'wait_expired'],
    ['end', 'completed', undefined],
  ])
})

it('goes on in another process, and cancels its waits with the run', async () => {
  const store = createSqliteStore({ path: ':memory:' })
  const lasting = new Proxy(store, {
    get: (target, name) => {
      if (name === 'close') return async () => {}
      return name === 'isDurable' ? true : Reflect.get(target, name)
    },
  })
  let id = ''
  {
    await using platform = await startWithScripts('in process', {}, { store: lasting })
    id = (await start(platform)).run_id
  }
  await using platform = await startPlatform('in process', { store: lasting, models: {} })
  const [paid] = await openOf(platform, id)
  await answer(platform, id, paid, { data: { amount: 1 } })
  await expect.poll(() => openOf(platform, id)).toMatchObject([{ kind: 'question' }])
  await platform.send('POST', `/api/runs/${id}/cancel`)
  expect(await runOf(platform, id)).toMatchObject({
    status: 'cancelled',
    waits: [{ status: 'answered' }, { status: 'cancelled' }],
  })
})

it('takes no worker while it waits, and continues at the time that the data before it names', async () => {
  await using platform = await startWithScripts('in process', {}, { workers: { concurrency: 1 } })
  const body = {
    id: 'later',
    nodes: [
      { id: 'may', ask: { message: 'When?' } },
      { id: 'then', wait: { until: '{{may}}' } },
      { id: 'end', agent: 'echo', input: 'Now {{may}}{{then}}' },
    ],
    edges: [
      { from: 'may', to: 'then' },
      { from: 'then', to: 'end' },
    ],
  }
  expect((await platform.send('POST', '/api/graphs', { body })).status).toBe(201)
  const taskOf = async (id: string) => (await platform.send('GET', `/api/tasks/${id}`)).body.task
  const create = async (work: object) =>
    (await platform.send('POST', '/api/tasks', { body: work })).body.task.id
  const id = await create({ graph_id: 'later', task: 'x' })
  await expect.poll(async () => (await taskOf(id)).run_id).toBeTypeOf('string')
  const { run_id: runId } = await taskOf(id)
  await expect.poll(() => runOf(platform, runId)).toMatchObject({ status: 'waiting' })
  const other = await create({ agent_id: 'echo', task: 'meanwhile' })
  await expect.poll(() => taskOf(other)).toMatchObject({ status: 'completed' })
  expect((await taskOf(id)).status).toBe('running')
  const [wait] = await openOf(platform, runId)
  await answer(platform, runId, wait, { data: '2026-01-01' })
  await expect
    .poll(() => taskOf(id))
    .toMatchObject({ status: 'completed', result: { output: 'Now 2026-01-01' } })
  expect((await answer(platform, runId, wait, { data: '2026-01-01' })).status).toBe(200)
  expect((await answer(platform, runId, wait, { data: '2026-01-02' })).status).toBe(409)
})

it('takes no answer for a wait for a time, and shows the waits of a graph in a graph', async () => {
  await using platform = await startWithScripts('in process')
  const body = {
    id: 'inner',
    nodes: [
      { id: 'time', wait: { until: '2999-01-01T00:00:00Z' }, on_error: 'skip' },
      { id: 'may', ask: { message: 'May {{input}}?', schema: { type: 'boolean' }, timeout: 3600 } },
    ],
  }
  expect((await platform.send('POST', '/api/graphs', { body })).status).toBe(201)
  const nodes = [{ id: 'in', graph: 'inner', input: 'x' }]
  const { run_id: id, ...result } = await start(platform, { id: 'outer', nodes, edges: [] })
  expect(result).toMatchObject({ stop_reason: 'waiting', success: true })
  expect(result.waits.map(({ kind }: { kind: string }) => kind)).toEqual(['event', 'question'])
  const [time, may] = result.waits
  expect((await answer(platform, id, time, { data: {} })).status).toBe(409)
  expect((await answer(platform, id, may, { data: 'yes' })).status).toBe(400)
  expect((await answer(platform, id, may, { data: true })).status).toBe(200)
  const inner = await platform.send('GET', `/api/runs/${may.run_id}/steps`)
  const stepsOf = (steps: { id: string; status: string }[]) => steps.map((step) => [step.id, step.status])
  expect(stepsOf(inner.body.steps)).toContainEqual(['time', 'waiting'])
  await platform.send('POST', `/api/runs/${id}/cancel`)
  await expect.poll(() => runOf(platform, id)).toMatchObject({ status: 'cancelled' })
  const { waits } = await runOf(platform, may.run_id)
  expect(waits.map(({ status }: { status: string }) => status)).toEqual(['cancelled', 'answered'])
})

it.each([
  ['an empty wait', { wait: {} }],
  ['two kinds of waits', { wait: { event: 'x', seconds: 1 } }],
  ['a wait with an agent', { wait: { seconds: 1 }, agent: 'echo' }],
  ['a wait with a map', { wait: { seconds: 1 }, map: { over: 'input' } }],
  ['an invalid schema', { ask: { message: 'x', schema: { type: 'objekt' } } }],
  ['an unknown placeholder', { ask: { message: '{{nobody}}' } }],
])('refuses %s', async (_, node) => {
  await using platform = await startWithScripts('in process')
  const body = { id: 'g', nodes: [{ id: 'n', ...node }] }
  expect((await platform.send('POST', '/api/graphs', { body })).status).toBe(400)
})
