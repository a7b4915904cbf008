import type { JournalEvent } from '@homeward/contract/agent-platform'
import { describe, expect, it, vi } from 'vitest'
import { createEventLog } from './event-log.ts'

const event = (seq: number, text = ''): JournalEvent => ({
  seq,
  type: 'agent.started',
  timestamp: '2026-01-01T00:00:00.000Z',
  data: { text },
})
const from = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => event(first + index))
const seqs = (log: ReturnType<typeof createEventLog>) => log.view().events.map(({ seq }) => seq)

describe('createEventLog', () => {
  it('keeps each event once, in order', () => {
    const log = createEventLog()
    log.append(from(5, 7))
    log.append(from(6, 9))
    log.prepend(from(3, 6))
    expect(seqs(log)).toEqual([3, 4, 5, 6, 7, 8, 9])
    expect(log.lastSeq).toBe(9)
  })

  it('lets the oldest go when there are too many, and says how many', () => {
    const log = createEventLog({ maxEvents: 3 })
    log.append(from(1, 5))
    expect(log.view()).toMatchObject({ dropped: 2 })
    expect(seqs(log)).toEqual([3, 4, 5])
    expect(log.isFull).toBe(true)
    log.prepend(from(1, 2))
    expect(seqs(log)).toEqual([3, 4, 5])
  })

  it('lets the oldest go when they are too large, but never the newest', () => {
    const log = createEventLog({ maxCharacters: 100 })
    log.append([event(1, 'x'.repeat(40)), event(2, 'x'.repeat(40)), event(3)])
    expect(seqs(log)).toEqual([2, 3])
    log.append([event(4, 'x'.repeat(1000))])
    expect(seqs(log)).toEqual([4])
  })

  it('takes only as many older events as there is room for, the newest of them', () => {
    const log = createEventLog({ maxEvents: 4 })
    log.append(from(10, 11))
    log.prepend(from(1, 9))
    expect(seqs(log)).toEqual([8, 9, 10, 11])
  })

  it('gives the same view until something changes, and then tells', () => {
    const log = createEventLog()
    const told = vi.fn()
    const stop = log.subscribe(told)
    const before = log.view()
    log.append([])
    log.prepend([])
    expect(log.view()).toBe(before)
    expect(told).not.toHaveBeenCalled()
    log.append(from(1, 2))
    expect(before.events).toEqual([])
    expect(told).toHaveBeenCalledOnce()
    stop()
    log.clear()
    expect(told).toHaveBeenCalledOnce()
    expect(log.view().events).toEqual([])
  })
})
