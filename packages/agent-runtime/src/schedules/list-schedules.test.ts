import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createScheduleKit } from './testing/schedule-kit.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  vi.setSystemTime('2026-06-01T08:58:30.000Z')
})
afterEach(() => void vi.useRealTimers())

describe('A9: looking at schedules', () => {
  it('gives the next times of an expression', async () => {
    const schedules = createScheduleKit().scheduler({ timezone: 'Europe/Berlin' })
    const next = await schedules.next({ schedule: '0 9 * * *', count: 2 })
    expect(next).toEqual(['2026-06-02T07:00:00.000Z', '2026-06-03T07:00:00.000Z'])
    const query = { schedule: '@hourly', timezone: 'UTC', from: '2026-01-01T00:00:00Z' }
    expect(await schedules.next(query)).toHaveLength(5)
    expect((await schedules.next({ ...query, count: 1e9 })).length).toBe(100)
    expect((await schedules.next({ ...query, count: Number.NaN })).length).toBe(1)
    expect(await schedules.next({ ...query, count: 1 })).toEqual(['2026-01-01T01:00:00.000Z'])
  })

  it.each([
    [{ schedule: '0 9 * *' }, '"schedule" must have 5 fields, or 6 with seconds first, got 4'],
    [{ schedule: '0 9 * * *', timezone: 'Mars/Base' }, '"timezone" is not an IANA time zone'],
    [{ schedule: '0 9 * * *', from: 'soon' }, '"from" is not a time'],
    [{ schedule: '0 9 * * *', from: '+275760-09-13T00:00:00.000Z' }, '"from" is not a time'],
    [{ schedule: '0 9 * * *', from: '-271821-04-20T00:00:00.000Z' }, '"from" is not a time'],
  ])('refuses %j and names the field', async (query, problem) => {
    const schedules = createScheduleKit().scheduler()
    await expect(schedules.next(query)).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringMatching(new RegExp(`Previewing a schedule failed: ${problem}.* such as`)),
    })
  })

  it('lists the schedules of agents and graphs with their next and their last time', async () => {
    const { scheduler, save, saveGraph } = createScheduleKit()
    await save('a', '0 9 * * *', { catch_up: 'latest' })
    await save('plain', undefined)
    await save('off', '0 9 * * *', { schedule_enabled: false, timezone: 'Asia/Tokyo' })
    await saveGraph('g', '30 9 * * *')
    await saveGraph('plain', undefined)
    const schedules = scheduler()
    const before = scheduler()
    await before.start()
    vi.setSystemTime('2026-06-01T09:00:30.000Z')
    await vi.advanceTimersByTimeAsync(60_000)
    await before.close()
    expect(await schedules.list()).toStrictEqual([
      {
        id: 'agent:a',
        agent_id: 'a',
        cron: '0 9 * * *',
        schedule: '0 9 * * *',
        catch_up: 'latest',
        overlap: 'queue',
        timezone: 'UTC',
        enabled: true,
        next_fire: '2026-06-02T09:00:00.000Z',
        last_fire: '2026-06-01T09:00:00.000Z',
      },
      {
        id: 'agent:off',
        agent_id: 'off',
        cron: '0 9 * * *',
        schedule: '0 9 * * *',
        catch_up: 'skip',
        overlap: 'queue',
        timezone: 'Asia/Tokyo',
        enabled: false,
      },
      {
        id: 'graph:g',
        graph_id: 'g',
        cron: '30 9 * * *',
        schedule: '30 9 * * *',
        catch_up: 'skip',
        overlap: 'queue',
        timezone: 'UTC',
        enabled: true,
        next_fire: '2026-06-01T09:30:00.000Z',
      },
    ])
    await schedules.close()
  })
  it('tells when a schedule fired last that is disabled since, or cannot be read any more', async () => {
    const { scheduler, save, store } = createScheduleKit()
    const schedules = scheduler()
    for (const id of ['off', 'broken', 'gone']) await save(id, '0 9 * * *')
    await schedules.start()
    await vi.advanceTimersByTimeAsync(120_000)
    await save('off', '0 9 * * *', { schedule_enabled: false })
    await save('broken', 'every morning')
    await store.deleteAgent('gone')
    await vi.advanceTimersByTimeAsync(60_000)
    const last_fire = '2026-06-01T09:00:00.000Z'
    expect(await schedules.list()).toMatchObject([
      { agent_id: 'broken', last_fire },
      { agent_id: 'off', enabled: false, last_fire },
    ])
    await schedules.close()

    const restarted = scheduler()
    await restarted.start()
    await save('off', '0 9 * * *')
    await save('gone', '0 9 * * *')
    await vi.advanceTimersByTimeAsync(60_000)
    const next_fire = '2026-06-02T09:00:00.000Z'
    expect(await restarted.list()).toMatchObject([
      { agent_id: 'broken', last_fire },
      { agent_id: 'gone', next_fire },
      { agent_id: 'off', next_fire, last_fire },
    ])
    expect((await restarted.list())[1]).not.toHaveProperty('last_fire')
    await restarted.close()
  })
})
