import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSqliteStore } from '../store/sqlite/index.ts'
import { pass, settle } from './testing/pass-time.ts'
import { createScheduleKit } from './testing/schedule-kit.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const start = '2026-06-01T08:58:30.000Z'
/** A minute of the day on which the tests run. */
const at = (time: string) => `2026-06-01T${time}:00.000Z`

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  vi.setSystemTime(start)
})
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

describe('A9: a schedule', () => {
  it('makes a task at its time, with its input, and says so in the journal', async () => {
    const { scheduler, save, saveGraph, tasks, events } = createScheduleKit()
    await save('a', '0 9 * * *', { schedule_input: 'Good morning', overlap: 'skip' })
    await saveGraph('g', '0 11 * * *', { timezone: 'Europe/Berlin' })
    const schedules = scheduler()
    await schedules.start()
    await pass(89_000)
    expect(await tasks()).toEqual([])
    await pass(1000)
    const [made, other] = (await tasks()).toSorted((x, y) => (x.subject.id < y.subject.id ? -1 : 1))
    expect(made).toMatchObject({
      subject: { kind: 'agent', id: 'a' },
      input: 'Good morning',
      status: 'queued',
      scheduled: { schedule: '0 9 * * *', for: at('09:00'), overlap: 'skip' },
      createdAt: at('09:00'),
    })
    expect(other).toMatchObject({
      subject: { kind: 'graph', id: 'g' },
      input: expect.stringContaining('scheduled run'),
    })
    expect(await events('schedule.fired')).toContainEqual({
      agent_id: 'a',
      schedule_id: 'agent:a',
      schedule: '0 9 * * *',
      timezone: 'UTC',
      scheduled_for: at('09:00'),
      task_id: made?.id,
    })
    expect(await events('task.created')).toHaveLength(2)
    await schedules.close()
  })

  it('is carried out as it is when its time comes: edited, disabled, deleted or new', async () => {
    const { scheduler, save, store, fired } = createScheduleKit()
    for (const id of ['edited', 'disabled', 'deleted', 'kept']) await save(id, '0 9 * * *')
    const schedules = scheduler()
    await schedules.start()
    await save('edited', '1 9 * * *')
    await save('disabled', '0 9 * * *', { schedule_enabled: false })
    await store.deleteAgent('deleted')
    await save('new', '0 9 * * *')
    await pass(3 * minuteMs)
    expect(await fired('edited')).toEqual([at('09:01')])
    expect(await fired('disabled')).toEqual([])
    expect(await fired('deleted')).toEqual([])
    expect(await fired('new')).toEqual([at('09:00')])
    expect(await fired('kept')).toEqual([at('09:00')])
    const cursors = (await store.listScheduleCursors()).map(({ subject }) => subject.id)
    expect(cursors).toEqual(['disabled', 'edited', 'kept', 'new'])
    await schedules.close()
  })

  it('is noticed within a minute where no signal tells of it, and not carried out when it was taken away', async () => {
    const { scheduler, save, store, fired, said } = createScheduleKit()
    await save('gone', '0 9 * * *')
    // What another process does over the same file.
    const schedules = scheduler({ store: { ...store, subscribe: () => () => {} } })
    await schedules.start()
    await pass(85_000)
    await store.deleteAgent('gone')
    await save('new', '0 9 * * *')
    await pass(5000)
    expect(await fired('gone')).toEqual([])
    await pass(minuteMs)
    expect(await fired('new')).toEqual([at('09:00')])
    expect(said).toEqual([])
    await schedules.close()
  })

  it('of an agent whose schedule cannot be read is reported once, and the others go on', async () => {
    const { scheduler, save, said, fired } = createScheduleKit()
    await save('bad', 'every day')
    await save('nowhere', '0 9 * * *', { timezone: 'Europe/Nowhere' })
    await save('good', '0 9 * * *')
    const schedules = scheduler()
    await schedules.start()
    await pass(5 * minuteMs)
    expect(said.filter((text) => text.includes('agent bad'))).toHaveLength(1)
    expect(said.filter((text) => text.includes('agent nowhere'))).toHaveLength(1)
    expect(said).toHaveLength(2)
    expect(await fired('good')).toEqual([at('09:00')])
    const states = await schedules.list()
    expect(states.map(({ agent_id, error }) => [agent_id, error])).toEqual([
      ['bad', expect.stringMatching(/^It must have 5 fields/)],
      ['good', undefined],
      ['nowhere', 'It has no valid IANA time zone.'],
    ])
    await schedules.close()
  })

  it('fires in seconds, too, and whatever the number of schedules', async () => {
    const { scheduler, save, fired, tasks } = createScheduleKit()
    await save('quick', '*/10 * * * * *')
    for (let index = 0; index < 700; index += 1) await save(`a${index}`, '0 9 * * *')
    const schedules = scheduler()
    await schedules.start()
    await pass(90_000)
    expect(await fired('quick')).toHaveLength(9)
    expect(await tasks()).toHaveLength(709)
    await schedules.close()
  })
})

