import type { StoreHarness } from '../conformance-case.ts'
import { type ConformanceCase, race, expectSame } from '@homeward/kit/testing'
import { storeCase } from '../conformance-case.ts'
import type { ChannelConformanceStore } from './channel-fixtures.ts'
import {
  accept,
  acceptanceOf,
  deliveryClaim,
  deliveryWrite,
  endTasks,
  messageIds,
  messageOf,
  outbox,
  takeOne,
} from './channel-fixtures.ts'
import { appendOf, at, idsOf, oddText } from '../conformance-fixtures.ts'

const sent = (index: number, platformId?: string) =>
  ({ index, state: 'sent', ...(platformId !== undefined && { platformId }) }) as const
const sending = (index: number) => ({ index, state: 'sending' }) as const
const failure = { code: 'gone', message: oddText }
const failed = { kind: 'ended', status: 'failed', failure } as const
const uncertain = { kind: 'ended', status: 'uncertain', failure } as const
const delivered = { kind: 'ended', status: 'delivered' } as const

/** What a `ChannelStore` promises about answers. */
export const channelDeliveryConformance: readonly ConformanceCase<StoreHarness<ChannelConformanceStore>>[] = [
  storeCase('A1: an answer is taken once its task has ended, by one alone', async (store) => {
    await accept(store, acceptanceOf('m1'))
    expectSame(await store.claimDeliveries(deliveryClaim()), [], 'what is ready before')
    await endTasks(store)
    const claims = await race((index) => store.claimDeliveries(deliveryClaim({ owner: `d${index}` })))
    expectSame(messageIds(claims.flat()), ['m1'], 'what was taken')
    const [delivery] = claims.flat()
    const lease = { owner: `d${claims.findIndex((one) => one.length > 0)}`, until: at(30) }
    const expected = {
      ...messageOf('m1'),
      status: 'delivering',
      parts: [],
      tries: 0,
      lease,
      updatedAt: at(10),
    }
    expectSame(delivery?.message, expected, 'the message')
    expectSame(await store.findChannelMessage('m1'), expected, 'the message as it is kept')
    expectSame([delivery?.task?.id, delivery?.task?.status], ['task m1', 'completed'], 'its task')
  }),
  storeCase('A1: only what was asked for is taken: these channels, and so many of each', async (store) => {
    await accept(
      store,
      ...['m1', 'm2', 'm3'].map((id) => acceptanceOf(id, { conversationId: `c ${id}` })),
      acceptanceOf('m4', { channel: 'two', conversationId: 'c4' }),
    )
    await endTasks(store)
    const claim = (channels: Parameters<typeof deliveryClaim>[0] & object) =>
      store.claimDeliveries(deliveryClaim(channels))
    expectSame(await claim({ channels: [] }), [], 'nothing')
    expectSame(
      messageIds(await claim({ channels: [{ channel: 'one', limit: 2 }] })),
      ['m1', 'm2'],
      'two of one',
    )
    const both = [
      { channel: 'two', limit: 9 },
      { channel: 'one', limit: 9 },
    ]
    expectSame(messageIds(await claim({ channels: both })).toSorted(), ['m3', 'm4'], 'what is left')
  }),
  storeCase('A1: answers of a conversation go out in the order of its messages', async (store) => {
    await accept(
      store,
      acceptanceOf('m1'),
      acceptanceOf('m2'),
      acceptanceOf('other', { conversationId: 'c2' }),
    )
    await endTasks(store)
    const claim = async (second: number) =>
      messageIds(await store.claimDeliveries(deliveryClaim({ now: at(second) })))
    expectSame(await claim(10), ['m1', 'other'], 'the first of each conversation')
    expectSame(await claim(11), [], 'what is ready while that is under way')
    await store.saveDelivery(deliveryWrite('m1', { outcome: { kind: 'later', at: at(60), tries: 1 } }))
    expectSame(await claim(12), [], 'what is ready while that waits')
    expectSame((await store.findChannelMessage('m1'))?.tries, 1, 'how often it was tried')
    expectSame((await store.findChannelMessage('m1'))?.nextAt, at(60), 'when it is tried again')
    await store.saveDelivery(deliveryWrite('other', { outcome: delivered }))
    const later = await store.claimDeliveries(
      deliveryClaim({ now: at(60), lease: { owner: 'd1', until: at(80) } }),
    )
    expectSame(messageIds(later), ['m1'], 'what is ready then')
    await store.saveDelivery(deliveryWrite('m1', { outcome: uncertain }))
    expectSame(await claim(61), ['m2'], 'what is ready when a person has to decide about the one before')
  }),
  storeCase(
    'A1: keeps what was said in the conversation, once, and never in one of somebody else',
    async (store) => {
      await takeOne(store, 'm1')
      const said = appendOf(['s1'])
      await store.saveDelivery(deliveryWrite('m1', { outbox, said, parts: [sending(0)] }))
      await store.saveDelivery(deliveryWrite('m1', { outbox, said: appendOf(['s2']), parts: [sent(0)] }))
      const read = async () => idsOf((await store.listMessages('c1', { limit: 9 })).rows)
      expectSame(await read(), ['s1'], 'the messages')
      await takeOne(store, 'm2', { conversationId: 'c2' })
      const foreign = appendOf(['s3'], { agentId: 'a2' })
      const saved = await store.saveDelivery(
        deliveryWrite('m2', { outbox, said: foreign, parts: [sending(0)] }),
      )
      expectSame([saved, await read()], [true, ['s1']], 'a delivery whose conversation is of another agent')
    },
  ),
  storeCase('A1: keeps the parts of an answer, and how each is on its way', async (store) => {
    await takeOne(store, 'm1')
    const parts = async () => (await store.findChannelMessage('m1'))?.parts
    const [first, second] = outbox.map((part) => ({ ...part, state: 'pending', isPlain: false }))
    await store.saveDelivery(deliveryWrite('m1', { outbox, parts: [sending(0)] }))
    expectSame(await parts(), [{ ...first, state: 'sending' }, second], 'the parts')
    await store.saveDelivery(deliveryWrite('m1', { outbox: [{ text: 'x', plain: 'x' }] }))
    expectSame((await parts())?.length, 2, 'how many parts there are when others are given later')
    await store.saveDelivery(deliveryWrite('m1', { parts: [{ ...sending(0), isPlain: true }] }))
    expectSame(
      await parts(),
      [{ ...first, state: 'sending', isPlain: true }, second],
      'a part that goes plain',
    )
    const event = { type: 'channel.reply', timestamp: at(12), data: { message_id: 'm1' } } as const
    await store.saveDelivery(deliveryWrite('m1', { parts: [sent(0, 'p 1'), sending(1)], journal: [event] }))
    const gone = { ...first, state: 'sent', isPlain: true, platformId: 'p 1' }
    expectSame(await parts(), [gone, { ...second, state: 'sending' }], 'the parts, when one was sent')
    const saved = await store.saveDelivery(
      deliveryWrite('m1', { parts: [sent(1)], outcome: delivered, now: at(13) }),
    )
    const message = await store.findChannelMessage('m1')
    expectSame(
      [saved, message?.status, message?.lease, message?.updatedAt],
      [true, 'delivered', undefined, at(13)],
      'the message',
    )
    expectSame(message?.parts, [gone, { ...second, state: 'sent' }], 'the parts at the end')
    const [listed] = (await store.listChannelMessages({}, { limit: 9 })).rows
    expectSame(listed, message, 'the message in a list')
    const replies = await store.listEvents({ type: 'channel.reply', limit: 9 })
    expectSame(replies.length, 1, 'how many events there are')
  }),
  storeCase('A1: who has lost a delivery writes nothing', async (store) => {
    await takeOne(store, 'm1')
    const again = deliveryClaim({ owner: 'd2', now: at(30), lease: { owner: 'd2', until: at(50) } })
    expectSame(
      await store.claimDeliveries({ ...again, now: at(29) }),
      [],
      'what is ready before the lease is over',
    )
    expectSame(
      await store.renewDeliveries({ owner: 'd1', until: at(40) }, ['m1', 'm9']),
      ['m1'],
      'what is held',
    )
    expectSame(await store.claimDeliveries({ ...again, now: at(39) }), [], 'before the longer lease is over')
    expectSame(
      messageIds(await store.claimDeliveries({ ...again, now: at(40) })),
      ['m1'],
      'what is ready then',
    )
    const before = await store.findChannelMessage('m1')
    const event = { type: 'channel.reply', timestamp: at(41), data: {} } as const
    const late = deliveryWrite('m1', { outbox, parts: [sending(0)], outcome: delivered, journal: [event] })
    expectSame(await store.saveDelivery(late), false, 'a write that comes too late')
    expectSame(await store.saveDelivery(deliveryWrite('m9')), false, 'a write to nothing')
    expectSame(await store.renewDeliveries({ owner: 'd1', until: at(99) }, ['m1']), [], 'what is lost')
    expectSame(await store.findChannelMessage('m1'), before, 'the message')
    expectSame(
      (await store.listEvents({ type: 'channel.reply', limit: 9 })).length,
      0,
      'how many events there are',
    )
  }),
  storeCase('A1: a lease is renewed while it is written how the delivery goes', async (store) => {
    await takeOne(store, 'm1')
    const lease = { owner: 'd1', until: at(40) }
    await Promise.all([
      store.saveDelivery(deliveryWrite('m1', { outbox, parts: [sent(0, 'p 1')] })),
      store.renewDeliveries(lease, ['m1']),
    ])
    const message = await store.findChannelMessage('m1')
    expectSame(
      [message?.lease, message?.parts[0]?.platformId],
      [lease, 'p 1'],
      'the lease, and what was sent',
    )
  }),
  storeCase('A1: a person decides once about an answer that failed or is uncertain', async (store) => {
    for (const [id, outcome] of [
      ['lost', failed],
      ['doubtful', uncertain],
      ['done', delivered],
    ] as const) {
      await takeOne(store, id, { conversationId: id })
      await store.saveDelivery(deliveryWrite(id, { outbox, parts: [sent(0), sending(1)] }))
      await store.saveDelivery(deliveryWrite(id, { outcome }))
    }
    expectSame(await store.countChannelMessages('one'), { waiting: 0, failed: 1, uncertain: 1 }, 'the counts')
    expectSame((await store.findChannelMessage('lost'))?.failure, failure, 'why it failed')
    const resolve = (id: string, decision: 'resend' | 'discard') =>
      store.resolveChannelMessage({ id, decision, now: at(20) })
    expectSame(await resolve('done', 'resend'), undefined, 'one that was delivered')
    expectSame(await resolve('nothing', 'discard'), undefined, 'one that is not there')
    const decided = await race(() => resolve('doubtful', 'resend'))
    expectSame(decided.filter(Boolean).length, 1, 'how many decisions count')
    const again = await store.findChannelMessage('doubtful')
    expectSame(decided.find(Boolean), again, 'the message that is sent again')
    expectSame(
      [again?.status, again?.parts.map(({ state }) => state), again?.failure],
      ['delivering', ['sent', 'pending'], undefined],
      'what is sent again',
    )
    expectSame((await resolve('lost', 'discard'))?.status, 'discarded', 'what is let be')
    expectSame(
      messageIds(await store.claimDeliveries(deliveryClaim({ now: at(21) }))),
      ['doubtful'],
      'what is ready',
    )
  }),
  storeCase('A1: messages that are done with go as runs do, and no others', async (store) => {
    for (const [id, outcome] of [
      ['done', delivered],
      ['lost', failed],
    ] as const) {
      await takeOne(store, id, { conversationId: id })
      await store.saveDelivery(deliveryWrite(id, { outbox, parts: [sent(0)], outcome }))
    }
    await accept(store, acceptanceOf('open', { conversationId: 'open' }))
    const left = async () => idsOf((await store.listChannelMessages({}, { limit: 9 })).rows)
    await store.prune({ runsBefore: at(11) })
    expectSame(await left(), ['open', 'lost', 'done'], 'what is left before its time')
    await store.prune({ runsBefore: at(12) })
    expectSame(await left(), ['open', 'lost'], 'what is left then')
  }),
]
