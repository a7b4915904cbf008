import { expect, it } from 'vitest'
import {
  appendOf,
  at,
  finishOf,
  leaseOf,
  idsOf,
  journalOf,
  memoryOf,
  runOf,
  stepOf,
} from '../testing/conformance-fixtures.ts'
import { runtimeStoreConformance } from '../testing/runtime-store-conformance.ts'
import { createInMemoryStore } from './create-in-memory-store.ts'

for (const { name, run } of runtimeStoreConformance) {
  it(name, () => run({ create: async () => ({ store: createInMemoryStore() }) }))
}

it('forgets the oldest runs that have ended, and never one that goes on', async () => {
  const store = createInMemoryStore({ maxFinishedRuns: 2 })
  await store.insertRun(runOf('open', { idempotencyKey: 'open' }), leaseOf(), [])
  for (const id of ['r1', 'r2', 'r3']) {
    await store.insertRun(runOf(id, { idempotencyKey: id, createdAt: at(1) }), leaseOf(), [])
    await store.finishRun(finishOf(id))
  }
  expect(idsOf((await store.listRuns({}, { limit: 9 })).rows)).toEqual(['r3', 'r2', 'open'])
  expect(await store.findRun('r1')).toBeUndefined()
  expect((await store.insertRun(runOf('r4', { idempotencyKey: 'r1' }), leaseOf(), [])).created).toBe(true)
})

it('forgets the oldest events of the journal and goes on counting', async () => {
  const store = createInMemoryStore({ maxJournalEvents: 8 })
  for (let index = 0; index < 30; index += 1) await store.appendEvents([journalOf('r')])
  const numbers = (await store.listEvents({ limit: 99 })).map(({ seq }) => seq)
  expect(numbers.length).toBeLessThanOrEqual(10)
  expect(numbers.at(-1)).toBe(30)
  expect((await store.listEvents({ since: 0, limit: 2 })).map(({ seq }) => seq)).toEqual(numbers.slice(0, 2))
  expect((await store.listEvents({ since: 28, limit: 9 })).map(({ seq }) => seq)).toEqual([29, 30])
})

it('A11: removes memories that expired as others are written', async () => {
  const store = createInMemoryStore()
  for (let second = 0; second < 100; second += 1) {
    await store.writeMemory(
      memoryOf(`m${second}`, 'pear', { createdAt: at(second), expiresAt: at(second + 5) }),
    )
  }
  // Asked about a time when none had expired: only what was removed is missing.
  const found = await store.searchMemories({ text: 'pear', limit: 1000, now: at(0) })
  expect(found.length).toBeLessThan(10)
})

it('A12: a conversation keeps the turn of a run, told as the run kept it or otherwise, when the run is forgotten', async () => {
  const store = createInMemoryStore({ maxFinishedRuns: 1 })
  const expected: unknown[] = []
  for (const [place, isSame] of [true, false, true].entries()) {
    const id = `r${place}`
    const step = stepOf(id)
    const finish = finishOf(id)
    const own = [...step.messages, ...finish.messages]
    const messages = [{ role: 'user', text: id } as const, ...(isSame ? own : structuredClone(own))]
    const turn = messages.map((message, index) => ({ id: `${id}.${index}`, runId: id, message }))
    await store.insertRun(runOf(id), leaseOf(), [])
    await store.saveRunStep(step)
    await store.finishRun({
      ...finish,
      conversation: { ...appendOf([]), messages: turn, turnOf: id, now: at(place) },
    })
    expect(await store.listRunMessages(id)).toEqual(own)
    expect((await store.listRunEvents(id, 0)).map(({ firstSeq }) => firstSeq)).toEqual([1, 3])
    expected.push(...turn.map((message) => ({ ...message, createdAt: at(place) })))
    await expect(store.appendMessages(appendOf([`${id}.2`]))).rejects.toMatchObject({ code: 'conflict' })
  }
  expect(await store.findRun('r0')).toBeUndefined()
  const numbered = expected.map((message, index) => ({ ...(message as object), seq: index + 1 }))
  expect((await store.listMessages('c1', { limit: 99 })).rows).toEqual(numbered.toReversed())
  const page = await store.listMessages('c1', { limit: 4 })
  const { rows } = await store.listMessages('c1', { limit: 4, cursor: page.nextCursor })
  expect(rows).toEqual(numbered.slice(1, 5).toReversed())
})