describe('A9: after downtime', () => {
  async function missThree(changes: object) {
    vi.setSystemTime(start)
    const kit = createScheduleKit()
    await kit.save('a', '0 * * * *', changes)
    const before = kit.scheduler()
    await before.start()
    await before.close()
    vi.setSystemTime(at('11:30'))
    const schedules = kit.scheduler()
    await schedules.start()
    await settle()
    await schedules.close()
    return { fired: await kit.fired('a'), missed: await kit.events('schedule.missed') }
  }
  const hours = [at('09:00'), at('10:00'), at('11:00')]

  it('`skip` runs none of three and notes each', async () => {
    for (const changes of [{}, { catch_up: 'skip' }]) {
      const { fired, missed } = await missThree(changes)
      expect(fired).toEqual([])
      expect(missed.map(({ scheduled_for }) => scheduled_for)).toEqual(hours)
      expect(missed[0]).toEqual({
        agent_id: 'a',
        schedule_id: 'agent:a',
        schedule: '0 * * * *',
        timezone: 'UTC',
        scheduled_for: hours[0],
        reason: 'not_running',
      })
    }
  })

  it('`latest` runs the last one and notes the others', async () => {
    const { fired, missed } = await missThree({ catch_up: 'latest' })
    expect(fired).toEqual(hours.slice(2))
    expect(missed.map(({ scheduled_for }) => scheduled_for)).toEqual(hours.slice(0, 2))
  })

  it('`all` runs every one, also when overlaps are skipped', async () => {
    for (const overlap of ['queue', 'skip']) {
      const { fired, missed } = await missThree({ catch_up: 'all', overlap })
      expect(fired).toEqual(hours)
      expect(missed).toEqual([])
    }
  })

  it('a few seconds are downtime as well', async () => {
    const { scheduler, save, fired, events } = createScheduleKit()
    await save('a', '* * * * * *')
    const before = scheduler()
    await before.start()
    await pass(1000)
    await before.close()
    vi.setSystemTime(Date.now() + 3500)
    const schedules = scheduler()
    await schedules.start()
    expect(await fired('a')).toHaveLength(1)
    await pass(10_000)
    expect(await events('schedule.missed')).toHaveLength(3)
    // those that came due since the start were only late
    expect(await fired('a')).toHaveLength(11)
    await schedules.close()
  })

  it('of a year, at most a hundred are noted one by one, the others together', async () => {
    const { scheduler, save, fired, events, store } = createScheduleKit()
    await save('a', '* * * * *', { catch_up: 'latest' })
    const before = scheduler()
    await before.start()
    await before.close()
    vi.setSystemTime('2027-06-01T09:00:30.000Z')
    const schedules = scheduler()
    await schedules.start()
    expect(await fired('a')).toEqual(['2027-06-01T09:00:00.000Z'])
    const missed = await events('schedule.missed')
    expect(missed).toHaveLength(100)
    expect(missed[0]).toMatchObject({ reason: 'not_running', first: at('08:59'), count: 10_000, more: true })
    expect(missed.at(-1)).toMatchObject({ scheduled_for: '2027-06-01T08:59:00.000Z' })
    expect((await store.listScheduleCursors())[0]?.through).toBe('2027-06-01T09:00:00.000Z')
    await schedules.close()
  })

  it('`all` makes up for thousands, some at a time', async () => {
    const { scheduler, save, fired } = createScheduleKit()
    await save('a', '*/10 * * * *', { catch_up: 'all' })
    const before = scheduler()
    await before.start()
    await before.close()
    vi.setSystemTime('2026-07-01T08:58:30.000Z')
    const schedules = scheduler()
    await schedules.start()
    expect(new Set(await fired('a')).size).toBe(30 * 144)
    await schedules.close()
  })

  it('a schedule that was changed meanwhile begins anew, and cursors that nobody needs go', async () => {
    const { scheduler, save, store, fired } = createScheduleKit()
    await save('changed', '0 * * * *', { catch_up: 'all' })
    await save('deleted', '0 * * * *', { catch_up: 'all' })
    const before = scheduler()
    await before.start()
    await before.close()
    vi.setSystemTime(at('11:30'))
    await save('changed', '30 * * * *', { catch_up: 'all' })
    await store.deleteAgent('deleted')
    vi.setSystemTime(at('12:15'))
    const schedules = scheduler()
    await schedules.start()
    expect(await fired('changed')).toEqual([])
    expect((await store.listScheduleCursors()).map(({ subject }) => subject.id)).toEqual(['changed'])
    await schedules.close()
  })
})

