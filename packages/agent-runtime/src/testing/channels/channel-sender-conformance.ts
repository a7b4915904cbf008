import type { MessageAcceptance } from '../../store/ports/channel-acceptance.ts'
import type { ChannelPeer, StoredSender } from '../../store/ports/channel-sender.ts'
import type { StoreHarness } from '../conformance-case.ts'
import { type ConformanceCase, race, expectSame } from '@homeward/kit/testing'
import { storeCase } from '../conformance-case.ts'
import type { ChannelConformanceStore } from './channel-fixtures.ts'
import { accept, acceptanceOf, deliveryClaim, endTasks, messageIds } from './channel-fixtures.ts'
import { at, oddText } from '../conformance-fixtures.ts'
import { claimOf } from '../tasks/task-fixtures.ts'

/** A person at channel `one`. */
export function peerOf(id: string, changes: Partial<ChannelPeer> = {}): ChannelPeer {
  return { channel: 'one', id, kind: 'person', name: oddText, ...changes }
}

/** A message of a sender that nobody knows, with a pairing code until second 60. */
export function knockOf(
  id: string,
  { code = `code ${id}`, until = at(60), peer = peerOf(id), maxPending = 3, second = 0 } = {},
): MessageAcceptance {
  const { entry, ...rest } = acceptanceOf(`${id} ${second}`, { conversationId: `c ${id}`, answer: oddText })
  const { taskId: _, ...message } = entry?.message ?? acceptanceOf(id).entry!.message
  return { ...rest, entry: { message }, knock: { peer, pairing: { code, until }, maxPending } }
}

/** A decision at second 5. */
export function decisionOf(id: string, status: 'allowed' | 'blocked', code?: string) {
  const journal = [{ type: 'channel.sender', timestamp: at(5), data: { sender_id: id } }] as const
  return { channel: 'one', id, status, now: at(5), journal, ...(code !== undefined && { code }) }
}

type Store = ChannelConformanceStore

const acceptAt = async (store: Store, second: number, ...acceptances: MessageAcceptance[]) => {
  const outcomes = await store.acceptMessages({ now: at(second), acceptances })
  return outcomes === 'changed' ? outcomes : outcomes?.map(({ kind }) => kind)
}
const idsAt = (senders: readonly StoredSender[]) => senders.map(({ id }) => id)

