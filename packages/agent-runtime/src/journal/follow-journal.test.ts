import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JournalEvent } from '@homeward/contract/agent-platform'
import * as fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createTestStore } from '../testing/create-test-store.ts'
import type { NewJournalEvent } from '../store/ports/journal.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { createSqliteStore } from '../store/sqlite/create-sqlite-store.ts'
import { createLogs } from './create-logs.ts'
import type { JournalView } from './follow-journal.ts'

const event = (runId: string, type: NewJournalEvent['type'] = 'tool.called'): NewJournalEvent => ({
  type,
  timestamp: '2026-01-01T00:00:00.000Z',
  runId,
  data: { n: 1 },
})
const seqsOf = (events: readonly JournalEvent[]) => events.map(({ seq }) => seq)
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

function open(store: RuntimeStore = createTestStore()) {
  const error = vi.fn()
  const logs = createLogs({ store, logger: { warn() {}, error } })
  return { store, logs, error }
}

/** Reads until a number was seen. */
async function readThrough(events: AsyncIterable<JournalEvent>, last: number): Promise<JournalEvent[]> {
  const seen: JournalEvent[] = []
  for await (const each of events) {
    seen.push(each)
    if (each.seq >= last) break
  }
  return seen
}

/** A viewer that is known to wait already. */
async function follow(logs: ReturnType<typeof createLogs>, view: JournalView, signal?: AbortSignal) {
  const seen: JournalEvent[] = []
  const ended = (async () => {
    for await (const each of logs.follow(view, signal)) seen.push(each)
  })()
  await vi.waitFor(() => Promise.resolve(), { timeout: 60_000 })
  return { seen, ended }
}

const appendMany = async (store: RuntimeStore, count: number, runId = 'r') => {
  for (let left = count; left > 0; left -= 500) {
    await store.appendEvents(Array.from({ length: Math.min(left, 500) }, () => event(runId)))
  }
}

afterEach(() => {
  vi.useRealTimers()
})

