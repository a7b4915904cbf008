import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTestStore } from './create-test-store.ts'
import { openPairs } from '../store/postgres/testing/open-pairs.ts'
import { appendOf, at, finishOf, idsOf, leaseOf, memoryOf, readAll, runOf } from './conformance-fixtures.ts'

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  // Halves of characters, as a careless cut leaves them.
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
    .map((units) => String.fromCharCode(...units)),
  fc
    .array(
      fc.constantFrom(
        '"',
        "'",
        'AND',
        'OR',
        'NOT',
        'NEAR(',
        '(',
        ')',
        '*',
        '^',
        ':',
        'text',
        'scope',
        '-',
        '\0',
        'a',
        '猫',
      ),
    )
    .map((parts) => parts.join(' ')),
)

describe('the SQLite store', () => {
  it('A11: takes any text as memory, question and filter, and finds a memory by its own words', async () => {
    const store = createTestStore()
    let count = 0
    await fc.assert(
      fc.asyncProperty(anyText, anyText, async (text, filter) => {
        count += 1
        const memory = memoryOf(`m${count}`, text, { agentId: `a${count}`, userId: filter, tags: [filter] })
        await store.writeMemory(memory)
        const query = { limit: 5, now: at(1) }
        await store.searchMemories({ ...query, text })
        const scope = { agentId: `a${count}`, userId: filter, tags: [filter] }
        const found = await store.searchMemories({ ...query, text, ...scope })
        // What has no word at all cannot be found, nor what is vowel points and a stretch of them alone.
        if (/[\p{L}\p{N}]/u.test(text.normalize('NFKD').replaceAll('\u0640', '')))
          expect(found.map((match) => match.memory)).toEqual([memory])
        const own = await store.searchMemories({ ...query, text, ...scope, userId: `${filter}x` })
        expect(own).toEqual([])
      }),
      { numRuns: 200 },
    )
    await store.close()
  })

  it('shows every run once that was there at the start, in order, however others are added', async () => {
    const row = fc.record({ id: fc.stringMatching(/^[a-z0-9]{1,4}$/), second: fc.nat(4) })
    const rows = (maxLength: number) => fc.uniqueArray(row, { selector: ({ id }) => id, maxLength })
    await fc.assert(
      fc.asyncProperty(
        rows(30),
        rows(10),
        fc.integer({ min: 1, max: 7 }),
        async (before, meanwhile, limit) => {
          const store = createTestStore()
          const insert = (id: string, second: number) =>
            store.insertRun(runOf(id, { createdAt: at(second) }), leaseOf(), [])
          for (const { id, second } of before) await insert(id, second)
          const queue = [...meanwhile]
          const seen = await readAll(
            (cursor) => store.listRuns({}, { limit, cursor }),
            async () => {
              const next = queue.pop()
              if (next !== undefined) await insert(`${next.id}-added`, next.second)
            },
          )
          const expected = before
            .map(({ id, second }) => `${second} ${id}`)
            .toSorted()
            .toReversed()
            .map((text) => text.slice(2))
          const ids = idsOf(seen)
          expect(ids.filter((id) => !id.endsWith('-added'))).toEqual(expected)
          expect(new Set(ids).size).toBe(ids.length)
          await store.close()
        },
      ),
      { numRuns: 60 },
    )
  })

  it('A12: numbers messages without gaps, whatever appends and endings race', async () => {
    const append = fc.record({ count: fc.nat(3), finish: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(append, { maxLength: 12 }), async (appends) => {
        const store = createTestStore()
        for (const index of appends.keys()) await store.insertRun(runOf(`r${index}`), leaseOf(), [])
        await Promise.all(
          appends.map(({ count, finish }, index) => {
            const ids = Array.from({ length: count }, (_, place) => `${index}-${place}`)
            const conversation = appendOf(ids)
            if (finish) return store.finishRun(finishOf(`r${index}`, { conversation }))
            return store.appendMessages(conversation)
          }),
        )
        const messages = await readAll((cursor) => store.listMessages('c1', { limit: 3, cursor }))
        const total = appends.reduce((sum, { count }) => sum + count, 0)
        expect(messages.map(({ seq }) => seq).toReversed()).toEqual(
          Array.from({ length: total }, (_, n) => n + 1),
        )
        expect((await store.findConversation('c1'))?.messageCount ?? 0).toBe(total)
        await store.close()
      }),
      { numRuns: 60 },
    )
  })
})

it('A11: SQLite and Postgres rank alike while the index need not choose', async () => {
  const word = fc.constantFrom('red', 'blue', 'green', 'cat', 'dog', '猫', '東京', 'of', 'the')
  const text = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(' '))
  const pairs = await openPairs()
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 20 }), text, async (texts, question) => {
      await using pair = await pairs.open()
      const rankings = []
      for (const store of [pair.sqlite, pair.postgres]) {
        for (const [index, each] of texts.entries()) await store.writeMemory(memoryOf(`m${index}`, each))
        const found = await store.searchMemories({ text: question, limit: 50, now: at(1) })
        rankings.push(found.map(({ memory, score }) => `${score.toFixed(6)} ${memory.id}`).toSorted())
      }
      expect(rankings[1]).toEqual(rankings[0])
    }),
    { numRuns: 60 },
  )
  await pairs.close()
}, 120_000)
