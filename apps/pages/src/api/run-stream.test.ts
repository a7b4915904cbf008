import type { RunEvent } from '@homeward/contract/agent-platform'
import { ClientError } from '@homeward/contract/client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { platform } from './platform.ts'
import { readRunEvents } from './run-stream.ts'

vi.mock('./platform.ts', () => ({ platform: { streamRunEvents: vi.fn(), streamAgentRun: vi.fn() } }))

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

/** What the page would show: all text since the last restart. */
async function read(signal = new AbortController().signal) {
  let text = ''
  let restarts = 0
  const events: RunEvent['event'][] = []
  const connections: boolean[] = []
  const reading = (async () => {
    const options = {
      onRestart() {
        text = ''
        restarts += 1
      },
      onConnection: (isConnected: boolean) => connections.push(isConnected),
    }
    for await (const { event, data } of readRunEvents(
      { kind: 'agent', body, startedBy: 'chat' },
      signal,
      options,
    )) {
      events.push(event)
      if (event === 'assistant') text += data.delta
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
  return { text, restarts, events, connections }
}

const lastIds = () =>
  vi.mocked(platform.streamRunEvents).mock.calls.map(([input]) => (input.headers ?? {})['last-event-id'])

describe('the events of a run', () => {
  it('A6: go on behind the last one when the connection breaks, also several times', async () => {
    vi.mocked(platform.streamAgentRun).mockResolvedValue(streamOf(start, say(2, 'One ')))
    vi.mocked(platform.streamRunEvents)
      .mockRejectedValueOnce(new ClientError('UNREACHABLE', 'down'))
      .mockResolvedValueOnce(streamOf(say(3, 'two ')))
      .mockResolvedValueOnce(streamOf(say(4, 'three'), failed(5)))
    const { text, restarts, connections } = await read()
    expect(text).toBe('One two three')
    expect(restarts).toBe(0)
    expect(lastIds()).toEqual(['r1:2', 'r1:2', 'r1:3'])
    expect(connections).toEqual([true, false, false, true, false, true])
  })

  it('A6: are read anew when numbers show that a crashed server tells some of them again', async () => {
    vi.mocked(platform.streamAgentRun).mockResolvedValue(streamOf(start, say(2, 'It is gre')))
    vi.mocked(platform.streamRunEvents)
      .mockResolvedValueOnce(streamOf(say(1_000_002, 'It is green')))
      .mockResolvedValueOnce(streamOf(start, say(1_000_002, 'It is green'), failed(1_000_003)))
    const { text, restarts } = await read()
    expect({ text, restarts }).toEqual({ text: 'It is green', restarts: 1 })
    expect(lastIds()).toEqual(['r1:2', undefined])
  })

  it('an error without a number is the server that stops, not the end of the run', async () => {
    vi.mocked(platform.streamAgentRun).mockResolvedValue(streamOf(start, say(2, 'One '), stopping))
    vi.mocked(platform.streamRunEvents).mockResolvedValueOnce(streamOf(say(3, 'two'), failed(4)))
    const { text, events } = await read()
    expect(text).toBe('One two')
    expect(events).toEqual(['start', 'assistant', 'assistant', 'error'])
  })

  it('what was never answered is not sent again', async () => {
    vi.mocked(platform.streamAgentRun).mockRejectedValue(new ClientError('UNREACHABLE', 'down'))
    await expect(read()).rejects.toThrow('down')
    expect(platform.streamAgentRun).toHaveBeenCalledOnce()
    expect(platform.streamRunEvents).not.toHaveBeenCalled()
  })

  it('a server that stops before the first of them is an error, and not the end', async () => {
    vi.mocked(platform.streamAgentRun).mockResolvedValueOnce(streamOf(stopping))
    await expect(read()).rejects.toThrow('before the run started')
    vi.mocked(platform.streamAgentRun).mockResolvedValueOnce(streamOf())
    await expect(read()).rejects.toThrow('before the run started')
  })

  it('a refusal, and a server that fails again and again, end the reading', async () => {
    vi.mocked(platform.streamAgentRun).mockResolvedValue(streamOf(start))
    vi.mocked(platform.streamRunEvents).mockRejectedValue(new ClientError('HTTP', 'gone', { status: 404 }))
    await expect(read()).rejects.toThrow('gone')
    expect(platform.streamRunEvents).toHaveBeenCalledOnce()
    vi.mocked(platform.streamAgentRun).mockResolvedValue(streamOf(start))
    vi.mocked(platform.streamRunEvents).mockRejectedValue(new ClientError('HTTP', 'broken', { status: 500 }))
    await expect(read()).rejects.toThrow('broken')
    expect(vi.mocked(platform.streamRunEvents).mock.calls.length).toBeLessThan(10)
  })

  it('giving up the reading leaves no timer', async () => {
    const given = new AbortController()
    vi.mocked(platform.streamAgentRun).mockResolvedValue(streamOf(start))
    vi.mocked(platform.streamRunEvents).mockImplementation(async () => {
      if (vi.mocked(platform.streamRunEvents).mock.calls.length === 30) given.abort()
      throw new ClientError('UNREACHABLE', 'down')
    })
    expect((await read(given.signal)).events).toEqual(['start'])
    expect(vi.getTimerCount()).toBe(0)
  })
})
