import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startPlatform, ways } from './testing/start-platform.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'homeward-schedules-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

describe.each(ways)('schedules %s', { timeout: 60_000 }, (way) => {
  it('A9: shows the next times of a cron expression before it is saved', async () => {
    await using platform = await startPlatform(way, { home })
    const { send } = platform
    const query = new URLSearchParams({ schedule: '0 9 * * 1-5', timezone: 'Europe/Berlin', count: '7' })
    const { status, body } = await send('GET', `/api/schedules/preview?${query}`)
    expect(status).toBe(200)
    expect(body.fires).toHaveLength(7)
    for (const fire of body.fires) {
      const local = new Date(fire).toLocaleString('en-GB', {
        timeZone: 'Europe/Berlin',
        timeStyle: 'short',
        dateStyle: 'full',
      })
      expect(local).toMatch(/^(Mon|Tues|Wednes|Thurs|Fri)day.* 09:00$/)
    }
    expect((await send('GET', '/api/schedules/preview?schedule=@hourly')).body.fires).toHaveLength(5)
  })

  it.each([
    ['schedule=0+9+*+*', '"schedule" must have 5 fields'],
    ['schedule=61+9+*+*+*', '"schedule" cannot be read'],
    ['schedule=0+9+*+*+*&timezone=Nowhere', '"timezone" is not an IANA time zone'],
    ['', 'schedule'],
    ['schedule=@daily&count=101', 'count'],
  ])('A2, A9: refuses a preview of "%s" and names the field', async (query, problem) => {
    await using platform = await startPlatform(way, { home })
    const { status, body } = await platform.send('GET', `/api/schedules/preview?${query}`)
    expect([status, body.code]).toEqual([400, 'validation_error'])
    expect(body.message).toContain(problem)
  })

  it('A2, A9: refuses an agent with a schedule that cannot be read, and keeps what was there', async () => {
    await using platform = await startPlatform(way, { home })
    const { send } = platform
    const agent = { id: 'a', model: 'test/echo', schedule: '0 9 * * *' }
    const bad = await send('POST', '/api/agents', { body: { ...agent, schedule: 'every morning' } })
    expect([bad.status, bad.body.code]).toEqual([400, 'validation_error'])
    expect(bad.body.message).toMatch(/"schedule" .* such as "0 9 \* \* 1-5"/)
    expect((await send('POST', '/api/agents', { body: agent })).status).toBe(201)
    for (const body of [{ schedule: '* * * * * * *' }, { timezone: 'Mars/Base' }]) {
      expect((await send('PUT', '/api/agents/a', { body })).status).toBe(400)
    }
    expect((await send('PUT', '/api/agents/a', { body: { schedule: null } })).status).toBe(200)
    expect((await send('GET', '/api/agents/a')).body.agent).not.toHaveProperty('schedule')
  })

  it('A9: lists the schedules of agents', async () => {
    await using platform = await startPlatform(way, { home })
    const { send } = platform
    const agent = { model: 'test/echo', schedule: '0 9 * * *', timezone: 'Asia/Tokyo' }
    await send('POST', '/api/agents', { body: { ...agent, id: 'a' } })
    await send('POST', '/api/agents', { body: { ...agent, id: 'off', schedule_enabled: false } })
    await send('POST', '/api/agents', { body: { id: 'plain', model: 'test/echo' } })
    const { schedule, timezone } = agent
    const same = { schedule, cron: schedule, timezone, catch_up: 'skip', overlap: 'queue' }
    const { body } = await send('GET', '/api/schedules')
    expect(
      body.schedules.toSorted((x: { agent_id: string }, y: { agent_id: string }) =>
        x.agent_id < y.agent_id ? -1 : 1,
      ),
    ).toEqual([
      {
        id: 'agent:a',
        agent_id: 'a',
        ...same,
        enabled: true,
        next_fire: expect.stringMatching(/T00:00:00.000Z$/),
      },
      { id: 'agent:off', agent_id: 'off', ...same, enabled: false },
    ])
  })
})
