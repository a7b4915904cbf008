import { expect, it } from 'vitest'
import { journalOf } from '../testing/conformance-fixtures.ts'
import { createInMemoryStore } from './create-in-memory-store.ts'

it('keeps as many of the newest events as it is told to', async () => {
  const store = createInMemoryStore({ maxJournalEvents: 3 })
  for (let index = 0; index < 4; index += 1) await store.appendEvents([journalOf('r'), journalOf('r')])
  expect((await store.listEvents({ limit: 99 })).map(({ seq }) => seq)).toEqual([6, 7, 8])
})

it('A14: tells those who follow it of events that have come, and of nothing when none have', async () => {
  const store = createInMemoryStore()
  const told: unknown[] = []
  store.subscribe((signal) => told.push(signal))
  await store.appendEvents([])
  expect(told).toEqual([])
  await store.appendEvents([journalOf('r')])
  expect(told).toEqual([{ topic: 'journal' }])
})
