import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { pass } from './testing/pass-time.ts'
import { createScheduleKit } from './testing/schedule-kit.ts'

const hourMs = 3_600_000
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

describe('A9: a process that starts', () => {
  it.each(['skip', 'latest', 'all'] as const)(
    'while another one is at it takes nothing for missed (%s)',
    async (catch_up) => {
      const { store, scheduler, save, fired, events } = createScheduleKit()
      await save('a', '0 * * * *', { catch_up })
      const committing = Promise.withResolvers<void>()
      const busy = scheduler({
        store: {
          ...store,
          recordOccurrences: async (...given) => {
            await committing.promise
            return store.recordOccurrences(...given)
          },
        },
      })
      await busy.start()
      await pass(92_000) // two seconds behind the hour
      const joining = scheduler()
      await joining.start()
      await pass(5000)
      committing.resolve()
      await pass(20_000)
      expect(await fired('a')).toEqual([at('09:00')])
      expect(await events('schedule.missed')).toEqual([])
      await pass(hourMs)
      expect(await fired('a')).toEqual([at('09:00'), at('10:00')])
      await Promise.all([busy, joining].map((schedules) => schedules.close()))
    },
  )

  it('looks ten seconds later at what was due in the ten before, also when nobody is at it', async () => {
    const results: Record<string, unknown[]> = {}
    for (const catch_up of ['skip', 'latest', 'all'] as const) {
      vi.setSystemTime(start)
      const { scheduler, save, fired, events } = createScheduleKit()
      await save('a', '* * * * *', { catch_up })
      await save('other', '8 1 11 * * *')
      const before = scheduler()
      await before.start()
      await before.close()
      vi.setSystemTime('2026-06-01T11:01:03.000Z')
      const schedules = scheduler()
      await schedules.start()
      await pass(9000)
      // what becomes due meanwhile is in time
      expect(await fired('other')).toContain('2026-06-01T11:01:08.000Z')
      expect(await events('schedule.missed')).toEqual([])
      await pass(1000)
      results[catch_up] = [(await fired('a')).length, (await events('schedule.missed')).length]
      await schedules.close()
    }
    // 08:59 to 11:01, the first 23 of them noted together
    expect(results).toEqual({ skip: [0, 101], latest: [1, 100], all: [123, 0] })
  })
})
