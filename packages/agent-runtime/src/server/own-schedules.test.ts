import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startPlatform, ways } from './testing/start-platform.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'homeward-own-schedules-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

describe.each(ways)('schedules of their own %s', { timeout: 60_000 }, (way) => {
  /** A platform with the agent `a`. */
  async function start() {
    const platform = await startPlatform(way, { home })
    await platform.send('POST', '/api/agents', { body: { id: 'a', model: 'test/echo' } })
    return platform
  }

  it('A9: an agent has several schedules, which can be changed and deleted', async () => {
    await using platform = await start()
    const { send } = platform
    const create = (body: object) => send('POST', '/api/schedules', { body: { agent_id: 'a', ...body } })
    const made = await create({
      cron: '0 9 * * *',
      name: 'Morning',
      input: 'Good morning',
      timezone: 'Asia/Tokyo',
    })
    expect(made.status).toBe(201)
    const { schedule } = made.body
    expect(schedule).toEqual({
      id: expect.any(String),
      agent_id: 'a',
      name: 'Morning',
      cron: '0 9 * * *',
      schedule: '0 9 * * *',
      input: 'Good morning',
      timezone: 'Asia/Tokyo',
      catch_up: 'skip',
      overlap: 'queue',
      enabled: true,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      next_fire: expect.stringMatching(/T00:00:00.000Z$/),
    })
    expect((await create({ cron: '@daily', enabled: false })).body.schedule).toMatchObject({ enabled: false })
    const list = async () => (await send('GET', '/api/schedules')).body.schedules
    expect((await list()).map(({ cron }: { cron: string }) => cron)).toEqual(['0 9 * * *', '@daily'])

    const path = `/api/schedules/${schedule.id}`
    const changed = await send('PUT', path, { body: { cron: '0 10 * * *', name: null, overlap: 'skip' } })
    const { name: _, ...rest } = schedule
    const { updated_at, next_fire } = changed.body.schedule
    expect(next_fire).toMatch(/T01:00:00.000Z$/)
    const now = { cron: '0 10 * * *', schedule: '0 10 * * *', overlap: 'skip', updated_at, next_fire }
    expect(changed.body).toEqual({ ok: true, schedule: { ...rest, ...now } })
    expect((await list())[0]).toEqual(changed.body.schedule)
    expect((await send('DELETE', path)).body).toEqual({ ok: true })
    expect((await send('DELETE', path)).status).toBe(404)
    expect((await send('PUT', path, { body: {} })).status).toBe(404)

    await send('DELETE', '/api/agents/a')
    expect(await list()).toEqual([])
  })

  it('A2, A9: rejects a schedule that cannot be used, and one for an agent that does not exist', async () => {
    await using platform = await start()
    const { send } = platform
    const statusOf = async (body: object) => {
      const answer = await send('POST', '/api/schedules', { body })
      return [answer.status, answer.body.code]
    }
    const cron = '0 9 * * *'
    for (const body of [
      { agent_id: 'a', cron: 'every morning' },
      { agent_id: 'a', cron, timezone: 'Mars/Base' },
      { agent_id: 'a', cron, catch_up: 'some' },
      { agent_id: 'a', cron, report_to: [{ channel: 'telegram', conversation_id: 'unknown' }] },
      { agent_id: 'a' },
      { cron },
      { agent_id: 'a', graph_id: 'g', cron },
    ])
      expect([body, ...(await statusOf(body))]).toEqual([body, 400, 'validation_error'])
    expect(await statusOf({ agent_id: 'b', cron })).toEqual([404, 'not_found'])
    expect(await statusOf({ graph_id: 'g', cron })).toEqual([404, 'not_found'])
    expect((await send('GET', '/api/schedules')).body.schedules).toEqual([])
    const bad = await send('POST', '/api/schedules', { body: { agent_id: 'a', cron: 'every morning' } })
    expect(bad.body.message).toMatch(/^Creating a schedule.*"cron" .* such as "0 9 \* \* 1-5"/)
  })

  it('A9: a request with the same key creates one schedule, and runs it once', async () => {
    await using platform = await start()
    const { send } = platform
    const headers = { 'idempotency-key': 'k1' }
    const create = (cron: string) =>
      send('POST', '/api/schedules', { headers, body: { agent_id: 'a', cron, input: 'Tick' } })
    const first = await create('@yearly')
    const again = await create('@yearly')
    expect([first.status, again.status]).toEqual([201, 200])
    expect(again.body).toEqual(first.body)
    expect((await create('@daily')).status).toBe(409)

    const path = `/api/schedules/${first.body.schedule.id}`
    const run = await send('POST', `${path}/run`, { headers })
    expect(run.status).toBe(202)
    expect(run.body.task).toMatchObject({ agent_id: 'a', input: 'Tick', schedule_id: first.body.schedule.id })
    const repeated = await send('POST', `${path}/run`, { headers })
    expect([repeated.status, repeated.body.task.id]).toEqual([200, run.body.task.id])
    await send('POST', '/api/tasks', { body: { agent_id: 'a', task: 'other', idempotency_key: 'k2' } })
    expect((await send('POST', `${path}/run`, { body: { idempotency_key: 'k2' } })).status).toBe(409)
    const history = async () => (await send('GET', `${path}/history`)).body.history
    await expect.poll(history).toEqual([
      {
        scheduled_for: run.body.task.created_at,
        manual: true,
        task_id: run.body.task.id,
        state: 'completed',
        run_id: expect.any(String),
        started_at: expect.any(String),
        finished_at: expect.any(String),
      },
    ])
    expect((await send('POST', '/api/schedules/none/run')).status).toBe(404)
    expect((await send('GET', '/api/schedules/none/history')).status).toBe(404)
  })

  it('A9: a schedule field of an agent runs and has a history, but is changed with its agent', async () => {
    await using platform = await start()
    const { send } = platform
    await send('PUT', '/api/agents/a', { body: { schedule: '@yearly', schedule_input: 'Tick' } })
    const path = '/api/schedules/agent%3Aa'
    for (const method of ['PUT', 'DELETE']) {
      const { status, body } = await send(method, path, method === 'PUT' ? { body: {} } : {})
      expect([status, body.message]).toEqual([409, expect.stringContaining('PUT /api/agents/a')])
    }
    const ids: string[] = []
    for (let count = 0; count < 3; count += 1) {
      const { body } = await send('POST', `${path}/run`)
      expect(body.task).toMatchObject({ input: 'Tick', schedule_id: 'agent:a' })
      ids.unshift(body.task.id)
    }
    const first = (await send('GET', `${path}/history?limit=2`)).body
    const rest = (await send('GET', `${path}/history?limit=2&cursor=${first.next_cursor}`)).body
    const shown = [...first.history, ...rest.history].map(({ task_id }: { task_id: string }) => task_id)
    expect([shown, rest.next_cursor]).toEqual([ids, undefined])
    expect((await send('POST', '/api/schedules/agent%3Anone/run')).status).toBe(404)
  })
})
