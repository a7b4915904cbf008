import { expect, it, onTestFinished, vi } from 'vitest'
import { createSqliteStore } from '../store/sqlite/create-sqlite-store.ts'
import { startPlatform, startWithScripts, type TestPlatform } from './testing/start-platform.ts'

const waiting = (id: string, wait: object) => ({
  id,
  nodes: [{ id: 'paid', wait: { event: 'paid', ...wait } }],
})

async function begin({ send }: TestPlatform, graph: { readonly id: string }): Promise<string> {
  expect((await send('POST', '/api/graphs', { body: graph })).status).toBe(201)
  return (await send('POST', '/api/graphs/run', { body: { graph_id: graph.id, input: 'x' } })).body.run_id
}

const runOf = async ({ send }: TestPlatform, id: string) => (await send('GET', `/api/runs/${id}`)).body.run
const signal = ({ send }: TestPlatform, body: object) => send('POST', '/api/signals', { body })

it('gives a signal to every wait for its event that accepts its data, once', async () => {
  await using platform = await startWithScripts('in process')
  const large = await begin(
    platform,
    waiting('large', { match: { properties: { amount: { minimum: 100 } } } }),
  )
  const every = await begin(platform, waiting('every', {}))
  const other = await begin(platform, waiting('other', { event: 'sent' }))
  const body = { event: 'paid', data: { amount: 7, by: 'me' }, id: 'p1' }
  const sent = await signal(platform, body)
  expect(sent.status).toBe(202)
  expect(sent.body).toEqual({
    ok: true,
    signal: { id: 'p1', event: 'paid', created_at: expect.any(String) },
    delivered: 1,
  })
  await expect
    .poll(() => runOf(platform, every))
    .toMatchObject({
      status: 'completed',
      result: { node_results: [{ data: { amount: 7, by: 'me' } }] },
      waits: [{ status: 'answered', answered_by: 'signal:p1' }],
    })
  expect((await runOf(platform, large)).status).toBe('waiting')
  expect((await runOf(platform, other)).status).toBe('waiting')
  // it is the same signal, also for those who wait since then
  const later = await begin(platform, waiting('later', {}))
  expect((await signal(platform, { ...body, data: { by: 'me', amount: 7 } })).body).toEqual(sent.body)
  expect((await runOf(platform, later)).status).toBe('waiting')
  expect((await signal(platform, { ...body, data: { amount: 8 } })).status).toBe(409)
  expect((await signal(platform, { ...body, keep_seconds: 9 })).status).toBe(409)
  expect((await signal(platform, { event: 'paid', data: { amount: 700 } })).body.delivered).toBe(2)
})

it('keeps a signal for waits that are opened later, once for each run', async () => {
  await using platform = await startWithScripts('in process')
  const both = [1, 2].map((data) => signal(platform, { event: 'paid', data, keep_seconds: 3600 }))
  expect((await Promise.all(both)).map(({ body }) => body.delivered)).toEqual([0, 0])
  await signal(platform, { event: 'paid', data: 3 })
  const nodes = ['a', 'b', 'c'].map((id) => ({ id, wait: { event: 'paid' } }))
  const edges = [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'c' },
  ]
  const id = await begin(platform, { id: 'three', nodes, edges } as { id: string })
  await expect.poll(() => runOf(platform, id)).toMatchObject({ status: 'waiting' })
  const { waits } = await runOf(platform, id)
  expect(waits.map(({ data }: { data?: number }) => data).toSorted()).toEqual([1, 2, undefined])
  const again = await begin(platform, waiting('again', { match: { const: 2 } }))
  expect(await runOf(platform, again)).toMatchObject({ status: 'completed', waits: [{ data: 2 }] })
})

it('reaches a run after a restart, also from another process', async () => {
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
    id = await begin(platform, waiting('lasts', {}))
  }
  await using platform = await startPlatform('in process', { store: lasting })
  expect((await signal(platform, { event: 'paid' })).body.delivered).toBe(1)
  await expect.poll(() => runOf(platform, id)).toMatchObject({ status: 'completed', waits: [{ data: null }] })
})

