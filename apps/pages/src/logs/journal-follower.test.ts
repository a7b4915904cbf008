import type { JournalEvent } from '@homeward/contract/agent-platform'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createEventLog } from './event-log.ts'
import {
  createJournalFollower,
  type FollowerStatus,
  type JournalFilter,
  type JournalQuery,
} from './journal-follower.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A journal that answers as `GET /api/logs` does, each answer when `answer` is called. */
function startJournal(
  count: number,
  typeOf: (seq: number) => string = (seq) => (seq % 10 === 0 ? 'task.failed' : 'task.created'),
) {
  const events: JournalEvent[] = []
  const answers: (() => void)[] = []
  const queries: JournalQuery[] = []
  let failure: Error | undefined

  function write(): JournalEvent {
    const seq = events.length + 1
    const event = {
      seq,
      type: typeOf(seq),
      timestamp: '2026-01-01T00:00:00.000Z',
      run_id: `r${seq % 3}`,
      data: {},
    }
    events.push(event)
    return event
  }

  function find({ types, runId, since, limit }: JournalQuery): readonly JournalEvent[] {
    const found = events.filter(
      ({ seq, type, run_id }) =>
        seq > (since ?? 0) && (types?.includes(type) ?? true) && (runId ?? run_id) === run_id,
    )
    return since === undefined ? found.slice(-limit) : found.slice(0, limit)
  }

  for (let index = 0; index < count; index += 1) write()
  return {
    events,
    queries,
    write,
    fail: (error: Error | undefined) => {
      failure = error
    },
    read: async (query: JournalQuery) => {
      queries.push(query)
      // What is read is what there was before the answer went on its way.
      const found = find(query)
      const error = failure
      await new Promise<void>((resolve) => answers.push(resolve))
      if (error) throw error
      return found
    },
    async answer() {
      answers.shift()?.()
      await vi.advanceTimersByTimeAsync(0)
    },
    async answerAll() {
      while (answers.length > 0) await this.answer()
      await vi.advanceTimersByTimeAsync(200)
    },
  }
}

function follow(journal: ReturnType<typeof startJournal>, filter: JournalFilter = {}, options = {}) {
  const log = createEventLog()
  const told: FollowerStatus[] = []
  const follower = createJournalFollower({
    log,
    filter,
    read: journal.read,
    onStatus: (status) => told.push(status),
    ...options,
  })
  const seqs = () => log.view().events.map(({ seq }) => seq)
  return { follower, log, told, seqs }
}

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at)

describe('createJournalFollower', () => {
  it('A14: shows the newest events, then what happens, and nothing twice', async () => {
    const journal = startJournal(1500)
    const { follower, seqs, told } = follow(journal)
    follower.receive(journal.write()) // written before the answer arrives, and not in it
    await journal.answerAll()
    follower.receive(journal.write())
    await vi.advanceTimersByTimeAsync(200)
    expect(seqs()).toEqual(range(501, 1502))
    expect(told).toEqual(['following'])
    follower.stop()
  })

  it('A14: has neither gaps nor doubles, however answers, events and lost connections follow each other', async () => {
    const step = fc.constantFrom('write', 'lose', 'answer', 'reconnect', 'time')
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const journal = startJournal(5)
        const { follower, seqs } = follow(journal)
        let missed: JournalEvent[] = []
        for (const each of steps) {
          if (each === 'write' && missed.length === 0) follower.receive(journal.write())
          else if (each === 'lose' || each === 'write') missed.push(journal.write())
          else if (each === 'answer') await journal.answer()
          else if (each === 'time') await vi.advanceTimersByTimeAsync(200)
          else {
            // half of what was missed comes again by the connection, all of it by reading
            follower.catchUp()
            for (const event of missed.slice(missed.length / 2)) follower.receive(event)
            missed = []
          }
        }
        follower.catchUp()
        await journal.answerAll()
        expect(seqs()).toEqual(range(1, journal.events.length))
        follower.stop()
      }),
      { numRuns: 60 },
    )
  })

  it('A14: keeps to its filter, for what was and for what happens', async () => {
    const journal = startJournal(50)
    const { follower, seqs } = follow(journal, { types: ['task.failed'], runId: 'r1' })
    await journal.answerAll()
    for (let count = 0; count < 50; count += 1) follower.receive(journal.write())
    await vi.advanceTimersByTimeAsync(200)
    expect(seqs()).toEqual([10, 40, 70, 100])
    follower.stop()
  })

  it('A14: reads what was before in longer and longer stretches, and knows the beginning', async () => {
    const journal = startJournal(8000, (seq) => (seq < 3 ? 'skill.changed' : 'task.created'))
    const { follower, seqs } = follow(journal, { types: ['skill.changed', 'nothing'] })
    await journal.answerAll()
    expect(seqs()).toEqual([1, 2]) // the newest of that kind

    const all = follow(journal)
    await journal.answerAll()
    expect(follower.hasOlder()).toBe(false)
    expect(all.follower.hasOlder()).toBe(true)
    const more = all.follower.loadOlder()
    await journal.answerAll()
    await more
    expect(all.seqs()).toEqual(range(6001, 8000))
    follower.stop()
    all.follower.stop()
  })

  it('starts again when its numbers are those of another journal', async () => {
    const old = startJournal(100)
    const { follower, seqs } = follow(old)
    follower.receive(old.write())
    await old.answerAll()
    old.events.length = 3
    follower.receive(old.write())
    await old.answerAll()
    expect(seqs()).toEqual([1, 2, 3, 4])
    follower.stop()
  })

  it('tells why the journal cannot be read, and goes on once it can', async () => {
    const journal = startJournal(3)
    journal.fail(new Error('down'))
    const { follower, seqs, told } = follow(journal)
    await journal.answerAll()
    expect(told).toEqual([{ error: new Error('down') }])
    journal.fail(undefined)
    follower.catchUp()
    await journal.answerAll()
    expect(seqs()).toEqual([1, 2, 3])
    expect(told.at(-1)).toBe('following')
    follower.stop()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('begins anew with the newest when it is far behind', async () => {
    const journal = startJournal(10)
    const { follower, seqs } = follow(journal, {}, { maxPagesBehind: 2 })
    await journal.answerAll()
    for (let count = 0; count < 3000; count += 1) journal.write()
    follower.catchUp()
    await journal.answerAll()
    expect(seqs()).toEqual(range(2011, 3010))
    follower.stop()
  })
})
