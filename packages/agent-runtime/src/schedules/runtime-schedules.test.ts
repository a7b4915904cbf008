import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRuntime } from '../runtime/create-runtime.ts'
import type { RuntimeEvent } from '../journal/runtime-events.ts'
import type { TaskQueue } from '../tasks/task-queue.ts'
import type { AgentRuntime } from '../runtime/runtime.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'homeward-schedules-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const next = (runtime: AgentRuntime, type: 'schedule.fired' | 'schedule.missed' | 'task.completed') =>
  new Promise<RuntimeEvent>((resolve) => runtime.events.once(type, resolve))

const idOf = (id: unknown) => (typeof id === 'string' ? id : '')
const everySecond = { model: 'test/echo', schedule: '* * * * * *' }

it(
  'A9: a runtime carries out the schedule of an agent that is created, and stops with it',
  { timeout: 60_000 },
  async () => {
    const runtime = createRuntime({ home, environment: {} })
    await runtime.start()
    const [fired, completed] = [next(runtime, 'schedule.fired'), next(runtime, 'task.completed')]
    await runtime.agents.create({ ...everySecond, id: 'ticker', schedule_input: 'Tick', overlap: 'skip' })
    const { data } = await fired
    expect(data).toMatchObject({ agent_id: 'ticker', schedule: '* * * * * *' })
    expect((await completed).data).toMatchObject({ agent_id: 'ticker' })
    const task = await runtime.tasks.get(idOf(data['task_id']))
    expect(task).toMatchObject({ input: 'Tick', scheduled_run: true, schedule: '* * * * * *' })
    expect(task.scheduled_for).toBe(data['scheduled_for'])
    expect((await runtime.schedules.list())[0]).toMatchObject({
      agent_id: 'ticker',
      last_fire: expect.any(String),
    })
    await runtime.agents.delete('ticker')
    expect(await runtime.schedules.list()).toEqual([])
    await runtime.close()
  },
)

it(
  'A9: a file in the agents folder that is edited counts at the next time',
  { timeout: 60_000 },
  async () => {
    const folder = join(home, 'agents')
    await writeFile(join(home, 'config.json'), JSON.stringify({ agents_dir: folder }))
    const runtime = createRuntime({ home, environment: {}, workers: { concurrency: 0 } })
    await runtime.agents.create({ ...everySecond, id: 'ticker', schedule_input: 'before' })
    const fired = next(runtime, 'schedule.fired')
    await runtime.start()
    await fired
    const file = join(folder, 'ticker.json')
    const agent: object = JSON.parse(await readFile(file, 'utf8'))
    await writeFile(file, JSON.stringify({ ...agent, schedule_input: 'behind the edit' }))
    const { data } = await next(runtime, 'schedule.fired')
    expect((await runtime.tasks.get(idOf(data['task_id']))).input).toBe('behind the edit')
    await writeFile(file, JSON.stringify({ ...agent, schedule: 'never' }))
    await expect.poll(() => runtime.schedules.list()).toMatchObject([{ error: expect.any(String) }])
    await runtime.close()
  },
)

it('A9: with `schedules: false` a process leaves them to others', { timeout: 60_000 }, async () => {
  const runtime = createRuntime({ home, environment: {}, schedules: false, workers: { concurrency: 0 } })
  await runtime.agents.create({ ...everySecond, id: 'ticker' })
  await runtime.start()
  const other = createRuntime({ home, environment: {}, workers: { concurrency: 0 } })
  const fired = next(other, 'schedule.fired')
  await other.start()
  await fired
  await other.close()
  const events = await runtime.logs.list({ type: 'schedule.fired' })
  expect(events.length).toBeGreaterThan(0)
  await runtime.close()
})

it('A9: tells a queue of the tasks that schedules make', { timeout: 60_000 }, async () => {
  const delivered = Promise.withResolvers<string>()
  const queue: TaskQueue = {
    async start() {},
    async deliver({ id }) {
      delivered.resolve(id)
    },
    async close() {},
  }
  const runtime = createRuntime({ home, environment: {}, queue })
  const fired = next(runtime, 'schedule.fired')
  await runtime.start()
  await runtime.agents.create({ ...everySecond, id: 'ticker', overlap: 'skip' })
  expect(await delivered.promise).toBe((await fired).data['task_id'])
  await runtime.close()
})
