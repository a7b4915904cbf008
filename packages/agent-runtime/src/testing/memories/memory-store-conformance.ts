import type { MemoryFilter, MemoryQuery, MemoryStore } from '../../store/ports/memory-store.ts'
import type { StoreHarness } from '../conformance-case.ts'
import { type ConformanceCase, race, expectAborts, expectCode, expectSame } from '@homeward/kit/testing'
import { storeCase } from '../conformance-case.ts'
import { at, memoryOf } from '../conformance-fixtures.ts'
import { find, search, write } from './memory-conformance-store.ts'
import { memoryWordCases } from './memory-word-conformance.ts'

type Case = ConformanceCase<StoreHarness<MemoryStore>>

const filters: readonly Case[] = [
  storeCase('A11: filters by agent, user and all tags, and counts only what passes', async (store) => {
    const rows = [
      ['m1', 'a1', 'u1', ['x', 'y']],
      ['m2', 'a1', 'u2', ['x']],
      ['m3', 'a2', 'u1', ['y', 'x y']],
      ['m4', 'a1', undefined, []],
    ] as const
    for (const [id, agentId, userId, tags] of rows) {
      const changes = { agentId, tags, ...(userId !== undefined && { userId }) }
      await store.writeMemory(memoryOf(id, 'the same text', changes))
    }
    const list = async (changes: Partial<MemoryQuery>) =>
      (await find(store, 'same', changes)).toSorted().join(' ')
    expectSame(await list({}), 'm1 m2 m3 m4', 'all of them')
    expectSame(await list({ agentId: 'a1' }), 'm1 m2 m4', 'those of an agent')
    expectSame(await list({ agentId: 'A1' }), '', 'those of an agent with another spelling')
    expectSame(await list({ userId: 'u1' }), 'm1 m3', 'those of a user')
    expectSame(await list({ agentId: 'a1', userId: 'u1' }), 'm1', 'those of an agent and a user')
    expectSame(await list({ userId: null }), 'm4', 'those of nobody')
    expectSame(await list({ agentId: 'a2', userId: null }), '', 'those of an agent that are of nobody')
    expectSame(await list({ tags: ['x'] }), 'm1 m2', 'those with a tag')
    expectSame(await list({ tags: ['x', 'y'] }), 'm1', 'those with two tags')
    expectSame(await list({ tags: ['x y'] }), 'm3', 'those with a tag of two words')
    expectSame(await list({ tags: ['same'] }), '', 'those with a tag that is only in the text')
    expectSame(await list({ agentId: 'a1', tags: [] }), 'm1 m2 m4', 'no tags at all')
    expectSame(await find(store, 'a1 u1 x'), [], 'what is filtered by, as a question')
    expectSame(
      await find(store, 'same', { agentId: 'a1', limit: 2 }).then((ids) => ids.length),
      2,
      'the limit',
    )
  }),
  storeCase("A11: finds an agent's few memories among very many of another one", async (store) => {
    const crowd = Array.from({ length: 300 }, (_, index) =>
      memoryOf(`n${index}`, 'apple apple', { agentId: 'a2' }),
    )
    await Promise.all(crowd.map((memory) => store.writeMemory(memory)))
    await store.writeMemory(memoryOf('mine', `apple ${'and other things '.repeat(9)}`))
    expectSame(await find(store, 'apple', { agentId: 'a1', limit: 3 }), ['mine'], 'what was found')
    expectSame((await find(store, 'apple', { limit: 3 })).length, 3, 'the limit')
  }),
  storeCase(
    'A11: never finds what expired, and a write in between changes nothing about it',
    async (store) => {
      await store.writeMemory(memoryOf('short', 'pear', { expiresAt: at(10) }))
      await store.writeMemory(memoryOf('long', 'pear', { expiresAt: at(1000) }))
      await store.writeMemory(memoryOf('ever', 'pear'))
      const list = async (second: number) => (await find(store, 'pear', { now: at(second) })).toSorted()
      expectSame(await list(9.999), ['ever', 'long', 'short'], 'the list just before')
      expectSame(await list(10), ['ever', 'long'], 'the list then')
      await store.writeMemory(memoryOf('later', 'pear', { createdAt: at(500) }))
      expectSame(await list(500), ['ever', 'later', 'long'], 'the list after a write')
      expectSame(await list(1000), ['ever', 'later'], 'the list in the end')
    },
  ),
  storeCase('A11: deletes a memory once, however many deletions race', async (store) => {
    await write(store, { m1: 'plum', m2: 'plum jam' })
    const outcomes = await race(() => store.deleteMemory('m1'))
    expectSame(outcomes.filter(Boolean).length, 1, 'how many deletions succeeded')
    expectSame(await find(store, 'plum'), ['m2'], 'what is found')
    expectSame(await store.deleteMemory('nothing'), false, 'deleting none')
    await write(store, { m3: 'peach' })
    await store.deleteMemory('m3')
    await write(store, { m1: 'cherry' })
    expectSame(
      [await find(store, 'plum'), await find(store, 'cherry')],
      [['m2'], ['m1']],
      'a new one under the id',
    )
    expectSame(await find(store, 'peach'), [], 'what the words of a deleted one find')
  }),
  storeCase('A11: lists memories by pages, newest first, within a filter', async (store) => {
    const rows = [
      ['m1', { userId: 'u1', tags: ['x', 'y'] }],
      ['m2', { agentId: 'a2', tags: ['x'] }],
      ['m3', { userId: 'u1', trust: 'untrusted' }],
      ['m4', { expiresAt: at(5) }],
      ['m5', { tags: ['y'] }],
    ] as const
    for (const [id, changes] of rows)
      await store.writeMemory(memoryOf(id, 'a pear', { ...changes, embedding: Float32Array.of(1, 0) }))
    const read = async (filter: Partial<MemoryFilter>, limit = 2) => {
      const pages: string[] = []
      let cursor: string | undefined
      do {
        const page = await store.listMemories({ now: at(1), ...filter }, { limit, cursor })
        pages.push(page.rows.map(({ id }) => id).join(' '))
        cursor = page.nextCursor
      } while (cursor !== undefined)
      return pages.join(' | ')
    }
    expectSame(await read({}), 'm5 m4 | m3 m2 | m1', 'all of them')
    expectSame(await read({ now: at(5) }, 4), 'm5 m3 m2 m1', 'those that have not expired')
    expectSame(await read({ agentId: 'a1' }, 3), 'm5 m4 m3 | m1', 'those of an agent')
    expectSame(await read({ userId: 'u1' }, 1), 'm3 | m1', 'those of a user')
    expectSame(await read({ userId: null }), 'm5 m4 | m2', 'those of nobody')
    expectSame(await read({ tags: ['x', 'y'] }), 'm1', 'those with two tags')
    expectSame(await read({ tags: ['pear'] }), '', 'those with a tag that is only in the text')
    await store.deleteMemory('m5')
    const [first] = (await store.listMemories({ agentId: 'a1', now: at(5) }, { limit: 1 })).rows
    expectSame(first, memoryOf('m3', 'a pear', rows[2][1]), 'a row, without its vector')
  }),
  storeCase('A11: an id is taken once', async (store) => {
    await write(store, { m1: 'fig' })
    await expectCode(() => store.writeMemory(memoryOf('m1', 'date')), 'conflict', 'an id that is in use')
    expectSame([await find(store, 'fig'), await find(store, 'date')], [['m1'], []], 'what is found')
  }),
  storeCase('A11: gives a memory by its id, without its vector', async (store) => {
    const kept = memoryOf('m1', 'quince', { userId: 'u1', tags: ['x'], trust: 'untrusted' })
    await store.writeMemory({ ...kept, embedding: Float32Array.of(1, 0), embeddingModel: 'x/one' })
    await write(store, { m2: 'medlar' })
    expectSame(await store.findMemory('m1'), kept, 'the memory')
    expectSame(await store.findMemory('M1'), undefined, 'one with another spelling')
    await store.deleteMemory('m1')
    expectSame(await store.findMemory('m1'), undefined, 'one that was deleted')
  }),
]

