import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createMemoryOutbox } from '../../outbox/create-memory-outbox.ts'
import type { OutboxEntry } from '../../ports/index.ts'
import { after, type FakeAnswer, list, search } from '../testing/fake-cloud.ts'
import { apiKey, buildAgent } from '../testing/start-agent.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const completed: FakeAnswer = ({ body }) =>
  Response.json({ success: true, queryId: (body as { queryId: string }).queryId, status: 'completed' })
const status = (code: number) => () => Response.json({ error: 'x' }, { status: code })

/** Answers in turn, then keeps completing. */
function inTurn(...answers: FakeAnswer[]): FakeAnswer {
  let count = 0
  return (hit, signal) => (answers[count++] ?? completed)(hit, signal)
}

describe('C17: delivery', () => {
  it('C17: keeps a result in the outbox before it is sent, and drops it after 2xx', async () => {
    const outbox = createMemoryOutbox()
    const states: (string | undefined)[] = []
    const note = async () => void states.push((await outbox.list())[0]?.state)
    const { cloud, agent, of } = buildAgent(
      {
        searches: () => list([search('q')]),
        report: async (hit, signal) => {
          await note()
          return completed(hit, signal)
        },
      },
      {
        outbox,
        providers: {
          files: async () => {
            await note()
            return { found: [] }
          },
        },
      },
    )
    agent.start()
    await vi.advanceTimersByTimeAsync(200)
    expect(states).toEqual(['running', 'ready'])
    expect(await outbox.list()).toEqual([])
    expect(of('report:end')).toEqual([{ queryId: 'q', status: 'completed' }])
    expect(cloud.reports()).toEqual([
      { queryId: 'q', query: 'report', scope: ['files'], results: { files: [] }, error: null },
    ])
    await agent.stop()
  })

  it.each([200, 400, 422, 500])(
    'C8: a documented failure settles a search, at the status %i too',
    async (code) => {
      const { cloud, agent, of } = buildAgent(
        {
          searches: () => list([search('q')]),
          report: ({ body }) => {
            const { queryId, error } = body as { queryId: string; error: string }
            return Response.json({ success: false, queryId, status: 'failed', error }, { status: code })
          },
        },
        { providers: { files: () => Promise.reject(new Error('no disk')) } },
      )
      agent.start()
      await vi.advanceTimersByTimeAsync(600_000)
      expect(cloud.reports()).toHaveLength(1)
      expect(of('report:end')).toEqual([{ queryId: 'q', status: 'failed' }])
      expect(of('report:error')).toEqual([])
      await agent.stop()
    },
  )

  it('C17: does not run a search again that is still listed after its 200', async () => {
    const files = vi.fn(async () => ({ found: [] }))
    const { cloud, agent } = buildAgent({ searches: () => list([search('q')]) }, { providers: { files } })
    agent.start()
    await vi.advanceTimersByTimeAsync(10 * 60_000)
    expect(files).toHaveBeenCalledOnce()
    expect(cloud.to('report')).toHaveLength(1)
    expect(cloud.to('searches')).toHaveLength(21)
    await agent.stop()
  })

  it.each([
    ['gives what JSON cannot write', async () => ({ found: { bytesFree: 123n } })],
    [
      'throws what cannot be asked for its message',
      () =>
        Promise.reject(
          Object.defineProperty(new Error(), 'message', {
            get() {
              throw new Error('gone')
            },
          }),
        ),
    ],
  ])('C17: reports a search whose provider %s as failed, and does not run it again', async (_, provider) => {
    const stats = vi.fn(provider)
    const { cloud, agent, of } = buildAgent(
      { searches: () => list([search('q', ['stats'])]) },
      { providers: { stats } },
    )
    agent.start()
    await vi.advanceTimersByTimeAsync(300_000)
    expect(cloud.reports()).toMatchObject([{ queryId: 'q', scope: ['stats'], results: {} }])
    expect(cloud.reports()[0]?.error).toMatch(/failed/)
    expect(of('search:end')).toHaveLength(1)
    expect(stats).toHaveBeenCalledOnce()
    await agent.stop()
  })

  it.each([408, 425, 429, 500, 502, 503])(
    'C17: sends a report again after %i, later each time',
    async (code) => {
      const { cloud, agent, events } = buildAgent({
        searches: () => list([search('q')]),
        report: inTurn(status(code), status(code), status(code)),
      })
      agent.start()
      await vi.advanceTimersByTimeAsync(60_000)
      const times = cloud.to('report').map(({ atMs }) => atMs)
      const gaps = times.slice(1).map((atMs, index) => Math.round((atMs - times[index]!) / 1000))
      expect(gaps).toEqual([5, 10, 20])
      expect(new Set(cloud.reports().map((report) => JSON.stringify(report))).size).toBe(1)
      expect(JSON.stringify(events)).not.toContain(apiKey)
      await agent.stop()
    },
  )

  it('C17: sends a report again after the network failed, from the outbox', async () => {
    const outbox = createMemoryOutbox()
    const { cloud, agent } = buildAgent(
      {
        searches: () => list([search('q')]),
        report: inTurn(() => Promise.reject(new Error('ECONNRESET')), Response.error),
      },
      { outbox },
    )
    agent.start()
    await vi.advanceTimersByTimeAsync(4000)
    expect(await outbox.list()).toMatchObject([{ queryId: 'q', state: 'ready' }])
    await vi.advanceTimersByTimeAsync(12_000)
    expect(cloud.to('report')).toHaveLength(3)
    expect(await outbox.list()).toEqual([])
    await agent.stop()
  })

  it.each([400, 403, 404, 413])('C17: never sends a report again after %i', async (code) => {
    const outbox = createMemoryOutbox()
    const files = vi.fn(async () => ({ found: [] }))
    const { cloud, agent, of } = buildAgent(
      { searches: () => list([search('q')]), report: status(code) },
      { outbox, providers: { files } },
    )
    agent.start()
    await vi.advanceTimersByTimeAsync(10 * 60_000)
    expect(cloud.to('report')).toHaveLength(1)
    expect(files).toHaveBeenCalledOnce()
    expect(await outbox.list()).toEqual([])
    expect(of('report:error')).toMatchObject([{ queryId: 'q', error: { status: code } }])
    expect(of('report:error')[0]).not.toHaveProperty('retryInMs')
    await agent.stop()
  })

  it.each([
    ['HTML', () => new Response('<html>')],
    ['another object', () => Response.json({ success: true })],
    [
      'the outcome of another search',
      () => Response.json({ success: true, queryId: 'z', status: 'completed' }),
    ],
  ])('C17: takes a 200 with %s for no acknowledgement', async (_, answer) => {
    const { cloud, agent } = buildAgent({ searches: () => list([search('q')]), report: inTurn(answer) })
    agent.start()
    await vi.advanceTimersByTimeAsync(20_000)
    expect(cloud.to('report')).toHaveLength(2)
    await agent.stop()
  })

  it('C17: reports a search that was running when the agent died as failed, and never runs it again', async () => {
    const outbox = createMemoryOutbox()
    const createdAt = '2026-01-01T00:00:00.000Z'
    await outbox.put({ queryId: 'q', state: 'running', request: search('q'), createdAt })
    const ready: OutboxEntry = {
      queryId: 'r',
      state: 'ready',
      report: { queryId: 'r', results: {} },
      createdAt,
    }
    await outbox.put(ready)
    const files = vi.fn(async () => ({ found: [] }))
    const { cloud, agent } = buildAgent(
      { searches: () => list([search('q'), search('r')]) },
      { outbox, providers: { files } },
    )
    agent.start()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(cloud.reports()).toMatchObject([
      { queryId: 'q', error: 'the agent restarted while it ran' },
      { queryId: 'r', results: {} },
    ])
    expect(cloud.hits[0]?.path).toBe('/api/devices/heartbeat')
    expect(files).not.toHaveBeenCalled()
    expect(await outbox.list()).toEqual([])
    await agent.stop()
  })

  it('lets other reports pass one that the cloud cannot take', async () => {
    const { cloud, agent } = buildAgent({
      searches: inTurn(
        () => list([search('bad'), search('good')]),
        () => list([]),
      ),
      report: (hit, signal) =>
        (hit.body as { queryId: string }).queryId === 'bad' ? status(500)() : completed(hit, signal),
    })
    cloud.routes.searches = () => list([search('bad'), search('good')])
    agent.start()
    await vi.advanceTimersByTimeAsync(1000)
    expect(cloud.reports().map(({ queryId }) => queryId)).toEqual(['bad', 'good'])
    await agent.stop()
  })

  it('C12: sends at most 10 reports a second', async () => {
    const requests = Array.from({ length: 20 }, (_, index) => search(`q${index}`))
    const { cloud, agent } = buildAgent({ searches: () => list(requests) }, { searchConcurrency: 20 })
    agent.start()
    await vi.advanceTimersByTimeAsync(990)
    expect(cloud.to('report')).toHaveLength(10)
    await vi.advanceTimersByTimeAsync(1000)
    expect(cloud.to('report')).toHaveLength(20)
    await agent.stop()
  })
})

