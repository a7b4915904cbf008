import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTestStore } from '../../testing/create-test-store.ts'
import { createLogs } from '../../journal/create-logs.ts'
import type { NewJournalEvent } from '../../store/ports/journal.ts'
import { createEventSocket } from './event-socket.ts'
import type { EventSocketLimits } from './event-transport.ts'

const event = (type: NewJournalEvent['type'] = 'tool.called', runId = 'r'): NewJournalEvent => ({
  type,
  timestamp: '2026-01-01T00:00:00.000Z',
  runId,
  data: { text: 'x'.repeat(100) },
})

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A client whose connection takes as much as it is told to. */
function connect(limits: EventSocketLimits = {}, given = createTestStore()) {
  const store = given
  const logs = createLogs({ store, logger: { warn() {}, error() {} } })
  const frames: string[] = []
  const onError = vi.fn()
  const onEnd = vi.fn()
  const close = vi.fn()
  const ping = vi.fn()
  let reads = true
  let buffered = 0
  const socket = createEventSocket({
    runtime: { logs },
    transport: {
      send(text) {
        frames.push(text)
        if (!reads) buffered += text.length
      },
      close,
      ping,
      bufferedBytes: () => buffered,
    },
    onError,
    onEnd,
    ...limits,
  })
  return {
    store,
    logs,
    socket,
    close,
    ping,
    onError,
    onEnd,
    frames: () => frames.map((text) => JSON.parse(text)),
    seqs: () => frames.map((text) => JSON.parse(text).seq),
    send: (message: unknown) => socket.receive(JSON.stringify(message)),
    stopReading: () => (reads = false),
    startReading() {
      reads = true
      buffered = 0
    },
    buffered: () => buffered,
    /** Until the client that said nothing gets everything. */
    async settled() {
      await vi.advanceTimersByTimeAsync(600)
      for (let turns = 0; turns < 5; turns += 1) await turn()
    },
  }
}

describe('what a client gets', () => {
  it('A14: every event from its connection on, word for word as /api/logs has it, when it asks for nothing', async () => {
    const { store, logs, frames, settled } = connect()
    await store.appendEvents([event(), event('agent.completed')])
    await settled()
    await store.appendEvents([event('skill.changed')])
    await settled()
    expect(frames()).toEqual(await logs.list({ since: 0 }))
    expect(frames()).toHaveLength(3)
  })

  it('A14: nothing that was there before it connected', async () => {
    const store = createTestStore()
    await store.appendEvents([event(), event()])
    const { seqs, settled } = connect({}, store)
    await settled()
    await store.appendEvents([event()])
    await settled()
    expect(seqs()).toEqual([3])
  })

  it('A14: with `since` first what lies behind that number, then what happens, each once', async () => {
    const store = createTestStore()
    await store.appendEvents([event(), event(), event()])
    const { send, seqs, settled } = connect({}, store)
    await store.appendEvents([event()]) // before its first message: not twice
    send({ type: 'subscribe', since: 1 })
    await settled()
    await store.appendEvents([event()])
    await settled()
    expect(seqs()).toEqual([2, 3, 4, 5])
  })

  it('A14: only the types and the run that it names; a second subscription replaces the first', async () => {
    const { store, send, frames, settled } = connect()
    send({ type: 'subscribe', types: ['agent.completed'], run_id: 'mine' })
    await settled()
    await store.appendEvents([
      event('agent.completed', 'mine'),
      event('agent.completed'),
      event('tool.called', 'mine'),
    ])
    await settled()
    expect(frames().map(({ seq }) => seq)).toEqual([1])
    send({ type: 'subscribe', types: ['tool.called'] })
    await settled()
    await store.appendEvents([event('agent.completed', 'mine'), event('tool.called')])
    await settled()
    expect(frames().map(({ seq }) => seq)).toEqual([1, 5])
  })

  it('A14: a first subscription without `since` starts with the connection, a later one with the message', async () => {
    const { store, send, seqs, settled } = connect()
    await store.appendEvents([event('tool.called', 'a')])
    send({ type: 'subscribe', run_id: 'a' })
    await settled()
    expect(seqs()).toEqual([1])
    await store.appendEvents([event('tool.called', 'b')])
    await settled()
    send({ type: 'subscribe', run_id: 'b' })
    await settled()
    await store.appendEvents([event('tool.called', 'b')])
    await settled()
    expect(seqs()).toEqual([1, 3])
  })

  it('an answer to a subscription that has an id, before its first event; and a pong', async () => {
    const store = createTestStore()
    await store.appendEvents([event(), event()])
    const { send, frames, settled } = connect({}, store)
    send({ type: 'subscribe', id: 's1', since: 1, types: null, run_id: null })
    await settled()
    send({ type: 'ping' })
    send({ type: 'ping', id: 'p' })
    expect(frames()).toEqual([
      { type: 'subscribed', id: 's1', since: 1 },
      expect.objectContaining({ seq: 2 }),
      { type: 'pong' },
      { type: 'pong', id: 'p' },
    ])
  })

  it('takes subscriptions in the order they came, however they race', async () => {
    const { store, send, seqs, settled } = connect()
    await store.appendEvents([
      event('tool.called', 'a'),
      event('tool.called', 'b'),
      event('tool.called', 'c'),
    ])
    for (const run of ['a', 'b', 'c']) send({ type: 'subscribe', run_id: run, since: 0 })
    await settled()
    expect(seqs().at(-1)).toBe(3)
    await store.appendEvents([event('tool.called', 'a'), event('tool.called', 'c')])
    await settled()
    expect(seqs().at(-1)).toBe(5)
    expect(seqs()).not.toContain(4)
  })
})

