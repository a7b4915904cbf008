import { expect, it } from 'vitest'
import { createHome, startServer } from '../server/server-process.ts'
import { startCountingWorld } from './counting-world.ts'
import { createPlatformClient, type PlatformClient } from './platform-client.ts'

const limit = { timeout: 90_000 }
const model = 'openai/counting'

interface Seen {
  readonly id: string
  readonly event: string
}

/** Agents for each kind of work, and a graph whose two first nodes run at the same time. */
async function prepare(client: PlatformClient): Promise<void> {
  for (const id of ['tasker', 'streamer', 'left', 'right', 'last']) {
    // What the last one gets comes from services: with tools, a person would have to agree to what it books.
    await client.ok('POST', '/api/agents', { id, model, skills: id === 'last' ? [] : ['counter'] })
  }
  const node = (id: string, task: string) => ({ id, agent: id, input: task })
  await client.ok('POST', '/api/graphs', {
    id: 'three',
    nodes: [node('left', 'task-101'), node('right', 'task-102'), node('last', 'task-103')],
    edges: ['left', 'right'].map((from) => ({ from, to: 'last' })),
  })
}

/** A task or a run once it has ended. */
async function ended(client: PlatformClient, path: string, key: 'task' | 'run') {
  const find = async () => (await client.ok('GET', path))[key]
  await expect.poll(async () => (await find()).status, limit).not.toMatch(/^(?:queued|running|waiting)$/)
  return find()
}

/** Reads a run's events until it ends or the server does. */
async function read(client: PlatformClient, path: string, seen: Seen[]): Promise<void> {
  try {
    const last = seen.at(-1)?.id
    const events = client.events('GET', path, undefined, last === undefined ? {} : { 'Last-Event-ID': last })
    for await (const { id, event } of events) seen.push({ id, event })
  } catch {
    // the server was killed
  }
}

it(
  'A6, A7, A8, A10: tasks, a stream and a graph go on behind a kill -9, and no call that has ended is made again',
  limit,
  async () => {
    await using home = await createHome()
    await using world = await startCountingWorld()
    await world.install(home.path)
    const tasks: string[] = []
    const seen: Seen[] = []
    let graphTask: string
    let streamed: string
    {
      await using server = await startServer(home.path, world.environment)
      const client = createPlatformClient(server.agentsUrl)
      await prepare(client)
      for (let index = 1; index <= 6; index += 1) {
        const body = { agent_id: 'tasker', task: `task-${index}` }
        tasks.push((await client.send('POST', '/api/tasks', body)).body.task.id)
      }
      const { body } = await client.send('POST', '/api/tasks', { graph_id: 'three', task: 'All three' })
      graphTask = body.task.id
      const request = { agent_id: 'streamer', task: 'task-50', idempotency_key: 'the-stream' }
      const stream = client.events('POST', '/api/agents/run/stream', request)
      const first = await stream.next()
      streamed = first.value.data.run_id
      seen.push({ id: first.value.id, event: first.value.event })
      for await (const { id, event } of stream) {
        seen.push({ id, event })
        if (event === 'tool_call') break
      }
      await server.end('SIGKILL')
    }
    const callsBefore = world.calls.length
    await using server = await startServer(home.path, world.environment)
    const client = createPlatformClient(server.agentsUrl)
    await read(client, `/api/runs/${streamed}/events`, seen)

    const failures = new Map<string, string>()
    for (const id of [...tasks, graphTask]) {
      const task = await ended(client, `/api/tasks/${id}`, 'task')
      if (task.status === 'failed') failures.set(task.input, task.failure.code)
      else expect(task).toMatchObject({ status: 'completed', result: { success: true } })
    }
    expect(callsBefore).toBeGreaterThan(0)
    expect(world.calls.length).toBeGreaterThan(callsBefore)

    // Only who was booking in this very moment has to ask a person.
    for (const code of failures.values()) expect(['effect_uncertain', 'run_error']).toContain(code)
    const booked = world.calls.filter(({ tool }) => tool === 'book').map(({ step }) => step)
    expect(booked).toEqual([...new Set(booked)])
    const keys = new Map<string, Set<string>>()
    for (const { step, idempotencyKey } of world.calls) {
      keys.set(step, (keys.get(step) ?? new Set()).add(idempotencyKey))
    }
    for (const [step, used] of keys) expect([step, used.size]).toEqual([step, 1])

    // The reader who came back has seen each event once, and the end.
    const numbers = seen.map(({ id }) => Number(id.split(':').at(-1)))
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    expect(new Set(numbers).size).toBe(numbers.length)
    expect(seen.filter(({ event }) => event === 'done' || event === 'error')).toHaveLength(1)
    expect(seen.at(-1)?.event).toMatch(/^(?:done|error)$/)
    const run = await ended(client, `/api/runs/${streamed}`, 'run')
    expect(run.result.steps.map(({ tool }: { tool: string }) => tool)[0]).toBe('book')
  },
)
