import { once } from 'node:events'
import { expect, it, onTestFinished, vi } from 'vitest'
import {
  createTestDatabase,
  type TestDatabase,
} from '../../packages/agent-runtime/src/store/postgres/testing/test-database.ts'
import { startCountingWorld, type CountedCall, type CountingWorld } from './counting-world.ts'
import { startServerGroup, type ServerGroup } from './server-group.ts'

/** How long servers are killed, in seconds: longer by hand than in CI. */
const seconds = Number(process.env['SEVERAL_SERVERS_SECONDS'] ?? 12)
const killEveryMs = 3000
/** However slow the machine is: so many are killed. */
const leastKills = 3
const openAtOnce = 30
const agents = Array.from({ length: 8 }, (_, index) => `agent-${index}`)

interface Event {
  readonly seq: number
  readonly type: string
  readonly run_id?: string
  readonly data: Record<string, unknown>
}
interface SeenTask {
  readonly id: string
  readonly input: string
  readonly status: string
  readonly run_id?: string
  readonly failure?: { readonly code: string }
}

async function createDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  return database
}

async function startGroup(database: TestDatabase, world: CountingWorld): Promise<ServerGroup> {
  const environment = { ...world.environment, DATABASE_URL: database.connectionString }
  return startServerGroup(3, environment, (home) => world.install(home))
}

/** Everything in the journal, as one of the servers gives it. */
async function readJournal(group: ServerGroup): Promise<Event[]> {
  const events: Event[] = []
  for (;;) {
    const since = events.at(-1)?.seq ?? 0
    const page = await group.send('GET', `/api/logs?since=${since}&limit=1000`)
    if (page.events.length === 0) return events
    events.push(...page.events)
  }
}

/** Follows the events on one server after the other: when one dies, another, behind the last one seen. */
function follow(group: ServerGroup): { readonly seen: Event[]; stop(): void } {
  const seen: Event[] = []
  let isOver = false
  let socket: WebSocket | undefined
  const run = async () => {
    for (let index = 0; !isOver; index += 1) {
      const server = group.servers[index % group.servers.length]
      socket = new WebSocket(`${server?.agentsUrl.replace('http', 'ws')}/api/events`)
      socket.addEventListener('open', ({ target }) => {
        if (target instanceof WebSocket)
          target.send(JSON.stringify({ type: 'subscribe', since: seen.at(-1)?.seq ?? 0 }))
      })
      socket.addEventListener('message', ({ data }) => {
        const frame: Event = JSON.parse(String(data))
        if (frame.seq !== undefined) seen.push(frame)
      })
      const ended = once(socket, 'close')
      socket.addEventListener('error', () => {})
      await ended
    }
  }
  void run()
  return {
    seen,
    stop: () => {
      isOver = true
      socket?.close()
    },
  }
}

/** Creates tasks until it is over, never more than some open at once. */
async function createLoad(group: ServerGroup, isOver: () => boolean): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  const create = async () => {
    const name = `task-${ids.size + 1}`
    ids.set(name, '')
    const body = { agent_id: agents[ids.size % agents.length], task: name, max_attempts: 50 }
    const { task } = await group.send('POST', '/api/tasks', body, { 'idempotency-key': name })
    ids.set(name, task.id)
  }
  while (!isOver()) {
    const open = await Promise.all(
      ['queued', 'running'].map((status) => group.send('GET', `/api/tasks?status=${status}&limit=100`)),
    )
    const missing = openAtOnce - open.reduce((sum, { tasks }) => sum + tasks.length, 0)
    await Promise.all(Array.from({ length: Math.max(0, missing) }, create))
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return ids
}

const countBy = <Item>(items: readonly Item[], keyOf: (item: Item) => string) => {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1)
  return counts
}
const ofTask = (calls: readonly CountedCall[], name: string, tool: string) =>
  calls.filter((call) => call.task === name && call.tool === tool)