describe('A9: clocks and failures', () => {
  it('a machine that slept misses what came meanwhile; what is due just now is in time', async () => {
    const { scheduler, save, fired, events } = createScheduleKit()
    await save('minutely', '* * * * *')
    await save('hourly', '0 * * * *')
    const schedules = scheduler()
    await schedules.start()
    await pass(10_000)
    vi.setSystemTime('2026-06-01T10:05:20.000Z')
    await pass(minuteMs)
    expect(await fired('hourly')).toEqual([])
    const minutes = await fired('minutely')
    expect(minutes[0]).toBe(at('10:05'))
    expect(await events('schedule.missed')).toContainEqual(
      expect.objectContaining({ scheduled_for: at('10:00') }),
    )
    await schedules.close()
  })

  it('a clock that is put back fires nothing twice', async () => {
    const { scheduler, save, fired } = createScheduleKit()
    await save('a', '*/10 * * * *')
    const schedules = scheduler()
    await schedules.start()
    await pass(25 * minuteMs)
    const before = await fired('a')
    vi.setSystemTime(start)
    await pass(22 * minuteMs)
    expect(await fired('a')).toEqual(before)
    await pass(13 * minuteMs)
    expect(await fired('a')).toEqual([...before, at('09:30')])
    await schedules.close()
  })

  it('a clock that was a year ahead does not silence a schedule for a year', async () => {
    const { scheduler, save, fired } = createScheduleKit()
    await save('a', '0 * * * *')
    const schedules = scheduler()
    await schedules.start()
    vi.setSystemTime('2027-06-01T08:59:59.000Z')
    await pass(minuteMs + 1000)
    expect(await fired('a')).toEqual(['2027-06-01T09:00:00.000Z'])
    vi.setSystemTime(at('09:10'))
    await pass(hourMs)
    expect(await fired('a')).toEqual([at('10:00'), '2027-06-01T09:00:00.000Z'])
    await schedules.close()
  })

  it('goes on when the store has failed, and loses nothing', async () => {
    const { scheduler, save, store, fired, said } = createScheduleKit()
    await save('a', '* * * * *')
    let isBroken = false
    const schedules = scheduler({
      store: {
        ...store,
        recordOccurrences: (fires, signal) =>
          isBroken ? Promise.reject(new Error('disk full')) : store.recordOccurrences(fires, signal),
      },
    })
    await schedules.start()
    isBroken = true
    await pass(40_000)
    expect(await fired('a')).toEqual([])
    isBroken = false
    await pass(30_000)
    expect(await fired('a')).toEqual([at('08:59')])
    expect(said.length).toBeGreaterThan(1)
    expect(said.length).toBeLessThan(10)
    expect(said.every((text) => text.includes('disk full'))).toBe(true)
    await schedules.close()
  })

  it('waits without a timer longer than a minute, and one at a time', async () => {
    const { scheduler, save } = createScheduleKit()
    await save('a', '0 0 29 2 *')
    const setTimer = vi.spyOn(globalThis, 'setTimeout')
    const schedules = scheduler()
    await schedules.start()
    await pass(10 * minuteMs)
    expect(vi.getTimerCount()).toBe(1)
    const delays = setTimer.mock.calls.map(([, delay]) => delay ?? 0)
    expect(Math.max(...delays)).toBeLessThanOrEqual(minuteMs)
    expect(delays.length).toBeLessThan(15)
    await schedules.close()
  })

  it('closes in the midst of everything, and starts nothing afterwards', async () => {
    const { scheduler, save, fired } = createScheduleKit()
    await save('a', '* * * * *')
    const schedules = scheduler()
    const starting = schedules.start()
    await schedules.close()
    await starting
    await schedules.start()
    await pass(5 * minuteMs)
    expect(await fired('a')).toEqual([])
  })
})

describe('two schedulers over one SQLite file', () => {
  it('A9: fire each time once', async () => {
    const store = createSqliteStore({ path: ':memory:' })
    const { scheduler, save, fired, events } = createScheduleKit(store)
    await save('a', '* * * * *')
    await save('b', '*/2 * * * *', { overlap: 'skip' })
    const pair = [scheduler(), scheduler()]
    await Promise.all(pair.map((schedules) => schedules.start()))
    await pass(10 * minuteMs)
    expect(await fired('a')).toHaveLength(10)
    expect(new Set(await fired('a')).size).toBe(10)
    expect(await fired('b')).toEqual([at('09:00')])
    expect(await events('schedule.fired')).toHaveLength(11)
    expect(await events('schedule.missed')).toHaveLength(4)
    await Promise.all(pair.map((schedules) => schedules.close()))
    await store.close()
  })
})
