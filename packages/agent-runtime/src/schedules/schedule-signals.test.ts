import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { pass } from './testing/pass-time.ts'
import { createScheduleKit } from './testing/schedule-kit.ts'

const at = (time: string) => `2026-06-01T${time}.000Z`

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  vi.setSystemTime(at('08:59:00'))
})
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

it('A9: a schedule that is set fires at its very next time, however near that is', async () => {
  const { scheduler, save, fired, said } = createScheduleKit()
  const schedules = scheduler()
  await schedules.start()
  await pass(5000)
  await save('new', '*/10 * * * * *')
  await pass(5000)
  expect(await fired('new')).toEqual([at('08:59:10')])
  await save('new', '15 * * * * *')
  await pass(10_000)
  expect(await fired('new')).toEqual([at('08:59:10'), at('08:59:15')])
  expect(said).toEqual([])
  await schedules.close()
})

it('A9: many schedules that are due at once make one task each, at their time and as they were set last', async () => {
  const { scheduler, save, tasks } = createScheduleKit()
  for (let index = 0; index < 300; index += 1)
    await save(`a${index}`, '0 9 * * *', { schedule_input: 'before' })
  const schedules = scheduler()
  await schedules.start()
  await pass(59_000)
  await save('a7', '0 9 * * *', { schedule_input: 'behind' })
  await pass(1000)
  await pass(5000)
  const made = await tasks()
  for (const { createdAt, scheduled } of made)
    expect([createdAt, scheduled?.for]).toEqual([at('09:00:00'), at('09:00:00')])
  expect(new Set(made.map(({ subject }) => subject.id)).size).toBe(300)
  const inputs = made.map(({ subject, input }) => [subject.id, input])
  expect(inputs).toHaveLength(300)
  expect(inputs.filter(([, input]) => input !== 'before')).toEqual([['a7', 'behind']])
  await schedules.close()
})

it('looks at what is set once a minute and when it changes, not whenever something fires', async () => {
  const { scheduler, save, fired, store } = createScheduleKit()
  await save('a', '* * * * * *')
  const list = vi.fn(() => store.listAgents())
  const listScheduleCursors = vi.fn(() => store.listScheduleCursors())
  const schedules = scheduler({
    agents: { list, find: (id) => store.findAgent(id) },
    store: { ...store, listScheduleCursors },
  })
  await schedules.start()
  await pass(110_000)
  expect((await fired('a')).length).toBeGreaterThan(100)
  expect(list).toHaveBeenCalledTimes(2)
  await save('b', '0 0 1 1 *')
  await pass(1000)
  expect(list).toHaveBeenCalledTimes(3)
  expect(listScheduleCursors).toHaveBeenCalledOnce()
  await schedules.close()
})

it('starts once, however often it is asked to, and listens to nobody when it is closed', async () => {
  const { scheduler, save, fired, events, store } = createScheduleKit()
  await save('a', '*/10 * * * * *')
  const unsubscribe = vi.fn<() => void>()
  const subscribe = vi.fn(() => unsubscribe)
  const schedules = scheduler({ store: { ...store, subscribe } })
  await Promise.all([schedules.start(), schedules.start()])
  await schedules.start()
  expect(vi.getTimerCount()).toBe(1)
  await pass(25_000)
  expect(await fired('a')).toHaveLength(2)
  expect(await events('schedule.missed')).toEqual([])
  expect(unsubscribe).not.toHaveBeenCalled()
  await schedules.close()
  expect(subscribe).toHaveBeenCalledOnce()
  expect(unsubscribe).toHaveBeenCalledOnce()
})