it(
  'A7, A8, A14: three servers on one Postgres lose, double and hide nothing, while one after the other is killed',
  { timeout: seconds * 1000 + 240_000 },
  async ({ annotate }) => {
    const database = await createDatabase()
    await using world = await startCountingWorld()
    await using group = await startGroup(database, world)
    for (const id of agents)
      await group.send('POST', '/api/agents', { id, model: 'openai/counting', skills: ['counter'] })
    const viewer = follow(group)
    const untilMs = Date.now() + seconds * 1000
    let kills = 0
    const isOver = () => Date.now() >= untilMs && kills >= leastKills
    const killing = (async () => {
      while (!isOver()) {
        await new Promise((resolve) => setTimeout(resolve, killEveryMs))
        await group.kill(kills % 3)
        kills += 1
      }
    })()
    const ids = await createLoad(group, isOver)
    await killing

    const readTask = async (id: string): Promise<SeenTask> =>
      (await group.send('GET', `/api/tasks/${id}`)).task
    await vi.waitFor(
      async () => {
        for (const status of ['queued', 'running'])
          expect((await group.send('GET', `/api/tasks?status=${status}&limit=100`)).tasks).toEqual([])
      },
      { timeout: 180_000, interval: 500 },
    )
    const tasks: SeenTask[] = []
    for (const id of ids.values()) tasks.push(await readTask(id))
    const journal = await readJournal(group)
    await vi.waitFor(() => expect(viewer.seen.at(-1)?.seq).toBe(journal.at(-1)?.seq), { timeout: 60_000 })
    viewer.stop()

    // One final state, and it is said once.
    expect(tasks.length).toBeGreaterThan(openAtOnce)
    const ends = journal.filter(({ type }) => type === 'task.completed' || type === 'task.failed')
    const endsByTask = countBy(ends, ({ data }) => String(data['task_id']))
    for (const { id, input, status, failure } of tasks) {
      expect([input, endsByTask.get(id)]).toEqual([input, 1])
      if (status !== 'completed') expect([input, failure?.code]).toEqual([input, 'effect_uncertain'])
    }
    const uncertain = tasks.filter(({ status }) => status === 'failed').length
    expect(uncertain).toBeLessThanOrEqual(kills * 4)

    // What must not happen twice did not; what may be repeated kept its key, and nothing was repeated that had ended.
    for (const { input, status } of tasks) {
      const looks = new Set(ofTask(world.calls, input, 'look').map(({ idempotencyKey }) => idempotencyKey))
      const books = ofTask(world.calls, input, 'book').length
      if (status === 'completed') expect([input, books, looks.size]).toEqual([input, 1, 2])
      // A call that only reads begins while the booking's outcome is being kept (A8): one may be ahead of it.
      else expect([input, books <= 1, looks.size <= 1]).toEqual([input, true, true])
    }
    const repeats = world.calls.length - new Set(world.calls.map(({ idempotencyKey }) => idempotencyKey)).size
    expect(repeats).toBeLessThanOrEqual(kills * 4)
    const completions = journal.filter(({ type }) => type === 'tool.completed')
    const twice = [
      ...countBy(completions, ({ run_id, data }) => `${run_id} ${String(data['call_id'])}`),
    ].filter(([, count]) => count > 1)
    expect(twice).toEqual([])

    // Who watched saw every event once, in its order, whichever server it came from.
    expect(viewer.seen.map(({ seq }) => seq)).toEqual(journal.map(({ seq }) => seq))
    for (const { id } of tasks) {
      const types = journal.filter(({ data }) => data['task_id'] === id).map(({ type }) => type)
      expect([types[0], types.at(-1)?.replace('failed', 'completed')]).toEqual([
        'task.created',
        'task.completed',
      ])
    }
    await annotate(
      `${tasks.length} tasks, ${kills} kills, ${uncertain} uncertain, ${repeats} repeated calls, ${journal.length} events`,
    )
  },
)

it('A9: a schedule fires once, however many servers run', { timeout: 240_000 }, async () => {
  const database = await createDatabase()
  await using world = await startCountingWorld()
  {
    await using group = await startGroup(database, world)
    const schedule = { schedule: '* * * * *', task: 'task-1', timezone: 'UTC', catch_up: 'all' }
    await group.send('POST', '/api/agents', { id: 'clock', model: 'test/echo', ...schedule })
    const cursors = () => database.query('select id from homeward.schedules')
    await vi.waitFor(async () => expect(await cursors()).toHaveLength(1), { timeout: 60_000, interval: 200 })
  }
  const minute = 60_000
  const now = Math.floor(Date.now() / minute) * minute
  const through = new Date(now - 10 * minute).toISOString()
  await database.query('update homeward.schedules set through = $1', [through])
  await using group = await startGroup(database, world)
  const expected = Array.from({ length: 10 }, (_, index) =>
    new Date(now - (9 - index) * minute).toISOString(),
  )
  const scheduledFor = async () => {
    const { tasks } = await group.send('GET', '/api/tasks?agent_id=clock&limit=100')
    return tasks.map((task: { scheduled_for: string }) => task.scheduled_for).toSorted()
  }
  await vi.waitFor(async () => expect((await scheduledFor()).slice(0, 10)).toEqual(expected), {
    timeout: 60_000,
  })
  const fired = (await readJournal(group)).filter(({ type }) => type === 'schedule.fired')
  const times = await scheduledFor()
  expect(new Set(times).size).toBe(times.length)
  expect(fired.length).toBe(times.length)
})

it('A14: a WebSocket on one server shows a run on another', { timeout: 120_000 }, async () => {
  const database = await createDatabase()
  await using world = await startCountingWorld()
  await using group = await startGroup(database, world)
  const [here, there] = group.servers
  const socket = new WebSocket(`${there?.agentsUrl.replace('http', 'ws')}/api/events`)
  const types: string[] = []
  socket.addEventListener('message', ({ data }) => types.push(JSON.parse(String(data)).type))
  await once(socket, 'open')
  await group.send('POST', '/api/agents', { id: 'agent-0', model: 'openai/counting', skills: ['counter'] })
  const answer = await fetch(`${here?.agentsUrl}/api/agents/run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent_id: 'agent-0', task: 'task-1' }),
  })
  expect((await answer.json()).success).toBe(true)
  await vi.waitFor(() => expect(types).toContain('agent.completed'), { timeout: 60_000 })
  expect(types.filter((type) => type === 'tool.completed')).toHaveLength(3)
  socket.close()
})
