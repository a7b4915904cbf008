import type { StoreHarness } from '../conformance-case.ts'
import { type ConformanceCase, race, expectCode, expectSame } from '@homeward/kit/testing'
import { storeCase } from '../conformance-case.ts'
import type { ChannelConformanceStore } from './channel-fixtures.ts'
import {
  accept,
  acceptanceOf,
  areKept,
  deliveryClaim,
  endTasks,
  messageIds,
  messageOf,
} from './channel-fixtures.ts'
import { at, idsOf, readAll } from '../conformance-fixtures.ts'
import { claimOf } from '../tasks/task-fixtures.ts'

const polled = (nextOffset: number, owner = 'p1') => ({ source: 'bot', owner, nextOffset })

/** What a `ChannelStore` promises about messages that come in. */
export const channelInboxConformance: readonly ConformanceCase<StoreHarness<ChannelConformanceStore>>[] = [
  storeCase('A1: keeps a message with its task in one write, and gives it back as it was', async (store) => {
    expectSame(await accept(store, acceptanceOf('m1')), [true], 'what was taken')
    const expected = { ...messageOf('m1'), status: 'waiting', parts: [], tries: 0, updatedAt: at(0) }
    expectSame(await store.findChannelMessage('m1'), expected, 'the message')
    expectSame((await store.findTask('task m1'))?.status, 'queued', 'its task')
    expectSame(idsOf(await store.claimTasks(claimOf())), ['task m1'], 'what a worker takes')
    const events = await store.listEvents({ limit: 9 })
    expectSame(
      events.map(({ type }) => type),
      ['channel.message'],
      'the journal',
    )
    expectSame(await store.findChannelMessage('m2'), undefined, 'a message that is not there')
  }),
  storeCase('A1: takes a message once, however many copies race', async (store) => {
    const copies = await race((index) =>
      accept(store, acceptanceOf(`m${index}`, {}, { keys: ['a', `own ${index}`] })),
    )
    expectSame(copies.filter((one) => one?.[0] === true).length, 1, 'how many were taken')
    expectSame(
      (await store.listChannelMessages({}, { limit: 9 })).rows.length,
      1,
      'how many messages there are',
    )
    expectSame((await store.listTasks({}, { limit: 9 })).rows.length, 1, 'how many tasks there are')
    expectSame((await store.listEvents({ limit: 99 })).length, 1, 'how many events there are')
  }),
  storeCase('A1: any key of a message that was seen makes it a duplicate, in either order', async (store) => {
    const first = acceptanceOf('m1', {}, { keys: ['a', 'b'] })
    const second = acceptanceOf('m2', {}, { keys: ['b', 'c'] })
    const third = acceptanceOf('m3', {}, { keys: ['c'] })
    expectSame(await accept(store, first, second, third), [true, false, true], 'what was taken of one write')
    expectSame(await accept(store, acceptanceOf('m4', {}, { keys: ['z', 'a'] })), [false], 'a later copy')
    expectSame(
      await accept(store, acceptanceOf('m5', {}, { keys: ['z', 'z'] })),
      [true],
      'a key that was only tried',
    )
    expectSame(
      idsOf((await store.listChannelMessages({}, { limit: 9 })).rows),
      ['m5', 'm3', 'm1'],
      'the messages',
    )
  }),
  storeCase('A1: a key is free again when its time is over', async (store) => {
    await accept(store, acceptanceOf('m1', {}, { keys: ['a'], keysUntil: at(60) }))
    const again = async (id: string, second: number) =>
      areKept(
        await store.acceptMessages({
          now: at(second),
          acceptances: [acceptanceOf(id, {}, { keys: ['a'], keysUntil: at(600) })],
        }),
      )
    expectSame(await again('m2', 59.999), [false], 'shortly before')
    expectSame(await again('m3', 60), [true], 'then')
    expectSame(await again('m4', 61), [false], 'behind it')
  }),
  storeCase('A1: a message that nobody answers is only remembered by its keys', async (store) => {
    const { keys, keysUntil, journal } = acceptanceOf('m1')
    expectSame(await accept(store, { keys, keysUntil, journal }), [true], 'what was taken')
    expectSame(await accept(store, acceptanceOf('m1')), [false], 'its copy')
    expectSame((await store.listChannelMessages({}, { limit: 9 })).rows, [], 'the messages')
    expectSame((await store.listEvents({ limit: 9 })).length, 1, 'how many events there are')
  }),
  storeCase('A1: keeps all messages of a write, or none', async (store) => {
    await accept(store, acceptanceOf('m1', {}, { keys: ['a'] }))
    await store.claimPolling('bot', { owner: 'p1', until: at(30) }, at(0))
    const acceptances = [acceptanceOf('m2', {}, { keys: ['b'] }), acceptanceOf('m1', {}, { keys: ['c'] })]
    await expectCode(
      async () => {
        await store.acceptMessages({ now: at(0), acceptances, polled: polled(7) })
        // a store may also refuse it with an error of its own
      },
      'conflict',
      'a message whose id is in use',
    )
    expectSame(idsOf((await store.listChannelMessages({}, { limit: 9 })).rows), ['m1'], 'the messages')
    expectSame(
      await store.claimPolling('bot', { owner: 'p1', until: at(30) }, at(1)),
      {},
      'where asking goes on',
    )
    expectSame(
      await accept(store, acceptanceOf('m3', {}, { keys: ['b'] })),
      [true],
      'a key of the failed write',
    )
    const twice = [acceptanceOf('m4', {}, { keys: ['d'] }), acceptanceOf('m4', {}, { keys: ['e'] })]
    await expectCode(
      async () => void (await store.acceptMessages({ now: at(0), acceptances: twice, polled: polled(8) })),
      'conflict',
      'two messages of one id',
    )
    expectSame(await store.findChannelMessage('m4'), undefined, 'the message that came twice')
  }),
  storeCase('A1: one process at a time asks a source, and goes on where the last one was', async (store) => {
    const claim = (owner: string, second: number, source = 'bot') =>
      store.claimPolling(source, { owner, until: at(second + 20) }, at(second))
    const claims = await race((index) => claim(`p${index}`, 0))
    expectSame(claims.filter(Boolean), [{}], 'who may ask')
    const owner = `p${claims.findIndex(Boolean)}`
    expectSame(await claim('other', 19.999), undefined, 'somebody else, before the lease is over')
    expectSame(await claim('other', 19, 'another bot'), {}, 'another source')
    const keep = async (id: string, nextOffset: number, who: string) =>
      areKept(
        await store.acceptMessages({
          now: at(1),
          acceptances: [acceptanceOf(id)],
          polled: polled(nextOffset, who),
        }),
      )
    expectSame(await keep('m1', 5, owner), [true], 'what was taken')
    expectSame(await keep('m2', 9, 'other'), undefined, 'what somebody else took')
    expectSame(await store.findChannelMessage('m2'), undefined, 'the message of somebody else')
    expectSame(await claim(owner, 15), { offset: 5 }, 'the longer lease')
    expectSame(await claim('other', 34.999), undefined, 'somebody else, before the longer lease is over')
    expectSame(await claim('other', 35), { offset: 5 }, 'somebody else, once it is')
    expectSame(await keep('m2', 9, owner), undefined, 'what the one before took')
    await store.releasePolling('bot', owner)
    expectSame(await claim(owner, 36), undefined, 'the one before, who has given nothing back')
    expectSame(
      await store.acceptMessages({ now: at(36), acceptances: [], polled: polled(6, 'other') }),
      [],
      'nothing',
    )
    await store.releasePolling('bot', 'other')
    expectSame(await claim(owner, 37), { offset: 6 }, 'the one before, when it was given back')
  }),
  storeCase('A1: lists messages, newest first, by channel, conversation and status', async (store) => {
    const two = { channel: 'two', conversationId: 'c2' }
    await accept(
      store,
      acceptanceOf('m1'),
      acceptanceOf('m2', two),
      acceptanceOf('m3'),
      acceptanceOf('m4', two),
    )
    const list = async (filter: Parameters<typeof store.listChannelMessages>[0]) =>
      idsOf((await store.listChannelMessages(filter, { limit: 99 })).rows)
    expectSame(await list({}), ['m4', 'm3', 'm2', 'm1'], 'all')
    expectSame(await list({ channel: 'two' }), ['m4', 'm2'], 'those of a channel')
    expectSame(await list({ conversationId: 'c1' }), ['m3', 'm1'], 'those of a conversation')
    await endTasks(store)
    expectSame(messageIds(await store.claimDeliveries(deliveryClaim())), ['m1'], 'what is delivered')
    expectSame(await list({ status: 'delivering' }), ['m1'], 'those that are being delivered')
    expectSame(await list({ status: 'waiting', channel: 'one' }), ['m3'], 'those of a channel that wait')
    expectSame(await list({ status: 'failed' }), [], 'those that failed')
    expectSame(await store.countChannelMessages('one'), { waiting: 2, failed: 0, uncertain: 0 }, 'the counts')
    expectSame(await store.countChannelMessages('no'), { waiting: 0, failed: 0, uncertain: 0 }, 'no counts')
    const paged = await readAll((cursor) =>
      store.listChannelMessages({ channel: 'one' }, { limit: 1, cursor }),
    )
    expectSame(idsOf(paged), ['m3', 'm1'], 'those of a channel, page by page')
    await expectCode(
      () => store.listChannelMessages({}, { limit: 1, cursor: '?' }),
      'validation_error',
      'a foreign cursor',
    )
  }),
]