it('wakes a graph at once whose other nodes are at work', async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  vi.useFakeTimers({ toFake: ['setInterval'] }) // nothing looks now and then
  onTestFinished(() => void vi.useRealTimers())
  await using platform = await startWithScripts('in process', {
    slow: [{ text: 'Slow', gate: () => gate }],
    fast: [{ text: 'Fast' }],
  })
  const nodes = [
    { id: 'slow', agent: 'slow' },
    { id: 'paid', wait: { event: 'paid' } },
    { id: 'who', ask: { message: 'Who?' } },
    { id: 'fast', agent: 'fast' },
  ]
  const edges = ['paid', 'who'].map((from) => ({ from, to: 'fast' }))
  await platform.send('POST', '/api/graphs', { body: { id: 'both', nodes, edges } })
  const running = platform.send('POST', '/api/graphs/run', { body: { graph_id: 'both', input: 'x' } })
  const waitsOf = async () => (await platform.send('GET', '/api/waits')).body.waits
  await expect.poll(waitsOf).toHaveLength(2)
  await signal(platform, { event: 'paid' })
  const [{ id, run_id }] = await waitsOf()
  await platform.send('POST', `/api/runs/${run_id}/waits/${id}`, { body: { data: 'Me' } })
  const fastRuns = async () => (await platform.send('GET', '/api/runs?agent_id=fast')).body.runs
  await expect.poll(fastRuns).toMatchObject([{ status: 'completed' }])
  open()
  expect((await running).body.outputs).toMatchObject({ slow: 'Slow', fast: 'Fast' })
})

it('delivers what a process left behind in the middle, once', async () => {
  const store = createSqliteStore({ path: ':memory:' })
  const lasting = { ...store, isDurable: true }
  await using platform = await startWithScripts('in process', {}, { store: lasting })
  const ids = [await begin(platform, waiting('one', {})), await begin(platform, waiting('two', {}))]
  const now = new Date().toISOString()
  const left = { id: 'left', event: 'paid', data: 7, createdAt: now }
  // by a process that is gone since, and had given it to one of the waits
  const { signal: stored } = await store.insertSignal({ ...left, knownSince: now })
  const [wait] = await store.listWaitsOf([ids[0] ?? ''])
  const how = { status: 'answered', data: 7, settledAt: now, settledBy: 'signal:left', journal: [] } as const
  await store.settleWait({ ...how, runId: ids[0] ?? '', waitId: wait?.id ?? '', signal: stored })
  const later = await begin(platform, waiting('later', {}))
  const resultsOf = async () =>
    Promise.all(ids.map(async (id) => (await runOf(platform, id)).result?.node_results))
  await platform.runtime.start()
  await expect.poll(resultsOf, { timeout: 20_000 }).toMatchObject([[{ data: 7 }], [{ data: 7 }]])
  expect((await signal(platform, { event: 'paid', data: 7, id: 'left' })).body.delivered).toBe(2)
  expect((await runOf(platform, later)).status).toBe('waiting')
})

it('leaves the only worker free while a graph waits', async () => {
  await using platform = await startWithScripts('in process', {}, { workers: { concurrency: 1 } })
  await platform.runtime.start()
  await platform.send('POST', '/api/graphs', { body: waiting('days', { timeout: 604_800 }) })
  const taskOf = async (body: object) => (await platform.send('POST', '/api/tasks', { body })).body.task.id
  const ofGraph = await taskOf({ graph_id: 'days', task: 'x' })
  const statusOf = async (id: string) => (await platform.send('GET', `/api/tasks/${id}`)).body.task.status
  const waitsOf = async () => (await platform.send('GET', '/api/waits')).body.waits
  await expect.poll(waitsOf).toHaveLength(1)
  const other = await taskOf({ agent_id: 'echo', task: 'Hello' })
  await expect.poll(() => statusOf(other)).toBe('completed')
  expect(await statusOf(ofGraph)).toBe('running')
  await signal(platform, { event: 'paid' })
  await expect.poll(() => statusOf(ofGraph)).toBe('completed')
})

it.each([
  ['no event', { data: 1 }],
  ['a time that is too long', { event: 'x', keep_seconds: 604_801 }],
  ['a time before now', { event: 'x', keep_seconds: -1 }],
])('refuses %s', async (_, body) => {
  await using platform = await startPlatform('in process')
  expect((await signal(platform, body)).status).toBe(400)
})
