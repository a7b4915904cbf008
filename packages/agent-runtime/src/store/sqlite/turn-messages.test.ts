import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ConversationAppend } from '../ports/conversation-store.ts'
import type { RuntimeStore } from '../ports/runtime-store.ts'
import { appendOf, at, idsOf } from '../../testing/conformance-fixtures.ts'
import { createSqliteStore } from './index.ts'

let folder = ''
let path = ''
let store: RuntimeStore
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-turns-'))
  path = join(folder, 'agents.db')
  store = createSqliteStore({ path })
})
afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true })
})

/** What a run adds when it ends: ids that count on from its own. */
const turnOf = (runId: string, count: number, hours = 0): ConversationAppend => ({
  conversationId: 'c1',
  agentId: 'a1',
  messages: Array.from({ length: count }, (_, index) => ({
    id: `${runId}.${index}`,
    runId,
    message: { role: 'user', text: `${runId} says ${index}` },
  })),
  turnOf: runId,
  now: at(hours),
})

const conflict = expect.objectContaining({ code: 'conflict' }) as unknown

async function allIds(limit: number): Promise<string[]> {
  const found: string[] = []
  let cursor: string | undefined
  do {
    const page = await store.listMessages('c1', { limit, cursor })
    expect(page.rows.length).toBeLessThanOrEqual(limit)
    found.push(...idsOf(page.rows))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return found.toReversed()
}

it('A12: gives the messages of turns and single ones in their order, whatever the size of a page', async () => {
  const appends = [
    turnOf('r1', 3),
    appendOf(['m1', 'm2']),
    ...Array.from({ length: 9 }, (_, index) => turnOf(`r${index + 2}`, index + 1, index)),
    appendOf(['m3']),
  ]
  for (const append of appends) await store.appendMessages(append)
  const expected = appends.flatMap(({ messages }) => idsOf(messages))
  for (const limit of [1, 2, 3, 7, 50, 200]) expect(await allIds(limit)).toEqual(expected)
  const { rows } = await store.listMessages('c1', { limit: 2 })
  expect(rows[1]).toEqual({
    seq: 50,
    id: 'r10.8',
    runId: 'r10',
    message: { role: 'user', text: 'r10 says 8' },
    createdAt: at(8),
  })
  expect((await store.findConversation('c1'))?.messageCount).toBe(51)
})

it('A12: refuses an id that a turn has, and a turn that has the id of a single message', async () => {
  await store.appendMessages(turnOf('r1', 3))
  await store.appendMessages({ ...appendOf(['r2.1']) })
  for (const refused of [turnOf('r1', 3), turnOf('r1', 9), appendOf(['r1.2']), turnOf('r2', 2)]) {
    await expect(store.appendMessages(refused)).rejects.toEqual(conflict)
  }
  expect(await allIds(9)).toEqual(['r1.0', 'r1.1', 'r1.2', 'r2.1'])
  // Ids that only look like those of a turn, and those behind its end, are free.
  for (const free of [appendOf(['r1.02', 'r1.3', 'r1.x', 'r1.']), turnOf('r3', 1)]) {
    await store.appendMessages(free)
  }
  expect(await allIds(3)).toHaveLength(9)
})

it('A12: keeps a turn as one row, and deletes it with its conversation', async () => {
  await store.appendMessages(turnOf('r1', 40))
  const database = new DatabaseSync(path)
  const count = (table: string) => database.prepare(`select count(*) as count from ${table}`).get()
  expect([count('turn_messages'), count('messages')]).toEqual([{ count: 1 }, { count: 0 }])
  expect(await store.deleteConversation('c1')).toBe(true)
  expect(count('turn_messages')).toEqual({ count: 0 })
  database.close()
  await store.appendMessages(turnOf('r1', 2))
  expect(await allIds(9)).toEqual(['r1.0', 'r1.1'])
})

it.each([1, 2, 4, 5, 7])('cuts turns and single messages from number %i on', async (fromSeq) => {
  const appends = [turnOf('r1', 3), appendOf(['m1']), turnOf('r2', 2)]
  for (const append of appends) await store.appendMessages(append)
  const ids = appends.flatMap(({ messages }) => idsOf(messages))
  const found = await store.findConversation('c1')
  expect(await store.cutConversation({ id: 'c1', createdAt: found?.createdAt ?? '' }, fromSeq, at(1))).toBe(
    true,
  )
  expect(await allIds(9)).toEqual(ids.slice(0, fromSeq - 1))
  await store.appendMessages(turnOf('r9', 2))
  expect(await allIds(9)).toEqual([...ids.slice(0, fromSeq - 1), 'r9.0', 'r9.1'])
})
