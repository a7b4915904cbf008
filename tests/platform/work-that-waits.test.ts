import { createHmac } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { createTestDatabase } from '../../packages/agent-runtime/src/store/postgres/testing/test-database.ts'
import { createHome, startServer } from '../server/server-process.ts'
import { startCountingWorld, type CountingWorld } from './counting-world.ts'
import { createPlatformClient, type PlatformClient } from './platform-client.ts'

// Behind a kill, a run that was at work waits until the lease of its process is over: some twenty seconds.
const limit = { timeout: 900_000 }
const soon = { timeout: 120_000, interval: 100 }
const secret = 'the secret of both triggers'

/** A server that is killed with `-9` and started again over what it has stored. */
interface Mortal extends AsyncDisposable {
  /** Of the server that runs now. */
  client: PlatformClient
  kill(): Promise<void>
}

async function startMortal(
  environment: Readonly<Record<string, string>>,
  world: CountingWorld,
): Promise<Mortal> {
  const home = await createHome()
  await world.install(home.path)
  const start = () => startServer(home.path, { ...world.environment, ...environment })
  let server = await start()
  const mortal: Mortal = {
    client: createPlatformClient(server.agentsUrl),
    async kill() {
      await server.end('SIGKILL')
      server = await start()
      mortal.client = createPlatformClient(server.agentsUrl)
    },
    async [Symbol.asyncDispose]() {
      await server.end('SIGKILL')
      await home[Symbol.asyncDispose]()
    },
  }
  return mortal
}

/** The graph of the guide "Work that waits", with the triggers that start it and that send the event. */
async function prepare({ client }: Mortal): Promise<{ readonly orders: string; readonly payments: string }> {
  const model = 'openai/counting'
  for (const id of ['collector', 'checker', 'sender'])
    await client.ok('POST', '/api/agents', { id, model, skills: id === 'sender' ? ['counter'] : [] })
  await client.ok('POST', '/api/agents', { id: 'pinged', model: 'test/echo' })
  await client.ok('POST', '/api/graphs', {
    id: 'order',
    nodes: [
      { id: 'collect', agent: 'collector', input: 'task-1: collect order {{input}}' },
      { id: 'paid', wait: { event: 'paid', match: { required: ['amount'] }, timeout: 604_800 } },
      { id: 'check', agent: 'checker', input: 'task-2: was enough paid? {{paid}}' },
      { id: 'may', ask: { message: 'Send order {{input}}? {{check}}', schema: { type: 'boolean' } } },
      { id: 'send', agent: 'sender', input: 'task-3: send order {{input}}' },
    ],
    edges: [
      { from: 'collect', to: 'paid' },
      { from: 'paid', to: 'check' },
      { from: 'check', to: 'may' },
      { from: 'may', to: 'send', when: { data: { const: true } } },
    ],
  })
  const create = async (body: object) =>
    (await client.ok('POST', '/api/triggers', { secret, ...body })).trigger.id
  return {
    orders: await create({ name: 'Orders', graph_id: 'order', verify: 'github', input: '{{body.number}}' }),
    payments: await create({
      name: 'Payments',
      event: 'paid',
      verify: 'stripe',
      filter: { properties: { type: { const: 'payment_intent.succeeded' } } },
      input: '{"amount": "{{body.data.object.amount}}"}',
    }),
  }
}

const sign = (text: string) => createHmac('sha256', secret).update(text).digest('hex')

/** Calls a trigger as GitHub does. */
const order = (client: PlatformClient, id: string) => {
  const body = { number: 7 }
  const headers = {
    'x-github-delivery': 'order-7',
    'x-hub-signature-256': `sha256=${sign(JSON.stringify(body))}`,
  }
  return client.send('POST', `/api/hooks/${id}`, body, headers)
}

/** Calls a trigger as Stripe does. */
const pay = (client: PlatformClient, id: string) => {
  const body = { id: 'evt_1', type: 'payment_intent.succeeded', data: { object: { amount: 30 } } }
  const time = Math.floor(Date.now() / 1000)
  const headers = { 'stripe-signature': `t=${time},v1=${sign(`${time}.${JSON.stringify(body)}`)}` }
  return client.send('POST', `/api/hooks/${id}`, body, headers)
}

