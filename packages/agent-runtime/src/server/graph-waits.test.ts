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

async function start(platform: TestPlatform, graph: { readonly id: string; readonly nodes: readonly object[]; readonly edges: readonly object[] } = order) {
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
  }).then((begun) => begun)
  await expect
    .poll(() => runOf(platform, result.run_id), { timeout: 10_000 })
    .toMatchObject({ status: 'failed' })
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
