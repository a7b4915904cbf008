import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { SchedulesOptions } from './create-schedules.ts'
import type { PreparedFiresOptions } from './prepare-fires.ts'
import { createPreparedFires } from './prepare-fires.ts'
import type { BookedSchedule } from './schedule-book.ts'
import type { ScheduleDefinition } from './schedule-definition.ts'
import { definitionOf, ms, openBook } from './testing/book-kit.ts'
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

const dueMs = ms('09:00:00.000')
const ids = (count: number) => Array.from({ length: count }, (_, index) => `a${index}`)

/** So many schedules that are due at nine, two seconds before. */
async function openPrepared(count: number, changes: Partial<PreparedFiresOptions> = {}) {
  const { book, clock } = openBook('08:59:58.000')
  await book.update(ids(count).map((id) => definitionOf(id, { schedule: '0 * * * *' })))
  const set = new Map(ids(count).map((id) => [id, definitionOf(id, { schedule: '0 * * * *' })]))
  const looked: string[] = []
  const fires = createPreparedFires({
    book,
    async find({ id }): Promise<ScheduleDefinition | undefined> {
      looked.push(id)
      return set.get(id)
    },
    now: () => clock.now,
    createId: () => 't',
    toText: (time) => new Date(time).toISOString(),
    ...changes,
  })
  const entries = new Map(book.listDue(Infinity).map((entry) => [entry.subject.id, entry]))
  const entryOf = (id: string): BookedSchedule => {
    const entry = entries.get(id)
    if (!entry) throw new Error(`There is no ${id}.`)
    return entry
  }
  return { book, clock, set, looked, fires, entryOf }
}

describe('A9: fires that are made ahead', () => {
  it('are made of more than 250 that are due within three seconds, each once', async () => {
    const few = await openPrepared(250)
    await few.fires.prepare()
    expect(few.looked).toEqual([])

    const { fires, looked, clock, entryOf } = await openPrepared(251)
    clock.now = dueMs - 3001
    await fires.prepare()
    expect(looked).toEqual([])
    clock.now = dueMs - 3000
    await fires.prepare()
    expect(looked).toHaveLength(251)
    await fires.prepare()
    expect(looked).toHaveLength(251)
    expect(fires.take(entryOf('a7'))).toMatchObject({
      subject: { id: 'a7' },
      scheduledFor: new Date(dueMs).toISOString(),
      task: { createdAt: new Date(dueMs).toISOString() },
      overlap: 'queue',
    })
    expect(fires.take(entryOf('a7'))).toBeUndefined()
  })

  it('are none of what is set otherwise, was missed, or is due at another time by then', async () => {
    const { fires, set, looked, entryOf } = await openPrepared(300)
    set.delete('a0')
    set.set('a1', definitionOf('a1', { schedule: '0 * * * *', enabled: false }))
    set.set('a2', definitionOf('a2', { schedule: '1 * * * *' }))
    entryOf('a3').isResumed = true
    await fires.prepare()
    expect(looked).toHaveLength(299)
    entryOf('a4').due += 60_000
    const taken = ids(6).map((id) => fires.take(entryOf(id))?.subject.id)
    expect(taken).toEqual([undefined, undefined, undefined, undefined, undefined, 'a5'])
  })

  it('are kept no longer than their schedule', async () => {
    const { fires, entryOf } = await openPrepared(300)
    await fires.prepare()
    entryOf('a1').isGone = true
    await fires.prepare()
    entryOf('a1').isGone = false
    expect(fires.take(entryOf('a1'))).toBeUndefined()
    expect(fires.take(entryOf('a2'))).toBeDefined()
  })

  it('are what is left of them when what must not be written is taken out', async () => {
    const { fires, set, entryOf } = await openPrepared(300, {
      clean: async (given) => given.map((fire) => ({ ...fire, journal: [] })),
    })
    set.delete('a0')
    await fires.prepare()
    expect(fires.take(entryOf('a0'))).toBeUndefined()
    for (const id of ['a1', 'a299']) {
      expect(fires.take(entryOf(id))).toMatchObject({ subject: { id }, journal: [], onSkip: [] })
    }
  })

  it('do not count when something else was set while they were made', async () => {
    const held = Promise.withResolvers<void>()
    const { fires, entryOf } = await openPrepared(300, {
      async find({ id }) {
        await held.promise
        return definitionOf(id, { schedule: '0 * * * *' })
      },
    })
    const preparing = fires.prepare()
    fires.forget()
    held.resolve()
    await preparing
    // the first fifty
    expect(ids(300).filter((id) => fires.take(entryOf(id)) !== undefined)).toHaveLength(250)
    await fires.prepare()
    fires.forget()
    expect(ids(300).filter((id) => fires.take(entryOf(id)) !== undefined)).toEqual([])
  })

  it('wait, fifty at a time, while something is due', async () => {
    const { fires, clock, looked, book } = await openPrepared(300, {
      async find({ id }) {
        looked.push(id)
        clock.now += 40
        return definitionOf(id, { schedule: '0 * * * *' })
      },
    })
    await fires.prepare()
    expect(looked).toHaveLength(50)
    expect(book.nextDue()).toBe(dueMs)
  })
})

describe('A9: the next time', () => {
  it('is three seconds before what is due, until it was looked at', async () => {
    const { fires, clock } = await openPrepared(1)
    clock.now = dueMs - 3001
    expect(fires.nextTime()).toBe(dueMs - 3000)
    clock.now = dueMs - 3000
    expect(fires.nextTime()).toBe(dueMs)
    await fires.prepare()
    // also by a clock that was put back
    clock.now = dueMs - 600_000
    expect(fires.nextTime()).toBe(dueMs)
    fires.forget()
    expect(fires.nextTime()).toBe(dueMs - 3000)
  })

  it('is none when nothing is due', async () => {
    const { fires } = await openPrepared(0)
    expect(fires.nextTime()).toBeUndefined()
  })
})
