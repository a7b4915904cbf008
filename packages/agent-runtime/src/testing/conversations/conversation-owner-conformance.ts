import type { ConversationStore } from '../../store/ports/conversation-store.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { StoreHarness } from '../conformance-case.ts'
import { type ConformanceCase, race, expectCode, expectSame } from '@homeward/kit/testing'
import { storeCase } from '../conformance-case.ts'
import { appendOf, at, idsOf } from '../conformance-fixtures.ts'

const stateOf = async (store: ConversationStore) => [
  await store.findConversation('c1'),
  idsOf((await store.listMessages('c1', { limit: 99 })).rows).toReversed(),
]

/** Whose a conversation is. */
export const ownerCases: readonly ConformanceCase<StoreHarness<ConversationStore>>[] = [
  storeCase('A12: appends nothing to a conversation of another agent or user', async (store) => {
    await store.appendMessages(appendOf(['m1'], { userId: 'u1' }))
    const before = await stateOf(store)
    for (const foreign of [{ agentId: 'a2' }, { userId: 'u2' }, { agentId: 'a2', userId: 'u1' }]) {
      const append = appendOf(['m2'], { now: at(9), ...foreign })
      await expectCode(() => store.appendMessages(append), 'not_found', 'messages of another one')
    }
    expectSame(await stateOf(store), before, 'the conversation afterwards')
    await store.appendMessages(appendOf(['m3'], { userId: 'u1' }))
    await store.appendMessages(appendOf(['m4']))
    await store.appendMessages(appendOf(['n1'], { conversationId: 'c2' }))
    await store.appendMessages(appendOf(['n2'], { conversationId: 'c2', userId: 'u2' }))
    expectSame((await stateOf(store))[1], ['m1', 'm3', 'm4'], 'its own messages, and those of nobody')
    expectSame((await store.findConversation('c2'))?.messageCount, 2, 'the messages in one of nobody')
  }),
  storeCase(
    'A12: goes on with the conversation that was meant, and makes none in its place',
    async (store) => {
      await store.appendMessages(appendOf(['m1'], { userId: 'u1' }))
      const goOn = (id: string, changes = {}) =>
        store.appendMessages(
          appendOf([id], { userId: 'u1', conversationCreatedAt: at(0), now: at(9), ...changes }),
        )
      await goOn('m2')
      await goOn('m3', { userId: undefined })
      await goOn('m4', { now: at(5) })
      const found = await store.findConversation('c1')
      expectSame(
        [found?.messageCount, found?.updatedAt, found?.createdAt],
        [4, at(9), at(0)],
        'the conversation',
      )
      await expectCode(() => goOn('m5', { userId: 'u2' }), 'not_found', 'messages of another user')
      await expectCode(() => goOn('m5', { agentId: 'a2' }), 'not_found', 'messages of another agent')
      await expectCode(() => goOn('m1'), 'conflict', 'an id that is in use')
      expectSame((await stateOf(store))[1], ['m1', 'm2', 'm3', 'm4'], 'its messages')
      await store.deleteConversation('c1')
      await expectCode(() => goOn('m5'), 'not_found', 'messages for one that was deleted')
      expectSame(await stateOf(store), [undefined, []], 'the deleted conversation')
      await store.appendMessages(appendOf(['n1'], { now: at(8) }))
      await expectCode(() => goOn('m5'), 'not_found', 'messages for one that began anew')
      expectSame((await stateOf(store))[1], ['n1'], 'the messages of the new one')
      await store.appendMessages(appendOf(['n2'], { conversationCreatedAt: at(8), now: at(9) }))
      await store.appendMessages(appendOf(['n3'], { userId: 'u2', conversationCreatedAt: at(8), now: at(9) }))
      expectSame(
        (await stateOf(store))[1],
        ['n1', 'n2', 'n3'],
        'messages that go on with the new one, of nobody',
      )
    },
  ),
  storeCase(
    'A12: a new conversation is of one agent and user, however many begin it at once',
    async (store) => {
      const ownerOf = (index: number) => ({ agentId: `a${index % 4}`, userId: index < 4 ? 'u1' : 'u2' })
      const codes = await race(async (index) => {
        try {
          await store.appendMessages(appendOf([`m${index}`], ownerOf(index)))
          return 'appended'
        } catch (error) {
          if (RuntimeError.is(error)) return error.code
          throw error
        }
      })
      const winner = codes.indexOf('appended')
      const expected = codes.map((_, index) => (index === winner ? 'appended' : 'not_found'))
      expectSame(codes, expected, 'how the appends ended')
      const found = await store.findConversation('c1')
      expectSame({ agentId: found?.agentId, userId: found?.userId }, ownerOf(winner), 'whose it is')
      expectSame((await stateOf(store))[1], [`m${winner}`], 'its messages')
    },
  ),
]
