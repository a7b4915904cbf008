import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { SchedulesOptions } from './create-schedules.ts'
import { createScheduleKit } from './testing/schedule-kit.ts'

/** Seconds before the time at which all of them are due. */
const start = '2026-06-01T08:59:50.000Z'
const due = '2026-06-01T09:00:00.000Z'
const many = 300
const few = 5

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  vi.setSystemTime(start)
})
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const realImmediate = setImmediate
async function settle(): Promise<void> {
  for (let turn = 0; turn < 40; turn += 1) await new Promise<void>((resolve) => realImmediate(resolve))
}
async function passTo(time: string): Promise<void> {
  while (Date.now() < Date.parse(time)) {
    await vi.advanceTimersByTimeAsync(Math.min(500, Date.parse(time) - Date.now()))
    await settle()
  }
}

/** Agents that are all due at the same time, and a scheduler that notes when it looks what is set for one of them. */
async function startWith(count: number, changes: Partial<SchedulesOptions> = {}) {
  const kit = createScheduleKit()
  const looked: string[] = []
  for (let index = 0; index < count; index += 1) {
    await kit.save(`a${index}`, '0 9 * * *', { schedule_input: 'as it was' })
  }
  const schedules = kit.scheduler({
    agents: {
      list: (signal) => kit.store.listAgents(signal),
      async find(id, signal) {
        looked.push(new Date().toISOString())
        return kit.store.findAgent(id, signal)
      },
    },
    ...changes,
  })
  await schedules.start()
  return { ...kit, schedules, looked }
}

describe('A9: many schedules that are due at the same time', () => {
  it('are made ready before, and carried out once at their very time', async () => {
    const onFired = vi.fn<NonNullable<SchedulesOptions['onFired']>>()
    const { schedules, looked, tasks } = await startWith(many, { onFired })
    await passTo('2026-06-01T08:59:59.500Z')
    expect(looked).toHaveLength(many)
    expect(await tasks()).toEqual([])
    await passTo(due)
    const made = await tasks()
    expect(new Set(made.map(({ subject }) => subject.id)).size).toBe(many)
    expect(made).toHaveLength(many)
    expect(looked).toHaveLength(many)
    for (const { createdAt, runAt, scheduled } of made) {
      expect([createdAt, runAt, scheduled?.for]).toEqual([due, due, due])
    }
    const told = onFired.mock.calls.map(([task]) => task.id)
    expect(new Set(told)).toEqual(new Set(made.map(({ id }) => id)))
    await passTo('2026-06-01T09:00:05.000Z')
    expect(await tasks()).toHaveLength(many)
    await schedules.close()
  })

  it('count as they are set at their time, also when that changed after they were made ready', async () => {
    const { schedules, store, save, tasks, fired } = await startWith(many)
    await passTo('2026-06-01T08:59:59.000Z')
    await save('a1', '0 9 * * *', { schedule_input: 'as it is now' })
    await save('a2', '0 10 * * *')
    await save('a3', '0 9 * * *', { schedule_enabled: false })
    await store.deleteAgent('a4')
    await passTo(due)
    const made = await tasks()
    expect(made).toHaveLength(many - 3)
    expect(made.find(({ subject }) => subject.id === 'a1')?.input).toBe('as it is now')
    for (const id of ['a2', 'a3', 'a4']) expect(await fired(id)).toEqual([])
    await schedules.close()
  })

  it('were missed when the clock was put far behind their time meanwhile', async () => {
    const { schedules, tasks, events } = await startWith(many)
    await passTo('2026-06-01T08:59:59.000Z')
    vi.setSystemTime('2026-06-01T09:30:00.000Z')
    await vi.advanceTimersByTimeAsync(60_000)
    await settle()
    expect(await tasks()).toEqual([])
    expect(await events('schedule.missed')).toHaveLength(many)
    await schedules.close()
  })

  it('have nothing in the journal that must not be there', async () => {
    const clean = vi.fn<NonNullable<SchedulesOptions['clean']>>(async (fires) =>
      fires.map((fire) => ({ ...fire, journal: fire.journal.map((event) => ({ ...event, data: {} })) })),
    )
    const { schedules, events } = await startWith(many, { clean })
    await passTo(due)
    expect(clean.mock.calls.flatMap(([fires]) => fires)).toHaveLength(many)
    expect(new Set((await events('schedule.fired')).map((data) => Object.keys(data).length))).toEqual(
      new Set([0]),
    )
    await schedules.close()
  })
})

it('A9: a few schedules are looked up at their very time', async () => {
  const { schedules, looked, tasks } = await startWith(few)
  await passTo('2026-06-01T08:59:59.500Z')
  expect(looked).toEqual([])
  await passTo(due)
  expect(looked).toEqual(Array.from({ length: few }, () => due))
  expect(await tasks()).toHaveLength(few)
  await schedules.close()
})
