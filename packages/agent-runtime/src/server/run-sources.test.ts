import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startPlatform, ways, type TestPlatform } from './testing/start-platform.ts'

describe.each(ways)('sources of runs %s', (way) => {
  it('shows, lists and counts how runs were started', async () => {
    await using platform = await startPlatform(way)
    const { send } = platform
    const list = async (query: string) => (await send('GET', `/api/runs?${query}`)).body
    await send('POST', '/api/agents', { body: { id: 'a', model: 'test/echo', description: 'Answers.' } })
    const nodes = [{ id: 'n', agent: 'a' }]
    await send('POST', '/api/graphs', { body: { id: 'g', nodes, edges: [] } })
    const run = (source?: string) =>
      send('POST', '/api/agents/run', {
        body: { agent_id: 'a', task: 'Hi' },
        headers: source === undefined ? {} : { 'x-homeward-source': source },
      })
    const { body: plain } = await run()
    await run('chat')
    await run('test')
    await send('POST', '/api/graphs/run', {
      body: { graph_id: 'g', input: 'Hi' },
      headers: { 'x-homeward-source': 'page' },
    })
    await send('POST', '/v1/chat/completions', {
      body: { model: 'a', messages: [{ role: 'user', content: 'Hi' }] },
    })
    const { body: again } = await send('POST', `/api/runs/${plain.run_id}/rerun`)
    await send('GET', `/api/runs/${again.run.id}/events`)

    const counts = { api: 1, chat: 1, test: 1, page: 1, graph: 1, openai: 1, rerun: 1 }
    expect((await list('count=source&limit=1')).counts).toEqual({ source: counts })
    expect((await list('source=chat&count=source')).counts).toEqual({ source: counts })
    expect((await list('count=source&graph_id=g')).counts).toEqual({ source: { page: 1 } })
    expect(await list('limit=1')).not.toHaveProperty('counts')
    const { runs } = await list('source=rerun')
    expect(runs).toMatchObject([{ id: again.run.id, source: 'rerun', rerun_of: plain.run_id }])
    expect((await send('GET', `/api/runs/${plain.run_id}`)).body.run.source).toBe('api')
    expect((await send('GET', '/api/runs?source=mail')).status).toBe(400)
  })

  it('counts when runs were created, and why runs failed', async () => {
    await using platform = await startPlatform(way)
    const { send } = platform
    const list = async (query: string) => (await send('GET', `/api/runs?limit=1&${query}`)).body
    await send('POST', '/api/agents', { body: { id: 'a', model: 'test/echo' } })
    const budget = { max_tokens: 1, period: 'day' }
    await send('POST', '/api/agents', { body: { id: 'poor', model: 'test/echo', user_budget: budget } })
    const nodes = [{ id: 'n', agent: 'poor' }]
    await send('POST', '/api/graphs', { body: { id: 'g', nodes, edges: [] } })
    const run = (agent_id: string, user_id?: string) =>
      send('POST', '/api/agents/run', { body: { agent_id, task: 'Hi', ...(user_id && { user_id }) } })
    await run('a')
    for (const user of ['ann', 'bob', 'ann']) await run('poor', user)
    await send('POST', '/api/graphs/run', { body: { graph_id: 'g', input: 'Hi', user_id: 'zoe' } })
    const { times, causes } = { ...(await list('count=time')), ...(await list('count=cause')) }
    const counted = times.flatMap(({ runs }: { runs: Record<string, number> }) => Object.entries(runs))
    const sums = { completed: 0, failed: 0 } as Record<string, number>
    for (const [status, count] of counted) sums[status] = (sums[status] ?? 0) + count
    expect(sums).toEqual({ completed: 1, failed: 5 })
    expect(causes).toMatchObject([
      {
        agent_id: 'poor',
        code: 'budget_exceeded',
        count: 4,
        parts: 1,
        user_ids: ['ann', 'bob', 'zoe'],
        users: 3,
      },
      { graph_id: 'g', count: 1 },
    ])
    expect((await list('count=cause&graph_id=g')).causes).toHaveLength(1)
    expect(await list('')).not.toHaveProperty('causes')
  })

  it('refuses a source that is not one of the documented ones', async () => {
    await using platform = await startPlatform(way)
    const { send } = platform
    await send('POST', '/api/agents', { body: { id: 'a', model: 'test/echo' } })
    for (const path of ['/api/agents/run', '/api/agents/run/stream']) {
      const answer = await send('POST', path, {
        body: { agent_id: 'a', task: 'Hi' },
        headers: { 'x-homeward-source': 'schedule' },
      })
      expect(answer.status).toBe(400)
      expect(JSON.stringify(answer.body)).toContain('X-Homeward-Source')
    }
    expect((await send('GET', '/api/runs')).body).toEqual({ runs: [] })
  })

  it('knows the runs of tasks and of schedules', async () => {
    const home = await mkdtemp(join(tmpdir(), 'homeward-sources-'))
    try {
      await using platform = await startPlatform(way, { home })
      const { send } = platform
      await send('POST', '/api/agents', { body: { id: 'a', model: 'test/echo' } })
      const { body: created } = await send('POST', '/api/schedules', {
        body: { agent_id: 'a', cron: '0 0 1 1 *', input: 'Tick' },
      })
      const tasks = [
        await send('POST', '/api/tasks', { body: { agent_id: 'a', task: 'Queued' } }),
        await send('POST', `/api/schedules/${created.schedule.id}/run`),
      ]
      for (const [place, source] of (['task', 'schedule'] as const).entries()) {
        const ended = await untilEnded(platform, tasks[place]?.body.task.id)
        expect((await send('GET', `/api/runs/${ended.run_id}`)).body.run).toMatchObject({ source })
      }
    } finally {
      await rm(home, { recursive: true })
    }
  })
})

/** Waits for a task by the journal, as a client would by the event stream. */
async function untilEnded(platform: TestPlatform, id: string) {
  const stop = new AbortController()
  for await (const event of platform.runtime.logs.follow({ since: 0 }, stop.signal))
    if ('type' in event && event.type === 'task.completed' && event.data['task_id'] === id) break
  stop.abort()
  return (await platform.send('GET', `/api/tasks/${id}`)).body.task
}