describe('following the journal', () => {
  it('A14: replays what lies behind a number and goes on with what happens, with no gap and nothing twice', async () => {
    const { store, logs } = open()
    await appendMany(store, 450)
    const viewing = readThrough(logs.follow({ since: 3 }), 900)
    for (let index = 0; index < 450; index += 1) await store.appendEvents([event('r')])
    expect(seqsOf(await viewing)).toEqual(range(4, 900))
  })

  it('A14: gives only what is new when no number was named', async () => {
    const { store, logs } = open()
    await appendMany(store, 10)
    const viewer = await follow(logs, {})
    await appendMany(store, 2)
    await vi.waitFor(() => expect(seqsOf(viewer.seen)).toEqual([11, 12]), { timeout: 60_000 })
    await logs.close()
    await viewer.ended
  })

  it('filters by types and by run, in the replay as in what follows', async () => {
    const { store, logs } = open()
    const some = [event('a'), event('b', 'agent.completed'), event('a', 'agent.completed'), event('a')]
    await store.appendEvents(some)
    const views: JournalView[] = [
      { since: 0, types: ['agent.completed'] },
      { since: 0, runId: 'a' },
      { since: 0, types: ['agent.completed', 'tool.completed'], runId: 'a' },
    ]
    const viewers = await Promise.all(views.map((view) => follow(logs, view)))
    await store.appendEvents(some)
    await vi.waitFor(
      () =>
        expect(viewers.map(({ seen }) => seqsOf(seen))).toEqual([
          [2, 3, 6, 7],
          [1, 3, 4, 5, 7, 8],
          [3, 7],
        ]),
      { timeout: 60_000 },
    )
    await logs.close()
  })

  it('A14: every viewer sees the same, whenever it came and however slowly it reads', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 12 }),
        fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 2, maxLength: 4 }),
        async (batches, pauses) => {
          const { store, logs } = open()
          const total = batches.reduce((sum, size) => sum + size, 0)
          const readers = pauses.map(async (pause) => {
            const seen: number[] = []
            for await (const { seq } of logs.follow({ since: 0 })) {
              seen.push(seq)
              if (seq === total) break
              if (pause > 0 && seq % (pause * 7) === 0) await new Promise((resolve) => setImmediate(resolve))
            }
            return seen
          })
          for (const size of batches) {
            await store.appendEvents(Array.from({ length: size }, () => event('r')))
            await new Promise((resolve) => setImmediate(resolve))
          }
          for (const seen of await Promise.all(readers)) expect(seen).toEqual(range(1, total))
        },
      ),
      { numRuns: 25 },
    )
  })

  it('reads nothing ahead for a viewer that does not ask, and the store for one that fell behind', async () => {
    const { store, logs } = open()
    const listed = vi.spyOn(store, 'listEvents')
    const slow = logs.follow({ since: 0 })[Symbol.asyncIterator]()
    await appendMany(store, 1)
    expect((await slow.next()).value?.seq).toBe(1)
    const before = listed.mock.calls.length
    await appendMany(store, 5000)
    await vi.waitFor(() => expect(listed.mock.calls.length).toBeGreaterThan(before + 20), { timeout: 60_000 })
    await new Promise((resolve) => setImmediate(resolve))
    const read = listed.mock.calls.length
    expect((await slow.next()).value?.seq).toBe(2)
    expect(listed.mock.calls.length).toBe(read + 1) // it is not at hand any more
    const rest: number[] = []
    for (let seq = 2; seq < 5001;) rest.push((seq = (await slow.next()).value?.seq ?? Infinity))
    expect(rest).toEqual(range(3, 5001))
    await slow.return?.()
  })

  it('reads the store once for all who wait', async () => {
    const { store, logs } = open()
    const viewers = await Promise.all(Array.from({ length: 20 }, () => follow(logs, {})))
    const listed = vi.spyOn(store, 'listEvents')
    await appendMany(store, 1)
    await vi.waitFor(() => expect(viewers.every(({ seen }) => seen.length === 1)).toBe(true), {
      timeout: 60_000,
    })
    expect(listed.mock.calls.length).toBeLessThan(4)
    expect(new Set(viewers.map(({ seen }) => seen[0])).size).toBe(1)
    expect(Object.isFrozen(viewers[0]?.seen[0]?.data)).toBe(true)
    await logs.close()
  })

  it('sees within a second what another process wrote, which nobody tells it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const folder = mkdtempSync(join(tmpdir(), 'journal-'))
    const path = join(folder, 'agents.db')
    const [mine, other] = [createSqliteStore({ path }), createSqliteStore({ path })]
    const { logs } = open(mine)
    const viewer = logs.follow({})[Symbol.asyncIterator]()
    const next = viewer.next()
    await new Promise((resolve) => setImmediate(resolve))
    await other.appendEvents([event('r')])
    await vi.advanceTimersByTimeAsync(1000)
    expect((await next).value?.seq).toBe(1)
    await viewer.return?.()
    await logs.close()
    await Promise.all([mine.close(), other.close()])
    rmSync(folder, { recursive: true })
  })

  it('leaves no timer and no subscription behind when the last viewer goes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const store = createTestStore()
    const unsubscribe = vi.fn()
    const { logs } = open({ ...store, subscribe: () => unsubscribe })
    const leaving = new AbortController()
    const viewers = [await follow(logs, {}, leaving.signal), await follow(logs, { since: 0 }, leaving.signal)]
    expect(vi.getTimerCount()).toBe(1)
    leaving.abort()
    await Promise.all(viewers.map(({ ended }) => ended))
    expect(vi.getTimerCount()).toBe(0)
    expect(unsubscribe).toHaveBeenCalledOnce()
    await store.appendEvents([event('r')])
    expect(seqsOf(await readThrough(logs.follow({ since: 0 }), 1))).toEqual([1])
  })

  it('goes on when the journal could not be read for a while, and says so once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const store = createTestStore()
    let fails = 3
    const { logs, error } = open({
      ...store,
      listEvents: async (filter, signal) => {
        if (fails-- > 0) throw new RuntimeError('storage_error', 'Reading the database failed: busy.')
        return store.listEvents(filter, signal)
      },
    })
    const viewer = await follow(logs, {})
    await store.appendEvents([event('r')])
    for (let second = 0; second < 4; second += 1) await vi.advanceTimersByTimeAsync(1000)
    expect(seqsOf(viewer.seen)).toEqual([1])
    expect(error).toHaveBeenCalledOnce()
    await logs.close()
    await viewer.ended
  })

  it('ends when the store is closed, and throws when it cannot even begin', async () => {
    const { store, logs } = open()
    const viewer = await follow(logs, {})
    await logs.close()
    await store.close()
    await viewer.ended
    const closed = createTestStore()
    await closed.close()
    const late = open(closed)
    await expect(readThrough(late.logs.follow({}), 1)).rejects.toMatchObject({ code: 'closed' })
  })
})

describe('reading the journal', () => {
  it('A14: takes several types, together with a single one', async () => {
    const { store, logs } = open()
    await store.appendEvents([event('a'), event('a', 'agent.started'), event('a', 'agent.completed')])
    expect(seqsOf(await logs.list({ types: ['agent.started', 'agent.completed'] }))).toEqual([2, 3])
    expect(seqsOf(await logs.list({ type: 'tool.called', types: ['agent.started'] }))).toEqual([1, 2])
    expect(seqsOf(await logs.list({ type: 'agent.started' }))).toEqual([2])
    expect(await logs.lastSeq()).toBe(3)
  })
})
