import { channelChatConformance, sentOf } from './channel-chat-conformance.ts'
import { channelDeliveryConformance } from './channel-delivery-conformance.ts'
import type { ChannelConformanceStore } from './channel-fixtures.ts'
import {
  accept,
  acceptanceOf,
  deliveryClaim,
  deliveryWrite,
  endTasks,
  outbox,
  takeOne,
} from './channel-fixtures.ts'
import { channelSenderConformance, decisionOf } from './channel-sender-conformance.ts'
import { channelFileConformance, loadedOf } from './channel-file-conformance.ts'
import { channelInboxConformance } from './channel-inbox-conformance.ts'
import type { StoreHarness } from '../conformance-case.ts'
import { type ConformanceCase, expectAborts, expectSame, expectTrue } from '@homeward/kit/testing'
import { storeCase } from '../conformance-case.ts'
import { at } from '../conformance-fixtures.ts'

const failed = { kind: 'ended', status: 'failed', failure: { code: 'gone', message: 'gone' } } as const
const delivered = { kind: 'ended', status: 'delivered' } as const

const wholeCases: readonly ConformanceCase<StoreHarness<ChannelConformanceStore>>[] = [
  storeCase('A1: verbs on channels give up when their signal has aborted', async (store) => {
    await takeOne(store, 'm1')
    await takeOne(store, 'm2', { conversationId: 'c2' })
    await store.saveDelivery(deliveryWrite('m2', { outcome: failed }))
    await accept(store, acceptanceOf('m3', { conversationId: 'c3' }))
    await endTasks(store)
    const lease = { owner: 'd1', until: at(99) }
    const before = await store.listChannelMessages({}, { limit: 9 })
    await expectAborts({
      acceptMessages: (signal) =>
        store.acceptMessages({ now: at(0), acceptances: [acceptanceOf('m9')] }, signal),
      claimDeliveries: (signal) => store.claimDeliveries(deliveryClaim(), signal),
      renewDeliveries: (signal) => store.renewDeliveries(lease, ['m1'], signal),
      saveDelivery: (signal) => store.saveDelivery(deliveryWrite('m1', { outcome: delivered }), signal),
      resolveChannelMessage: (signal) =>
        store.resolveChannelMessage({ id: 'm2', decision: 'discard', now: at(20) }, signal),
      findChannelMessage: (signal) => store.findChannelMessage('m1', signal),
      listChannelMessages: (signal) => store.listChannelMessages({}, { limit: 9 }, signal),
      countChannelMessages: (signal) => store.countChannelMessages('one', signal),
      claimPolling: (signal) => store.claimPolling('bot', lease, at(0), signal),
      releasePolling: (signal) => store.releasePolling('bot', 'd1', signal),
      findChannelSenders: (signal) => store.findChannelSenders('one', ['s1'], signal),
      findSenderByCode: (signal) => store.findSenderByCode('ABC', at(0), signal),
      listChannelSenders: (signal) => store.listChannelSenders('one', signal),
      decideChannelSender: (signal) =>
        store.decideChannelSender(decisionOf('s1', 'allowed'), undefined, signal),
      sendChannelMessage: (signal) => store.sendChannelMessage(sentOf('s1'), signal),
      findChat: (signal) => store.findChat('one', 'c1', signal),
      setChannelRoutes: (signal) =>
        store.setChannelRoutes('one', [{ conversation: 'c1', agentId: 'a' }], undefined, signal),
      listChannelRoutes: (signal) => store.listChannelRoutes('one', signal),
      findChannelRoutes: (signal) => store.findChannelRoutes('one', ['c1'], signal),
      findChatConversation: (signal) => store.findChatConversation('c1', signal),
      findChatWork: (signal) => store.findChatWork('c1', signal),
      saveLoadedInput: (signal) => store.saveLoadedInput(loadedOf(), signal),
    })
    expectSame(await store.listChannelMessages({}, { limit: 9 }), before, 'the messages')
    expectSame(await store.listChannelSenders('one'), [], 'the senders')
  }),
  storeCase('A1: answers are on their way when the storage is opened again', async (store, { reopen }) => {
    await takeOne(store, 'm1')
    await store.saveDelivery(deliveryWrite('m1', { outbox, parts: [{ index: 0, state: 'sending' }] }))
    await accept(store, acceptanceOf('m2'))
    const before = await store.listChannelMessages({}, { limit: 9 })
    if (reopen === undefined) return
    const again = await reopen()
    expectSame(await again.listChannelMessages({}, { limit: 9 }), before, 'the messages')
    expectSame(await accept(again, acceptanceOf('m1')), [false], 'a copy of one')
    const [delivery] = await again.claimDeliveries(deliveryClaim({ owner: 'd2', now: at(30) }))
    expectTrue(delivery?.message.parts[0]?.state === 'sending', 'that it is known what was being sent')
  }),
]

/**
 * Conformance cases for a `ChannelStore`, for any test runner.
 *
 * @example
 * for (const { name, run } of channelStoreConformance) it(name, () => run({ create: async () => ({ store: createMyStore() }) }))
 */
export const channelStoreConformance: readonly ConformanceCase<StoreHarness<ChannelConformanceStore>>[] = [
  ...channelInboxConformance,
  ...channelFileConformance,
  ...channelDeliveryConformance,
  ...channelSenderConformance,
  ...channelChatConformance,
  ...wholeCases,
]
