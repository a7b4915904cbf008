import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../packages/agent-runtime/src/store/postgres/testing/test-database.ts'
import { createPlatformClient, type PlatformClient } from '../platform/platform-client.ts'
import { createHome, startServer, type ServerProcess } from '../server/server-process.ts'
import { startReceiver, verify, type Receiver } from './receiver.ts'

const environment = { WEBHOOK_HOSTS: '127.0.0.1' }
/** A delivery of a process that was killed is taken over after 30 seconds. */
const takeover = { timeout: 90_000 }

interface Halves {
  readonly cloud: PlatformClient
  readonly agents: PlatformClient
}

const halvesOf = ({ url, agentsUrl }: ServerProcess): Halves => ({
  cloud: createPlatformClient(url),
  agents: createPlatformClient(agentsUrl),
})

/** A webhook on each half, and an agent that repeats what it is told. Gives the secrets. */
async function prepare({ cloud, agents }: Halves, { url }: Receiver): Promise<readonly string[]> {
  const device = await cloud.ok('POST', '/api/webhooks', { url, events: ['device.registered'] })
  const run = await agents.ok('POST', '/api/webhooks', { url, events: ['run.completed'] })
  await agents.ok('POST', '/api/agents', { id: 'echo', model: 'test/echo' })
  return [device.secret, run.secret]
}

/** An act on each half. Gives the ids that the events have to name. */
async function act({ cloud, agents }: Halves): Promise<readonly string[]> {
  const facts = { name: 'pi', type: 'iot', platform: 'linux', metadata: {} }
  const [registered, run] = await Promise.all([
    cloud.ok('POST', '/api/devices', facts),
    agents.ok('POST', '/api/agents/run', { agent_id: 'echo', task: 'Hello' }),
  ])
  return [registered.device.id, run.run_id]
}

const subjects = ({ requests }: Receiver) =>
  requests.map(({ body: { data } }) => String(data['deviceId'] ?? data['run_id'])).toSorted()

describe('webhooks when servers are killed', () => {
  it('C33, A30: sends what was done right before kill -9, on both halves', { timeout: 240_000 }, async () => {
    await using home = await createHome()
    await using receiver = await startReceiver()
    let secrets: readonly string[]
    let ids: readonly string[]
    {
      await using server = await startServer(home.path, environment)
      secrets = await prepare(halvesOf(server), receiver)
      ids = await act(halvesOf(server))
      await server.end('SIGKILL')
    }
    const before = receiver.requests.length
    await using server = await startServer(home.path, environment)
    await expect.poll(() => new Set(subjects(receiver)), takeover).toEqual(new Set(ids))
    expect(receiver.requests.length).toBeGreaterThan(before)
    for (const request of receiver.requests) {
      const [ofDevices = '', ofRuns = ''] = secrets
      const secret = request.body.type === 'device.registered' ? ofDevices : ofRuns
      expect(verify(secret, request)).toEqual(request.body)
    }
    expect(server.output()).not.toContain('whsec_')
  })

  it(
    'C33, A30: two servers on one Postgres send each event once, and one that is killed is replaced',
    { timeout: 300_000 },
    async () => {
      const database = await createTestDatabase()
      await using stack = new AsyncDisposableStack()
      stack.defer(() => database.drop())
      const receiver = stack.use(await startReceiver())
      const onPostgres = { ...environment, DATABASE_URL: database.connectionString }
      const start = async () => stack.use(await startServer(stack.use(await createHome()).path, onPostgres))
      const [first, second] = [await start(), await start()]
      await prepare(halvesOf(first), receiver)
      const ids: string[] = []
      for (let round = 0; round < 10; round += 1) {
        ids.push(...(await act(halvesOf(round % 2 === 0 ? first : second))))
      }
      const all = ids.toSorted()
      await expect.poll(() => subjects(receiver), takeover).toEqual(all)

      // Whoever has claimed them is killed while the receiver does not respond.
      receiver.requests.length = 0
      receiver.respond = () => {}
      const [device, run] = await act(halvesOf(second))
      await expect.poll(() => new Set(subjects(receiver)), takeover).toEqual(new Set([device, run]))
      const known = new Set(receiver.requests.map(({ id }) => id))
      await second.end('SIGKILL')
      receiver.respond = (response) => response.writeHead(204).end()
      const hooks = await Promise.all(
        Object.values(halvesOf(first)).map(async (client) => {
          const { webhooks } = await client.ok('GET', '/api/webhooks')
          return { client, path: `/api/webhooks/${webhooks[0].id}/deliveries` }
        }),
      )
      for (const { client, path } of hooks) {
        const newest = async () => (await client.ok('GET', path)).deliveries[0].status
        await expect.poll(newest, takeover).toBe('delivered')
      }
      expect(new Set(receiver.requests.map(({ id }) => id))).toEqual(known)
    },
  )
})