describe('the outbox', () => {
  it('takes no search beyond its limit and drops nothing', async () => {
    const requests = [search('a'), search('b'), search('c')]
    let isDown = true
    const { cloud, agent, of } = buildAgent(
      {
        searches: () => list(requests),
        report: (hit, signal) => (isDown ? status(503)() : completed(hit, signal)),
      },
      { outbox: createMemoryOutbox({ maxEntries: 2 }) },
    )
    agent.start()
    await vi.advanceTimersByTimeAsync(1000)
    expect(of('search:start').map(({ queryId }) => queryId)).toEqual(['a', 'b'])
    expect(of('state:error')).toMatchObject([
      { part: 'outbox', queryId: 'c', error: { code: 'STATE_UNAVAILABLE' } },
    ])
    isDown = false
    await vi.advanceTimersByTimeAsync(5 * 60_000)
    expect(new Set(of('report:end').map(({ queryId }) => queryId))).toEqual(new Set(['a', 'b', 'c']))
    expect(cloud.to('searches').length).toBeLessThan(13)
    await agent.stop()
  })

  it('fails three times, and the cloud hears that the device cannot store searches', async () => {
    const outbox = createMemoryOutbox()
    vi.spyOn(outbox, 'put').mockRejectedValue(new Error('ENOSPC'))
    const { cloud, agent, of } = buildAgent({ searches: () => list([search('q')]) }, { outbox })
    agent.start()
    await vi.advanceTimersByTimeAsync(45_000)
    expect(cloud.reports()).toEqual([])
    await vi.advanceTimersByTimeAsync(45_000)
    expect(cloud.reports()).toMatchObject([{ queryId: 'q', error: expect.stringContaining('cannot store') }])
    expect(of('search:start')).toEqual([])
    await agent.stop()
  })

  it('is read again, while the device stays online, until that works', async () => {
    const outbox = createMemoryOutbox()
    vi.spyOn(outbox, 'list').mockRejectedValueOnce(new Error('disk')).mockRejectedValueOnce(new Error('disk'))
    const { cloud, agent, of } = buildAgent({}, { outbox })
    agent.start()
    await vi.advanceTimersByTimeAsync(14_000)
    expect(cloud.hits).toHaveLength(1)
    expect(of('state:error')).toMatchObject([{ part: 'outbox' }, { part: 'outbox' }])
    await vi.advanceTimersByTimeAsync(1000)
    expect(cloud.to('searches')).toHaveLength(1)
    await agent.stop()
  })
})

describe('stop', () => {
  it('aborts what runs, keeps it for the next start and leaves no timer', async () => {
    const outbox = createMemoryOutbox()
    const aborted = vi.fn()
    const { cloud, agent } = buildAgent(
      {
        searches: () => list([search('q')]),
        uploads: (_, signal) => after(50_000, () => list([], true), signal),
      },
      {
        outbox,
        providers: {
          files: ({ signal }) => {
            signal.addEventListener('abort', aborted)
            return new Promise(() => {})
          },
        },
      },
    )
    agent.start()
    await vi.advanceTimersByTimeAsync(1000)
    await agent.stop()
    expect(vi.getTimerCount()).toBe(0)
    expect(aborted).toHaveBeenCalledOnce()
    expect(await outbox.list()).toEqual([])
    const before = cloud.hits.length
    await vi.advanceTimersByTimeAsync(600_000)
    expect(cloud.hits).toHaveLength(before)
    agent.start()
    await vi.advanceTimersByTimeAsync(1000)
    expect(cloud.hits.slice(before)[0]?.path).toBe('/api/devices/heartbeat')
    await agent[Symbol.asyncDispose]()
  })
})
