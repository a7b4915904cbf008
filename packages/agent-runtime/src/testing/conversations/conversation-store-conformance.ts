import { ownId } from '../../store/own-conversation.ts'
import type { ConversationStore } from '../../store/ports/conversation-store.ts'
import type { StoreHarness } from '../conformance-case.ts'
import { type ConformanceCase, race, expectAborts, expectCode, expectSame } from '@homeward/kit/testing'
import { storeCase } from '../conformance-case.ts'
import { appendOf, at, idsOf, messageOf, oddText, readAll } from '../conformance-fixtures.ts'
import { ownerCases } from './conversation-owner-conformance.ts'

type Case = ConformanceCase<StoreHarness<ConversationStore>>

/** The conversation that most cases begin. */
const c1 = { id: 'c1', createdAt: at(0) } as const

const allMessages = async (store: ConversationStore, id = 'c1', limit = 100) =>
  readAll((cursor) => store.listMessages(id, { limit, cursor }))

const writing: readonly Case[] = [
  storeCase('A12: makes a conversation with its first messages and gives both back', async (store) => {
    const toolCall = { type: 'tool_call', id: 'k', name: 't', args: { odd: oddText } } as const
    const reply = { id: 'm2', runId: 'r1', message: { role: 'assistant', parts: [toolCall] } } as const
    const result = { id: 'k', name: 't', result: [1, null] }
    const answer = { id: 'm3', message: { role: 'tool', results: [result] } } as const
    const messages = [messageOf('m1', oddText), reply, answer]
    await store.appendMessages(appendOf([], { userId: 'u1', title: oddText, messages }))
    const expected = messages.map((message, index) => ({ ...message, seq: index + 1, createdAt: at(0) }))
    expectSame(await allMessages(store), expected.toReversed(), 'the messages')
    const { id, agentId, userId, title } = { id: 'c1', agentId: 'a1', userId: 'u1', title: oddText }
    const counts = { summarizedSeq: 0, messageCount: 3, createdAt: at(0), updatedAt: at(0) }
    expectSame(
      await store.findConversation('c1'),
      { id, agentId, userId, title, ...counts },
      'the conversation',
    )
    expectSame(await store.setConversationTitle('c1', null, at(8)), true, 'a title that is taken away')
    expectSame('title' in ((await store.findConversation('c1')) ?? {}), false, 'a title')
    expectSame(await store.findConversation('c2'), undefined, 'another conversation')
    expectSame((await store.listMessages('c2', { limit: 9 })).rows, [], 'the messages of another one')
  }),
  storeCase('A12: what a conversation has at its start stays', async (store) => {
    await store.appendMessages(appendOf(['m1'], { userId: 'u1', title: 'first' }))
    await store.appendMessages(appendOf(['m2'], { userId: 'u1', title: 'second', now: at(5) }))
    await store.appendMessages(appendOf(['m3'], { now: at(3) }))
    const found = await store.findConversation('c1')
    expectSame([found?.agentId, found?.userId, found?.title], ['a1', 'u1', 'first'], 'what it has')
    const times = [found?.messageCount, found?.createdAt, found?.updatedAt]
    expectSame(times, [3, at(0), at(5)], 'the count and the times')
  }),
  storeCase('A12: numbers messages without gaps, however many appends race', async (store) => {
    await race((index) => store.appendMessages(appendOf([`${index}a`, `${index}b`, `${index}c`])))
    const messages = (await allMessages(store)).toReversed()
    expectSame(
      messages.map(({ seq }) => seq),
      Array.from({ length: 24 }, (_, index) => index + 1),
      'the numbers',
    )
    for (let start = 0; start < 24; start += 3) {
      const ids = idsOf(messages.slice(start, start + 3))
      const index = ids[0]?.slice(0, 1) ?? ''
      expectSame(ids, [`${index}a`, `${index}b`, `${index}c`], 'the messages of one append')
    }
    expectSame((await store.findConversation('c1'))?.messageCount, 24, 'the count')
  }),
  storeCase('A12: appends all messages or none', async (store) => {
    await store.appendMessages(appendOf(['m1']))
    for (const ids of [
      ['m2', 'm1'],
      ['m3', 'm3'],
    ]) {
      const append = appendOf(ids, { now: at(9) })
      await expectCode(() => store.appendMessages(append), 'conflict', 'an id that is in use')
    }
    expectSame(idsOf(await allMessages(store)), ['m1'], 'the messages')
    expectSame((await store.findConversation('c1'))?.updatedAt, at(0), 'the time')
    const append = appendOf(['x', 'x'], { conversationId: 'c2' })
    await expectCode(() => store.appendMessages(append), 'conflict', 'an id that comes twice')
    expectSame(await store.findConversation('c2'), undefined, 'a conversation that was not made')
    await store.appendMessages(appendOf(['m1'], { conversationId: 'c2' }))
    expectSame(idsOf(await allMessages(store, 'c2')), ['m1'], 'the same id in another conversation')
  }),
  storeCase('A12: sets a title', async (store) => {
    expectSame(await store.setConversationTitle('c1', 'new', at(1)), false, 'a title for none')
    await store.appendMessages(appendOf(['m1'], { title: 'old' }))
    expectSame(await store.setConversationTitle('c1', oddText, at(7)), true, 'a title')
    const found = await store.findConversation('c1')
    expectSame(
      [found?.title, found?.updatedAt, found?.createdAt],
      [oddText, at(7), at(0)],
      'the conversation',
    )
  }),
  storeCase('A12: keeps the summary that reaches farthest, whatever comes late', async (store) => {
    expectSame(await store.saveSummary(c1, 'none', 1), false, 'a summary of none')
    await store.appendMessages(appendOf(['m1', 'm2', 'm3', 'm4']))
    const read = async () => {
      const found = await store.findConversation('c1')
      return [found?.summary, found?.summarizedSeq]
    }
    expectSame(await store.saveSummary(c1, 'two', 2), true, 'a summary')
    expectSame(await read(), ['two', 2], 'the first summary')
    expectSame(await store.saveSummary(c1, 'three', 3), true, 'a longer one')
    expectSame(await store.saveSummary(c1, 'late', 2), true, 'a late one')
    expectSame(await read(), ['three', 3], 'the summary after a late one')
    expectSame(await store.saveSummary(c1, 'beyond', 99), true, 'one beyond the end')
    expectSame(await read(), ['beyond', 4], 'the summary after it')
    await race((index) => store.saveSummary(c1, `s${index}`, 4))
    expectSame(idsOf(await allMessages(store)), ['m4', 'm3', 'm2', 'm1'], 'the messages: nothing is deleted')
  }),
  storeCase(
    'A12: a conversation that began anew under its id keeps no summary of the old one',
    async (store) => {
      await store.appendMessages(appendOf(['m1', 'm2']))
      await store.deleteConversation('c1')
      await store.appendMessages(appendOf(['m3', 'm4'], { now: at(1) }))
      expectSame(await store.saveSummary(c1, 'the old one', 2), false, 'a late summary of the old one')
      const found = await store.findConversation('c1')
      expectSame([found?.summary, found?.summarizedSeq], [undefined, 0], 'what stands for the messages')
      expectSame(await store.saveSummary({ ...c1, createdAt: at(1) }, 'the new one', 2), true, 'its own')
    },
  ),
  storeCase('cuts a conversation from a message on, with a summary that covers it', async (store) => {
    expectSame(await store.cutConversation(c1, 1, at(1)), false, 'a cut of none')
    await store.appendMessages(appendOf(['m1', 'm2', 'm3', 'm4']))
    await store.appendMessages(appendOf(['m1', 'm2'], { conversationId: 'c2' }))
    await store.saveSummary(c1, 'two', 2)
    const read = async () => {
      const { summary, summarizedSeq, messageCount } = (await store.findConversation('c1')) ?? {}
      return [summary, summarizedSeq, messageCount, idsOf(await allMessages(store))]
    }
    expectSame(await store.cutConversation({ ...c1, createdAt: at(5) }, 1, at(6)), false, 'one that is gone')
    expectSame(await store.cutConversation(c1, 9, at(7)), true, 'a cut behind the end')
    expectSame(await read(), ['two', 2, 4, ['m4', 'm3', 'm2', 'm1']], 'what a cut behind the end leaves')
    expectSame(await store.cutConversation(c1, 3, at(7)), true, 'a cut')
    expectSame(await read(), ['two', 2, 2, ['m2', 'm1']], 'what is left')
    expectSame((await store.findConversation('c1'))?.updatedAt, at(7), 'when it changed')
    await store.appendMessages(appendOf(['m5']))
    expectSame((await allMessages(store))[0]?.seq, 3, 'the next number')
    expectSame(await store.cutConversation(c1, 2, at(8)), true, 'a cut into the summary')
    expectSame(await read(), [undefined, 0, 1, ['m1']], 'what is left of it')
    await store.appendMessages(appendOf(['r1.0', 'r1.1'], { turnOf: 'r1' }))
    expectSame(await store.cutConversation(c1, 2, at(8)), true, 'a cut of a turn')
    expectSame(await read(), [undefined, 0, 1, ['m1']], 'what is left of the turn')
    expectSame((await store.findConversation('c2'))?.messageCount, 2, 'another conversation')
  }),
  storeCase('A12: deletes a conversation with its messages, once', async (store) => {
    await store.appendMessages(appendOf(['m1', 'm2']))
    await store.appendMessages(appendOf(['m1'], { conversationId: 'c2' }))
    const outcomes = await race(() => store.deleteConversation('c1'))
    expectSame(outcomes.filter(Boolean).length, 1, 'how many deletions succeeded')
    expectSame(await store.findConversation('c1'), undefined, 'the conversation')
    expectSame(await allMessages(store), [], 'its messages')
    expectSame(idsOf(await allMessages(store, 'c2')), ['m1'], 'the messages of another one')
    await store.appendMessages(appendOf(['m9'], { now: at(5) }))
    const again = (await allMessages(store)).map(({ id, seq }) => [id, seq])
    expectSame(again, [['m9', 1]], 'a new conversation under the id')
  }),
]