describe('what a client may send', () => {
  it.each([
    ['not json', /not JSON/],
    ['[]', /message|type/i],
    ['{"type": "nothing"}', /type/],
    ['{"type": "subscribe", "types": "agent.completed"}', /types/],
    ['{"type": "subscribe", "types": []}', /types/],
    ['{"type": "subscribe", "since": -1}', /since/],
    ['{"type": "subscribe", "since": 1.5}', /since/],
    ['{"type": "subscribe", "since": "1"}', /since/],
    ['{"type": "subscribe", "run_id": ""}', /run_id/],
  ])('A14: answers %j with an error, and goes on', async (message, problem) => {
    const { store, socket, frames, close, settled } = connect()
    await settled()
    socket.receive(message)
    await store.appendEvents([event()])
    await settled()
    expect(frames()).toEqual([
      {
        type: 'error',
        error: expect.any(String),
        code: 'validation_error',
        message: expect.stringMatching(problem),
      },
      expect.objectContaining({ seq: 1 }),
    ])
    expect(close).not.toHaveBeenCalled()
  })

  it('A14: refuses a number that the journal has not reached: it is one of another journal', async () => {
    const { send, frames, settled } = connect()
    send({ type: 'subscribe', since: 7 })
    await settled()
    expect(frames()).toMatchObject([
      { type: 'error', code: 'conflict', message: expect.stringContaining('at most 0') },
    ])
  })

  it.each([
    ['bytes', 1003, [new Uint8Array(3)]],
    ['what is too large', 1009, [`{"type": "ping", "id": "${'x'.repeat(20_000)}"}`]],
    ['what is too large in bytes only', 1009, ['é'.repeat(9000)]],
    ['too much of it', 1008, Array.from({ length: 51 }, () => '{"type": "ping"}')],
  ])('ends the connection for %s', async (_, code, messages) => {
    const { socket, close, onEnd, frames } = connect()
    for (const message of messages) socket.receive(message)
    expect(close).toHaveBeenCalledExactlyOnceWith(code, expect.any(String))
    expect(onEnd).toHaveBeenCalledOnce()
    const sent = frames().length
    socket.receive('{"type": "ping"}')
    expect(frames()).toHaveLength(sent)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('forgets messages that are ten seconds old', async () => {
    const { socket, close } = connect()
    for (let index = 0; index < 200; index += 1) {
      socket.receive('{"type": "ping"}')
      await vi.advanceTimersByTimeAsync(250)
    }
    expect(close).not.toHaveBeenCalled()
  })
})

describe('a client that does not read', () => {
  it('A14: gets no more than the limit, and is dropped with a reason', async () => {
    const { store, socket, frames, close, stopReading, buffered, settled } = connect({
      maxBufferedBytes: 5000,
    })
    await settled()
    stopReading()
    await store.appendEvents(Array.from({ length: 1000 }, () => event()))
    await settled()
    const sent = frames().length
    expect(buffered()).toBeLessThan(5500)
    await vi.advanceTimersByTimeAsync(9000)
    expect(close).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1500)
    expect(close).toHaveBeenCalledExactlyOnceWith(1013, expect.stringContaining('Too slow'))
    expect(Buffer.byteLength(String(close.mock.calls[0]?.[1]))).toBeLessThanOrEqual(123)
    expect(frames()).toHaveLength(sent)
    socket.closed()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('A14: goes on where it was when it reads again in time, and misses nothing', async () => {
    const { store, socket, seqs, close, stopReading, startReading, settled } = connect({
      maxBufferedBytes: 5000,
    })
    await settled()
    stopReading()
    await store.appendEvents(Array.from({ length: 1500 }, () => event()))
    await vi.advanceTimersByTimeAsync(9000)
    startReading()
    socket.drained()
    await vi.waitFor(() => expect(seqs()).toHaveLength(1500), { timeout: 60_000 })
    expect(seqs()).toEqual(Array.from({ length: 1500 }, (_, index) => index + 1))
    expect(close).not.toHaveBeenCalled()
  })

  it('is dropped as well when the transport only says so by a promise', async () => {
    const store = createTestStore()
    const logs = createLogs({ store, logger: { warn() {}, error() {} } })
    const close = vi.fn()
    const send = vi.fn(() => new Promise<void>(() => {}))
    createEventSocket({ runtime: { logs }, transport: { send, close }, slowClientMs: 2000 })
    await vi.advanceTimersByTimeAsync(600)
    await turn()
    await store.appendEvents([event(), event()])
    await vi.advanceTimersByTimeAsync(2500)
    expect(send).toHaveBeenCalledOnce()
    expect(close).toHaveBeenCalledExactlyOnceWith(1013, expect.any(String))
  })
})

describe('the end of a connection', () => {
  it('sends nothing any more once the client has gone', async () => {
    const { store, socket, frames, ping, onEnd, settled } = connect()
    await settled()
    socket.closed()
    socket.closed()
    await store.appendEvents([event()])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(frames()).toEqual([])
    expect(ping).not.toHaveBeenCalled()
    expect(onEnd).toHaveBeenCalledOnce()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('pings every 15 seconds', async () => {
    const { ping, socket } = connect()
    await vi.advanceTimersByTimeAsync(46_000)
    expect(ping).toHaveBeenCalledTimes(3)
    socket.closed()
  })

  it('tells the client when the runtime closes, and when the journal cannot be read', async () => {
    const first = connect()
    await first.settled()
    await first.logs.close()
    await turn()
    expect(first.close).toHaveBeenCalledExactlyOnceWith(1001, expect.any(String))

    const broken = createTestStore()
    const second = connect({}, { ...broken, lastEventSeq: () => Promise.reject(new Error('disk on fire')) })
    await second.settled()
    expect(second.close).toHaveBeenCalledExactlyOnceWith(1011, expect.not.stringContaining('fire'))
    expect(second.onError).toHaveBeenCalledOnce()
  })
})
