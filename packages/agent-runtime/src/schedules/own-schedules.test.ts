import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { pass } from './testing/pass-time.ts'
import { createScheduleKit } from './testing/schedule-kit.ts'

const at = (time: string) => `2026-06-01T${time}:00.000Z`

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  vi.setSystemTime('2026-06-01T08:58:30.000Z')
})
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

describe('A9: schedules of their own', () => {
  it('carry out each of several schedules of an agent once, beside its field, by two processes', async () => {
    const { scheduler, save, tasks, events } = createScheduleKit()
    await save('a', '0 9 * * *', { report_to: [{ channel: 'telegram', conversation_id: 'c' }] })
    const [one, other] = [scheduler(), scheduler()]
    await Promise.all([one.start(), other.start()])
    const early = await one.create({ agent_id: 'a', cron: '0 9 * * *', input: 'Early', report_to: [] })
    const late = await one.create({ agent_id: 'a', cron: '1 9 * * *', overlap: 'skip', name: 'Late' })
    await pass(240_000)
    const made = (await tasks()).map(({ scheduleId, input, scheduled, reportTo }) => [
      scheduleId,
      input.slice(0, 5),
      scheduled?.for,
      reportTo?.length,
    ])
    expect(made).toHaveLength(3)
    for (const task of [
      ['agent:a', 'This ', at('09:00'), 1],
      [early.schedule.id, 'Early', at('09:00'), undefined],
      [late.schedule.id, 'This ', at('09:01'), 1],
    ])
      expect(made).toContainEqual(task)
    expect(await events('schedule.fired')).toContainEqual(
      expect.objectContaining({ agent_id: 'a', schedule_id: late.schedule.id, scheduled_for: at('09:01') }),
    )
    expect((await one.list()).map(({ id, last_fire }) => [id, last_fire])).toEqual([
      ['agent:a', at('09:00')],
      [early.schedule.id, at('09:00')],
      [late.schedule.id, at('09:01')],
    ])
    const { history } = await one.history(early.schedule.id)
    expect(history).toMatchObject([{ scheduled_for: at('09:00'), manual: false, state: 'queued' }])
    await Promise.all([one.close(), other.close()])
  })

  it('act at once when they are changed, disabled or deleted, also with their agent', async () => {
    const { scheduler, save, store, tasks } = createScheduleKit()
    for (const id of ['a', 'gone']) await save(id, undefined)
    const schedules = scheduler()
    await schedules.start()
    const create = async (input: string, agent_id = 'a') =>
      (await schedules.create({ agent_id, cron: '0 9 * * *', input })).schedule.id
    await schedules.update(await create('edited'), { cron: '2 9 * * *' })
    await schedules.update(await create('disabled'), { enabled: false })
    await schedules.delete(await create('deleted'))
    await create('orphan', 'gone')
    await store.deleteAgent('gone')
    await save('gone', undefined)
    await pass(300_000)
    expect((await tasks()).map(({ input, scheduled }) => [input, scheduled?.for])).toEqual([
      ['edited', at('09:02')],
    ])
    await schedules.close()
  })

  it('make up for what was missed as they are set, after all processes were down', async () => {
    const { scheduler, save, tasks } = createScheduleKit()
    await save('a', undefined)
    const before = scheduler()
    await before.start()
    const { schedule } = await before.create({ agent_id: 'a', cron: '0 * * * *', catch_up: 'latest' })
    await before.create({ agent_id: 'a', cron: '30 * * * *' })
    await pass(1000)
    await before.close()
    vi.setSystemTime(at('12:40'))
    const after = scheduler()
    await after.start()
    await pass(20_000)
    expect((await tasks()).map(({ scheduleId, scheduled }) => [scheduleId, scheduled?.for])).toEqual([
      [schedule.id, at('12:00')],
    ])
    await after.close()
  })
})