const reading: readonly Case[] = [
  storeCase('A12: lists conversations newest first, then by id, by agent and user', async (store) => {
    const rows = [
      ['c', 1, 'a1', 'u1'],
      ['b', 2, 'a1', 'u2'],
      ['a', 2, 'a1', undefined],
      ['d', 0, 'a2', 'u1'],
    ] as const
    for (const [conversationId, second, agentId, userId] of rows) {
      const changes = { conversationId, agentId, now: at(second), ...(userId !== undefined && { userId }) }
      await store.appendMessages(appendOf(['m'], changes))
    }
    await store.setConversationTitle('d', 'touched', at(9))
    const list = async (filter: Parameters<typeof store.listConversations>[0]) => {
      const pages = await readAll((cursor) => store.listConversations(filter, { limit: 2, cursor }))
      return idsOf(pages).join('')
    }
    expectSame(await list({}), 'dabc', 'all of them')
    expectSame(await list({ agentId: 'a1' }), 'abc', 'those of an agent')
    expectSame(await list({ userId: 'u1' }), 'dc', 'those of a user')
    expectSame(await list({ agentId: 'a1', userId: 'u1' }), 'c', 'those of an agent and a user')
    expectSame(await list({ agentId: 'a3' }), '', 'those of another agent')
    expectSame(await list({ agentIds: ['a3', 'a2'] }), 'd', 'those of some agents')
    expectSame(await list({ agentIds: [] }), '', 'those of no agent')
    for (const userId of ['u1', 'u2'])
      await store.appendMessages(appendOf(['m'], { conversationId: ownId('a', userId), userId, now: at(20) }))
    const chosen = await store.listConversations({ chosenId: 'a' }, { limit: 9 })
    const users = new Set(chosen.rows.map(({ userId }) => userId))
    expectSame([users.has('u1'), users.has('u2'), users.size], [true, true, 2], 'those that users call so')
  }),
  storeCase('A12: pages through messages, newest first, while others are added', async (store) => {
    await store.appendMessages(appendOf(['m1', 'm2', 'm3', 'm4', 'm5']))
    const first = await store.listMessages('c1', { limit: 2 })
    expectSame(idsOf(first.rows), ['m5', 'm4'], 'the first page')
    const add = (pages: number) => store.appendMessages(appendOf([`late${pages}`]))
    const seen = await readAll((cursor) => store.listMessages('c1', { limit: 2, cursor }), add)
    expectSame(idsOf(seen), ['m5', 'm4', 'm3', 'm2', 'm1'], 'all pages')
    const exact = await store.listMessages('c1', { limit: 8 })
    expectSame([exact.rows.length, exact.nextCursor], [8, undefined], 'a page that just holds everything')
  }),
  storeCase(
    'A12: shows each conversation that stays where it is once, while others are added',
    async (store) => {
      for (const id of ['a', 'b', 'c', 'd', 'e']) {
        await store.appendMessages(appendOf(['m'], { conversationId: id, now: at(1) }))
      }
      const add = (pages: number) =>
        store.appendMessages(appendOf(['m'], { conversationId: `z${pages}`, now: at(1 + pages) }))
      const seen = await readAll((cursor) => store.listConversations({}, { limit: 2, cursor }), add)
      expectSame(idsOf(seen), ['a', 'b', 'c', 'd', 'e'], 'all pages')
    },
  ),
  storeCase('refuses a cursor that it did not give', async (store) => {
    await store.appendMessages(appendOf(['m1']))
    for (const cursor of ['nonsense', '', 'W10', 'WzEsMl0', "' or 1 --"]) {
      await expectCode(
        () => store.listConversations({}, { limit: 2, cursor }),
        'validation_error',
        'a strange cursor of conversations',
      )
      await expectCode(
        () => store.listMessages('c1', { limit: 2, cursor }),
        'validation_error',
        'a strange cursor of messages',
      )
    }
  }),
  storeCase('verbs on conversations give up when their signal has aborted', async (store) => {
    await store.appendMessages(appendOf(['m1'], { title: 'old' }))
    const before = await store.findConversation('c1')
    await expectAborts({
      appendMessages: (signal) => store.appendMessages(appendOf(['m2']), signal),
      findConversation: (signal) => store.findConversation('c1', signal),
      listConversations: (signal) => store.listConversations({}, { limit: 9 }, signal),
      listMessages: (signal) => store.listMessages('c1', { limit: 9 }, signal),
      setConversationTitle: (signal) => store.setConversationTitle('c1', 'new', at(1), signal),
      saveSummary: (signal) => store.saveSummary(c1, 'sum', 1, signal),
      cutConversation: (signal) => store.cutConversation(c1, 1, at(1), signal),
      deleteConversation: (signal) => store.deleteConversation('c1', signal),
    })
    expectSame(await store.findConversation('c1'), before, 'the conversation afterwards')
    expectSame(idsOf(await allMessages(store)), ['m1'], 'its messages afterwards')
  }),
  storeCase('conversations are still there when the storage is opened again', async (store, { reopen }) => {
    await store.appendMessages(appendOf(['m1', 'm2'], { title: 'kept' }))
    await store.saveSummary(c1, 'sum', 1)
    const before = [await store.findConversation('c1'), await allMessages(store)]
    if (reopen === undefined) return
    const again = await reopen()
    expectSame([await again.findConversation('c1'), await allMessages(again)], before, 'what there is')
    await again.appendMessages(appendOf(['m3']))
    expectSame((await allMessages(again))[0]?.seq, 3, 'the next number')
  }),
]

/**
 * Conformance cases for a `ConversationStore`, for any test runner.
 *
 * @example
 * for (const { name, run } of conversationStoreConformance) it(name, () => run({ create: async () => ({ store: createMyStore() }) }))
 */
export const conversationStoreConformance: readonly Case[] = [...writing, ...ownerCases, ...reading]
