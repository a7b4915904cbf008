import { array, assert, double, integer, oneof, property, record } from 'fast-check'
import { expect, it } from 'vitest'
import type { NewJournalEvent } from '../store/ports/journal.ts'
import {
  addEvents,
  createJournalRecords,
  dropBefore,
  dropSurplus,
  readAfter,
  readBack,
} from './journal-records.ts'

const toEvent = (number: number): NewJournalEvent => ({
  type: number % 3 === 0 ? 'tool.called' : 'agent.started',
  timestamp: `2026-01-01T00:00:00.${String(Math.floor(number / 4) % 1000).padStart(3, '0')}Z`,
  ...(number % 5 > 0 && { runId: `run-${Math.floor(number / 50)}` }),
  data: { number, text: '世界 \ud800' },
})

const step = oneof(
  record({ add: integer({ min: 1, max: 150 }) }),
  record({ keep: integer({ min: 0, max: 300 }) }),
  record({ dropShare: double({ min: 0, max: 1, noNaN: true }) }),
)

it('holds what a plain list holds, whatever is added and dropped', () => {
  assert(
    property(array(step, { maxLength: 12 }), double({ min: 0, max: 1, noNaN: true }), (steps, share) => {
      const records = createJournalRecords()
      let first = 1
      for (const one of steps) {
        if ('add' in one) {
          const from = records.lastSeq + 1
          addEvents(
            records,
            Array.from({ length: one.add }, (_, index) => toEvent(from + index)),
          )
        } else if ('keep' in one) {
          dropSurplus(records, one.keep)
          first = Math.max(first, records.lastSeq - one.keep + 1)
        } else {
          first += Math.floor((records.lastSeq - first + 1) * one.dropShare)
          dropBefore(records, first)
        }
      }
      const all = Array.from({ length: records.lastSeq - first + 1 }, (_, index) => first + index)
      const expected = all.map((seq) => [seq, toEvent(seq)])
      expect(records.firstSeq).toBe(first)
      expect([...readBack(records)]).toEqual(expected.toReversed())
      const since = first - 1 + Math.floor(all.length * share)
      expect([...readAfter(records, since)]).toEqual(expected.filter(([seq]) => Number(seq) > since))
    }),
    { numRuns: 60 },
  )
})

it('lets go of what is dropped, and writes new blocks where those that are gone were written', () => {
  const records = createJournalRecords()
  const buffers = new Set<ArrayBufferLike>()
  for (let number = 1; number <= 5000; number += 1) {
    addEvents(records, [toEvent(number)])
    dropSurplus(records, 600)
    for (const { json } of records.blocks) buffers.add(json.buffer)
    expect(records.blocks.length).toBeLessThanOrEqual(3)
    expect(records.recent.length).toBeLessThan(256)
  }
  expect([...readAfter(records, 4997)].map(([seq]) => seq)).toEqual([4998, 4999, 5000])
  // what is longer than all before it needs a place of its own: numbers grow by a digit now and then
  expect(buffers.size).toBeLessThan(12)
})

it('drops single events before they are a block', () => {
  const records = createJournalRecords()
  addEvents(records, [1, 2, 3].map(toEvent))
  dropSurplus(records, 2)
  expect(records.recent).toHaveLength(2)
  expect([...readBack(records)]).toEqual([3, 2].map((number) => [number, toEvent(number)]))
})

it('goes on with its numbers when all is dropped, and more', () => {
  const records = createJournalRecords()
  addEvents(records, [1, 2, 3, 4].map(toEvent))
  dropBefore(records, 2)
  dropBefore(records, 100)
  expect([records.firstSeq, ...readBack(records)]).toEqual([5])
  addEvents(records, [toEvent(5)])
  dropBefore(records, 1)
  expect([...readAfter(records, 0)]).toEqual([[5, toEvent(5)]])
})
