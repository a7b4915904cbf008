import type { ConversationStore } from '../ports/conversation-store.ts'
import { RuntimeError } from '../runtime-error.ts'
import type { ConformanceCase, StoreHarness } from './conformance-case.ts'
import { race, storeCase } from './conformance-case.ts'
import { expectCode, expectSame } from './conformance-expect.ts'
import { appendOf, at, idsOf } from './conformance-fixtures.ts'

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
