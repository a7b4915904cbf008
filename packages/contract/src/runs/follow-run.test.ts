import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ClientError } from '../client/client-error.ts'
import { foldRun } from './fold-run.ts'
import { followRun, type FollowedRunEvent, type FollowRunOptions, type RunClient } from './follow-run.ts'
import { newTurn, textOf } from './turn.ts'

const platform = {
  streamRunEvents: vi.fn<RunClient['streamRunEvents']>(),
  streamAgentRun: vi.fn<RunClient['streamAgentRun']>(),
  streamGraphRun: vi.fn<RunClient['streamGraphRun']>(),
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => {
  vi.useRealTimers()
  vi.resetAllMocks()
})

const body = { agent_id: 'writer', task: 'x' }
const say = (seq: number, delta: string) =>
  `id: r1:${seq}\nevent: assistant\ndata: ${JSON.stringify({ delta })}\n\n`
const start = `id: r1:1\nevent: start\ndata: {"run_id":"r1","conversation_id":"c","model":"m"}\n\n`
const failed = (seq: number) => `id: r1:${seq}\nevent: error\ndata: {"message":"No","code":"run_error"}\n\n`
const stopping = 'event: error\ndata: {"message":"Stopping","code":"closed","run_id":"r1"}\n\n'

function streamOf(...parts: readonly string[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new Blob([parts.join('')]).stream()
}

/** What a page would show, and what it was told. */
async function read(options: FollowRunOptions = {}, run: Parameters<typeof followRun>[1] = body) {
  let turn = newTurn()
  const events: FollowedRunEvent['event'][] = []
  const connections: boolean[] = []
  const reading = (async () => {
    for await (const item of followRun(platform, run, options)) {
      turn = foldRun(turn, item)
      events.push(item.event)
      if (item.event === 'connection') connections.push(item.isConnected)
    }
  })()
  let isOver = false
  const over = () => void (isOver = true)
  reading.then(over, over)
  while (!isOver) {
    await vi.advanceTimersByTimeAsync(10_000)
    await new Promise((resolve) => setImmediate(resolve)) // streams come by the event loop
  }
  await reading
  return {
    text: textOf(turn),
    restarts: events.filter((event) => event === 'restart').length,
    events,
    connections,
  }
}

const lastIds = () =>
  platform.streamRunEvents.mock.calls.map(([input]) => (input.headers ?? {})['last-event-id'])

describe('the events of a run', () => {
  it('A6: go on behind the last one when the connection breaks, also several times', async () => {
    platform.streamAgentRun.mockResolvedValue(streamOf(start, say(2, 'One ')))
    platform.streamRunEvents
      .mockRejectedValueOnce(new ClientError('UNREACHABLE', 'down'))
      .mockResolvedValueOnce(streamOf(say(3, 'two ')))
      .mockResolvedValueOnce(streamOf(say(4, 'three'), failed(5)))
    const { text, restarts, connections } = await read()
    expect(text).toBe('One two three')
    expect(restarts).toBe(0)
    expect(lastIds()).toEqual(['r1:2', 'r1:2', 'r1:3'])
    expect(connections).toEqual([false, true, false, true])
  })

  it('A6: are read anew when numbers show that a crashed server tells some of them again', async () => {
    platform.streamAgentRun.mockResolvedValue(streamOf(start, say(2, 'It is gre')))
    platform.streamRunEvents
      .mockResolvedValueOnce(streamOf(say(1_000_002, 'It is green')))
      .mockResolvedValueOnce(streamOf(start, say(1_000_002, 'It is green'), failed(1_000_003)))
    const { text, restarts } = await read()
    expect({ text, restarts }).toEqual({ text: 'It is green', restarts: 1 })
    expect(lastIds()).toEqual(['r1:2', undefined])
  })

  it('an error without a number is the server that stops, not the end of the run', async () => {
    platform.streamAgentRun.mockResolvedValue(streamOf(start, say(2, 'One '), stopping))
    platform.streamRunEvents.mockResolvedValueOnce(streamOf(say(3, 'two'), failed(4)))
    const { text, events } = await read()
    expect(text).toBe('One two')
    expect(events.filter((event) => event !== 'connection')).toEqual([
      'start',
      'assistant',
      'assistant',
      'error',
    ])
  })

  it('what was never answered is not sent again', async () => {
    platform.streamAgentRun.mockRejectedValue(new ClientError('UNREACHABLE', 'down'))
    await expect(read()).rejects.toThrow('down')
    expect(platform.streamAgentRun).toHaveBeenCalledOnce()
    expect(platform.streamRunEvents).not.toHaveBeenCalled()
  })

  it('a start that got no answer is sent again when that is asked for, until it is answered', async () => {
    platform.streamAgentRun
      .mockRejectedValueOnce(new ClientError('UNREACHABLE', 'down'))
      .mockResolvedValueOnce(streamOf(stopping))
      .mockRejectedValueOnce(new ClientError('HTTP', 'closing', { status: 503 }))
      .mockResolvedValueOnce(streamOf(start, failed(2)))
    const { events } = await read({ retriesStart: true })
    expect(platform.streamAgentRun).toHaveBeenCalledTimes(4)
    expect(events).toEqual(['connection', 'connection', 'connection', 'connection', 'start', 'error'])
  })

  it('a start names how it is started, and whether reasoning is wanted; an earlier run is read from its first event', async () => {
    platform.streamAgentRun.mockResolvedValue(streamOf(start, failed(2)))
    platform.streamGraphRun.mockResolvedValue(streamOf(start, failed(2)))
    platform.streamRunEvents.mockResolvedValue(streamOf(start, failed(2)))
    const headers = { 'x-homeward-source': 'chat' }
    await read({ startedBy: 'chat', reasoning: true })
    expect(platform.streamAgentRun.mock.calls[0]?.[0]).toMatchObject({
      body,
      headers,
      query: { reasoning: 'true' },
    })
    const graph = { graph_id: 'flow', input: 'x' }
    await read({ startedBy: 'chat' }, graph)
    expect(platform.streamGraphRun.mock.calls[0]?.[0]).toMatchObject({ body: graph, headers, query: {} })
    await read({}, { run_id: 'r1' })
    expect(platform.streamRunEvents.mock.calls[0]?.[0]).toMatchObject({ params: { id: 'r1' }, headers: {} })
    await expect(read({}, {} as typeof body)).rejects.toThrow('Set "agent_id", "graph_id" or "run_id".')
  })

  it('a server that stops before the first of them is an error, and not the end', async () => {
    platform.streamAgentRun.mockResolvedValueOnce(streamOf(stopping))
    await expect(read()).rejects.toThrow('before the run started')
    platform.streamAgentRun.mockResolvedValueOnce(streamOf())
    await expect(read()).rejects.toThrow('before the run started')
  })

  it('a refusal, and a server that fails again and again, end the reading', async () => {
    platform.streamAgentRun.mockResolvedValue(streamOf(start))
    platform.streamRunEvents.mockRejectedValue(new ClientError('HTTP', 'gone', { status: 404 }))
    await expect(read()).rejects.toThrow('gone')
    expect(platform.streamRunEvents).toHaveBeenCalledOnce()
    platform.streamAgentRun.mockResolvedValue(streamOf(start))
    platform.streamRunEvents.mockRejectedValue(new ClientError('HTTP', 'broken', { status: 500 }))
    await expect(read()).rejects.toThrow('broken')
    expect(platform.streamRunEvents.mock.calls.length).toBeLessThan(10)
  })

  it('giving up the reading leaves no timer', async () => {
    const given = new AbortController()
    platform.streamAgentRun.mockResolvedValue(streamOf(start))
    platform.streamRunEvents.mockImplementation(async () => {
      if (platform.streamRunEvents.mock.calls.length === 30) given.abort()
      throw new ClientError('UNREACHABLE', 'down')
    })
    expect((await read({ signal: given.signal })).events).toEqual(['start', 'connection'])
    expect(vi.getTimerCount()).toBe(0)
  })
})