/** The open wait of a kind, once it is there. Other work is done while it is open. */
async function waitFor({ client }: Mortal, kind: string) {
  const find = async () => (await client.ok('GET', `/api/waits?kind=${kind}`)).waits
  await vi.waitFor(async () => expect(await find()).toHaveLength(1), soon)
  const { body } = await client.send('POST', '/api/tasks', { agent_id: 'pinged', task: kind })
  const ping = async () => (await client.ok('GET', `/api/tasks/${body.task.id}`)).task.status
  await vi.waitFor(async () => expect(await ping()).toBe('completed'), soon)
  return (await find())[0]
}

/** Waits until an agent has a run. */
async function untilBegun({ client }: Mortal, agent: string): Promise<void> {
  const find = async () => (await client.ok('GET', `/api/runs?agent_id=${agent}`)).runs
  await vi.waitFor(async () => expect(await find()).toHaveLength(1), { ...soon, interval: 5 })
}

it.concurrent.each(['SQLite', 'Postgres'])(
  'does each step of a graph once that waits for days, however often its server is killed: %s',
  limit,
  async (kind) => {
    await using world = await startCountingWorld()
    await using stack = new AsyncDisposableStack()
    const database = kind === 'Postgres' ? await createTestDatabase() : undefined
    if (database) stack.defer(() => database.drop())
    await using server = await startMortal(database ? { DATABASE_URL: database.connectionString } : {}, world)
    const { orders, payments } = await prepare(server)
    await server.kill()

    const started = await order(server.client, orders)
    expect([started.status, started.body.outcome]).toEqual([202, 'started'])
    const { task_id } = started.body
    await server.kill()
    expect((await order(server.client, orders)).body).toEqual({ ok: true, outcome: 'duplicate', task_id })
    await untilBegun(server, 'collector')
    await server.kill()
    await waitFor(server, 'event')
    await server.kill()

    expect((await pay(server.client, payments)).body).toEqual({ ok: true, outcome: 'signalled' })
    await server.kill()
    expect((await pay(server.client, payments)).body).toEqual({ ok: true, outcome: 'duplicate' })
    await untilBegun(server, 'checker')
    await server.kill()

    const question = await waitFor(server, 'question')
    expect(question.message).toBe('Send order 7? task-2 is done')
    await server.kill()
    const path = `/api/runs/${question.run_id}/waits/${question.id}`
    await server.client.ok('POST', path, { data: true })
    await server.kill()
    await server.client.ok('POST', path, { data: true })

    // a stranger started the run: a person agrees to what it does outside
    const approval = await waitFor(server, 'approval')
    await server.kill()
    const decision = { decision: 'approve' }
    await server.client.ok('POST', `/api/runs/${approval.run_id}/approvals/${approval.id}`, decision)
    await vi.waitFor(() => expect(world.calls.some(({ tool }) => tool === 'look')).toBe(true), soon)
    await server.kill()

    const { client } = server
    const taskOf = async () => (await client.ok('GET', `/api/tasks/${task_id}`)).task
    await vi.waitFor(async () => expect((await taskOf()).status).not.toMatch(/queued|running/), soon)
    const { run } = await client.ok('GET', `/api/runs/${(await taskOf()).run_id}`)
    expect(run).toMatchObject({
      status: 'completed',
      source: 'trigger',
      result: { output: 'task-3 is done' },
    })
    const nodes = run.result.node_results as readonly Record<string, unknown>[]
    expect(nodes.map(({ node_id: id, status, attempts }) => [id, status, attempts])).toEqual(
      ['collect', 'paid', 'check', 'may', 'send'].map((id) => [id, 'completed', 1]),
    )
    expect(run.waits.map((wait: Record<string, unknown>) => [wait['status'], wait['data']])).toEqual([
      ['answered', { amount: 30 }],
      ['answered', true],
    ])
    for (const agent of ['collector', 'checker', 'sender']) await untilBegun(server, agent)
    expect(world.calls.filter(({ tool }) => tool === 'book')).toHaveLength(1)
    const keys = Map.groupBy(world.calls, ({ step }) => step)
    for (const calls of keys.values()) expect(new Set(calls.map((call) => call.idempotencyKey)).size).toBe(1)
    const { tasks } = await client.ok('GET', '/api/tasks?graph_id=order')
    expect(tasks).toHaveLength(1)
  },
)