const vectors: readonly Case[] = [
  storeCase('A11: joins nearness of vectors with the words, within the filter', async (store) => {
    const rows = [
      ['words', 'the car is red', [0, 1, 0]],
      ['near', 'an automobile', [0.9, 0.1, 0]],
      ['both', 'a car', [1, 0, 0]],
      ['far', 'a tree', [0, 0, 1]],
      ['plain', 'no vector here', undefined],
      ['other', 'a short one', [1, 0]],
    ] as const
    for (const [id, text, vector] of rows) {
      const embedding = vector === undefined ? {} : { embedding: Float32Array.from(vector) }
      await store.writeMemory(memoryOf(id, text, embedding))
    }
    const stranger = { agentId: 'a2', embedding: Float32Array.of(1, 0, 0) }
    await store.writeMemory(memoryOf('stranger', 'a car', stranger))
    await store.writeMemory(memoryOf('gone', 'x', { embedding: Float32Array.of(1, 0, 0), expiresAt: at(1) }))
    const query = { agentId: 'a1', embedding: Float32Array.of(1, 0, 0) }
    const found = await search(store, 'car', query)
    expectSame(found.map(({ memory }) => memory.id).toSorted(), ['both', 'near', 'words'], 'what was found')
    expectSame(found[0]?.memory, memoryOf('both', 'a car'), 'the best one')
    expectSame((await search(store, 'car', { ...query, limit: 1 })).length, 1, 'the limit')
    expectSame(await find(store, 'car', { agentId: 'a1' }).then((ids) => ids.length), 2, 'the words alone')
    const all = await find(store, 'nothing', { embedding: Float32Array.of(1, 0, 0) })
    expectSame(all.toSorted(), ['both', 'near', 'stranger'], 'the vectors alone, without a filter')
  }),
  storeCase('A11: vectors of another model count by their words alone', async (store) => {
    const embedding = Float32Array.of(1, 0)
    await store.writeMemory(memoryOf('old', 'a pear', { embedding, embeddingModel: 'x/one' }))
    await store.writeMemory(memoryOf('new', 'a plum', { embedding, embeddingModel: 'x/two' }))
    await store.writeMemory(memoryOf('unknown', 'a fig', { embedding }))
    const query = { embedding, embeddingModel: 'x/two' }
    const near = await find(store, 'nothing', query)
    expectSame(near.toSorted(), ['new', 'unknown'], 'what the vector finds')
    const found = await search(store, 'pear', query)
    expectSame(found.map(({ memory }) => memory.id).toSorted(), ['new', 'old', 'unknown'], 'with words')
    const old = found.find(({ memory }) => memory.id === 'old')
    expectSame(old?.memory, memoryOf('old', 'a pear'), 'what comes without its vector')
    const any = await find(store, 'nothing', { embedding })
    expectSame(any.toSorted(), ['new', 'old', 'unknown'], 'what a vector of no known model finds')
  }),
  storeCase('a memory does not change with the objects it was given or gave', async (store) => {
    const tags = ['x']
    const embedding = Float32Array.of(1, 0)
    await store.writeMemory(memoryOf('m1', 'grape', { tags, embedding }))
    tags.push('y')
    embedding.set([0, 1])
    const [found] = await search(store, 'grape', { embedding: Float32Array.of(1, 0) })
    expectSame(found?.memory.tags, ['x'], 'the tags')
    expectSame(
      await find(store, 'melon', { embedding: Float32Array.of(1, 0) }),
      ['m1'],
      'what the vector finds',
    )
  }),
  storeCase('verbs on memories give up when their signal has aborted', async (store) => {
    await write(store, { m1: 'lemon' })
    await expectAborts({
      writeMemory: (signal) => store.writeMemory(memoryOf('m2', 'lemon'), signal),
      searchMemories: (signal) => store.searchMemories({ text: 'lemon', limit: 9, now: at(1) }, signal),
      findMemory: (signal) => store.findMemory('m1', signal),
      listMemories: (signal) => store.listMemories({ now: at(1) }, { limit: 9 }, signal),
      deleteMemory: (signal) => store.deleteMemory('m1', signal),
    })
    expectSame(await find(store, 'lemon'), ['m1'], 'what is found afterwards')
  }),
  storeCase('memories are still found when the storage is opened again', async (store, { reopen }) => {
    await store.writeMemory(memoryOf('m1', 'mango', { tags: ['x'], embedding: Float32Array.of(1, 2) }))
    await store.writeMemory(memoryOf('m2', 'mango mango', { expiresAt: at(1) }))
    const before = await search(store, 'mango')
    if (reopen === undefined) return
    const again = await reopen()
    expectSame(await search(again, 'mango'), before, 'what is found')
    expectSame(
      await find(again, 'kiwi', { embedding: Float32Array.of(1, 2) }),
      ['m1'],
      'what the vector finds',
    )
  }),
]

/**
 * Conformance cases for a `MemoryStore`, for any test runner.
 *
 * @example
 * for (const { name, run } of memoryStoreConformance) it(name, () => run({ create: async () => ({ store: createMyStore() }) }))
 */
export const memoryStoreConformance: readonly Case[] = [...memoryWordCases, ...filters, ...vectors]