/** What a `ChannelStore` promises about the senders of messages, and about chats. */
export const channelSenderConformance: readonly ConformanceCase<StoreHarness<Store>>[] = [
  storeCase(
    'A1: an unknown sender is stored with the reply that holds its code, in one write',
    async (store) => {
      const raced = await race((index) =>
        acceptAt(store, 0, knockOf('s1', { second: index, code: `code ${index}` })),
      )
      expectSame(raced.flat().filter((kind) => kind === 'kept').length, 1, 'how many got a code')
      expectSame(
        raced.flat().filter((kind) => kind === 'silent').length,
        raced.length - 1,
        'how many got none',
      )
      const [sender, ...others] = await store.listChannelSenders('one')
      expectSame(others, [], 'other senders')
      const winner = raced.findIndex((kinds) => kinds?.[0] === 'kept')
      const expected = { status: 'pending', code: `code ${winner}`, codeUntil: at(60) }
      const seen = { firstSeenAt: at(0), lastSeenAt: at(0) }
      expectSame(sender, { ...peerOf('s1'), ...expected, ...seen }, 'the sender')
      const [delivery] = await store.claimDeliveries(deliveryClaim())
      expectSame(delivery?.message.answer, oddText, 'the reply')
      expectSame([delivery?.task, delivery?.message.taskId], [undefined, undefined], 'its task')
      expectSame(await store.claimTasks(claimOf()), [], 'what a worker takes')
      expectSame((await store.listEvents({ limit: 9 })).length, 1, 'how many events there are')
    },
  ),
  storeCase('A1: a sender gets another code once the last one has expired, and not before', async (store) => {
    expectSame(await acceptAt(store, 0, knockOf('s1')), ['kept'], 'the first message')
    const again = { code: 'other', until: at(120) }
    expectSame(await acceptAt(store, 59, knockOf('s1', { ...again, second: 59 })), ['silent'], 'before')
    expectSame(await acceptAt(store, 59, knockOf('s1', { ...again, second: 59 })), ['duplicate'], 'a copy')
    expectSame(await acceptAt(store, 60, knockOf('s1', { ...again, second: 60 })), ['kept'], 'then')
    const [sender] = await store.findChannelSenders('one', ['s1', 'nobody'])
    expectSame(
      [sender?.code, sender?.firstSeenAt, sender?.lastSeenAt],
      ['other', at(0), at(60)],
      'the sender',
    )
  }),
  storeCase(
    'A1: so many senders wait at the most, and the oldest without a valid code makes room',
    async (store) => {
      for (const [index, id] of ['s1', 's2', 's3'].entries()) {
        expectSame(
          await acceptAt(store, index, knockOf(id, { second: index, until: at(60 + index) })),
          ['kept'],
          id,
        )
      }
      expectSame(await acceptAt(store, 10, knockOf('s4', { second: 10 })), ['silent'], 'one too many')
      const group = peerOf('g1', { kind: 'group' })
      expectSame(await acceptAt(store, 10, knockOf('g1', { peer: group })), ['kept'], 'a group')
      const elsewhere = peerOf('s4', { channel: 'two' })
      expectSame(await acceptAt(store, 10, knockOf('x', { peer: elsewhere })), ['kept'], 'another channel')
      expectSame(await acceptAt(store, 61, knockOf('s4', { second: 61, until: at(99) })), ['kept'], 'later')
      expectSame(idsAt(await store.listChannelSenders('one')), ['s4', 'g1', 's3', 's2'], 'who waits')
      await store.decideChannelSender(decisionOf('s2', 'blocked'))
      expectSame(
        await acceptAt(store, 61, knockOf('s5', { second: 61, until: at(99) })),
        ['kept'],
        'a free place',
      )
    },
  ),
  storeCase('A1: a person is let in by a decision or by the code, and a code counts once', async (store) => {
    await acceptAt(store, 0, knockOf('s1'), knockOf('s2'), knockOf('s3', { until: at(5) }))
    const { code: _, codeUntil: __, ...known } = (await store.findChannelSenders('one', ['s1']))[0] ?? {}
    expectSame(
      await store.decideChannelSender(decisionOf('s1', 'allowed', 'wrong')),
      undefined,
      'a wrong code',
    )
    expectSame(
      await store.decideChannelSender(decisionOf('s3', 'allowed', 'code s3')),
      undefined,
      'an old code',
    )
    expectSame(
      await store.decideChannelSender(decisionOf('x', 'allowed', 'code s1')),
      undefined,
      'a stranger',
    )
    const race5 = await race(() => store.decideChannelSender(decisionOf('s1', 'allowed', 'code s1')))
    expectSame(race5.filter(Boolean), [{ ...known, status: 'allowed' }], 'who was let in')
    expectSame(
      (await store.decideChannelSender(decisionOf('s2', 'blocked')))?.status,
      'blocked',
      'one that was blocked',
    )
    const added = await store.decideChannelSender({ ...decisionOf('new', 'allowed'), kind: 'group' })
    const seen = { firstSeenAt: at(5), lastSeenAt: at(5) }
    expectSame(
      added,
      { channel: 'one', id: 'new', kind: 'group', status: 'allowed', ...seen },
      'one that is new',
    )
    expectSame((await store.listEvents({ limit: 99 })).length, 3 + 3, 'how many events there are')
    expectSame(idsAt(await store.findChannelSenders('two', ['s1'])), [], 'another channel')
    expectSame(
      await acceptAt(store, 70, knockOf('new', { second: 70, until: at(99) })),
      ['silent'],
      'a namesake',
    )
    expectSame(
      (await store.findChannelSenders('one', ['new']))[0]?.status,
      'allowed',
      'the one it is named like',
    )
  }),
  storeCase('A1: a person is told once that the agent can be used, in the private chat', async (store) => {
    const chatOf = (id: string, kind: 'person' | 'group' = 'person') => ({
      chat: { id: `c ${id}`, channel: 'one', target: { data: { to: id } }, peer: { id, kind } },
    })
    const { chat: _, ...withoutChat } = knockOf('s2')
    await acceptAt(store, 0, { ...knockOf('s1'), ...chatOf('s1') }, withoutChat)
    await acceptAt(store, 0, {
      ...knockOf('g1', { peer: peerOf('g1', { kind: 'group' }) }),
      ...chatOf('g1', 'group'),
    })
    const decide = (id: string, status: 'allowed' | 'blocked', welcome: string, code?: string) =>
      store.decideChannelSender({ ...decisionOf(id, status, code), welcome: { id: welcome, text: oddText } })
    await decide('s1', 'allowed', 'wrong code', 'wrong')
    await decide('s1', 'blocked', 'blocked')
    await race((index) => decide('s1', 'allowed', `w${index}`))
    await decide('s2', 'allowed', 'no chat')
    await decide('g1', 'allowed', 'a group')
    await decide('new', 'allowed', 'a stranger')
    const { rows } = await store.listChannelMessages({ channel: 'one' }, { limit: 20 })
    const told = rows.filter(({ answer, sender }) => answer === oddText && sender === undefined)
    expectSame(told.length, 1, 'how many were told')
    const expected = { channel: 'one', conversationId: 'c s1', text: oddText, target: { data: { to: 's1' } } }
    const { channel, conversationId, text, target } = told[0]!
    expectSame({ channel, conversationId, text, target }, expected, 'what was sent')
  }),
  storeCase('A1: nothing is kept if a sender has another status by now', async (store) => {
    const peer = peerOf('s1')
    const judged = (status?: StoredSender['status']) =>
      acceptanceOf('m1', {}, { senders: [{ peer, status }] })
    await store.decideChannelSender(decisionOf('s1', 'blocked'))
    expectSame(
      await acceptAt(store, 6, acceptanceOf('m0'), judged()),
      'changed',
      'a sender that is known now',
    )
    expectSame(await acceptAt(store, 6, judged('allowed')), 'changed', 'one that is blocked now')
    expectSame((await store.listChannelMessages({}, { limit: 9 })).rows, [], 'the messages')
    expectSame(await acceptAt(store, 7, judged('blocked')), ['kept'], 'the right one')
    const seen = { firstSeenAt: at(5), lastSeenAt: at(7) }
    expectSame(await store.listChannelSenders('one'), [{ ...peer, status: 'blocked', ...seen }], 'the sender')
  }),
  storeCase('A1: a message with its answer waits for no task of its conversation', async (store) => {
    await accept(store, acceptanceOf('m1'))
    const { entry, ...rest } = acceptanceOf('m2', { answer: 'now' })
    const { taskId: _, ...message } = entry?.message ?? acceptanceOf('m2').entry!.message
    await accept(store, { ...rest, entry: { message } })
    expectSame(messageIds(await store.claimDeliveries(deliveryClaim())), ['m2'], 'what is ready')
    await endTasks(store)
    expectSame(messageIds(await store.claimDeliveries(deliveryClaim())), ['m1'], 'what is ready then')
  }),
  storeCase('A1: a chat begins another conversation, and knows what works for it', async (store) => {
    expectSame(await store.findChatConversation('c1'), undefined, 'before')
    expectSame(await store.findChatWork('c1'), { count: 0 }, 'no work')
    const begins = { chat: 'c1', conversationId: 'other' }
    const first = { ...acceptanceOf('m1'), begins }
    await accept(store, first, acceptanceOf('m2'), acceptanceOf('m3', { conversationId: 'c2' }))
    await accept(store, { ...first, begins: { chat: 'c1', conversationId: 'of a copy' } })
    expectSame(await store.findChatConversation('c1'), 'other', 'the conversation')
    const work = await store.findChatWork('c1')
    expectSame([work.task?.id, work.count], ['task m1', 2], 'its work')
    await endTasks(store)
    expectSame(await store.findChatWork('c1'), { count: 0 }, 'when all has ended')
  }),
  storeCase('A1: a message cancels a task once, in the write that keeps it', async (store) => {
    await accept(store, acceptanceOf('m1'), acceptanceOf('m2', { conversationId: 'c2' }))
    const cancels = {
      taskId: 'task m1',
      toEvent: () => ({ type: 'task.failed', timestamp: at(1), data: {} }) as const,
    }
    const { entry: _, ...stop } = acceptanceOf('stop')
    const raced = await race(() => store.acceptMessages({ now: at(1), acceptances: [{ ...stop, cancels }] }))
    const kept = raced.flatMap((outcomes) => (outcomes === 'changed' ? [] : (outcomes ?? [])))
    const cancellations = kept.flatMap((one) => (one.kind === 'kept' ? (one.cancellation ?? []) : []))
    expectSame(
      cancellations.map(({ outcome }) => outcome),
      ['cancelled'],
      'what was cancelled',
    )
    expectSame((await store.findTask('task m1'))?.failure?.code, 'cancelled', 'the task')
    expectSame((await store.findTask('task m2'))?.status, 'queued', 'another task')
    expectSame((await store.listEvents({ limit: 9 })).length, 2 + 2, 'how many events there are')
  }),
]
