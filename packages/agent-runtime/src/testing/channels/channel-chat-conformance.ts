import { type ConformanceCase, expectSame, race } from '@homeward/kit/testing'
import type { ChatRecord } from '../../store/ports/channel-chat.ts'
import type { NewChannelMessage } from '../../store/ports/channel-store.ts'
import type { StoreHarness } from '../conformance-case.ts'
import { storeCase } from '../conformance-case.ts'
import { at, oddText } from '../conformance-fixtures.ts'
import type { ChannelConformanceStore } from './channel-fixtures.ts'
import {
  accept,
  acceptanceOf,
  deliveryClaim,
  deliveryWrite,
  endTasks,
  messageIds,
  messageOf,
} from './channel-fixtures.ts'
import { claimOf, outcomes, settlementOf, taskOf } from '../tasks/task-fixtures.ts'

/** A message of channel `one` that starts with the agent. */
export function sentOf(id: string, changes: Partial<NewChannelMessage> = {}): NewChannelMessage {
  const { taskId: _, sender: __, ...message } = messageOf(id)
  return { ...message, answer: oddText, ...changes }
}

const chat: ChatRecord = {
  id: 'one:chat',
  channel: 'one',
  target: { data: { chat: oddText } },
  peer: { kind: 'group', id: 'g1' },
}

/** What a `ChannelStore` promises about messages that start with the agent, and about where they go. */
export const channelChatConformance: readonly ConformanceCase<StoreHarness<ChannelConformanceStore>>[] = [
  storeCase('A1: a chat is stored with its newest message and found by each of its names', async (store) => {
    expectSame(await store.findChat('one', 'one:chat'), undefined, 'before')
    const changes = { conversationId: chat.id }
    await accept(store, acceptanceOf('m1', changes, { chat: { ...chat, conversationId: 'used' } }))
    const begins = { chat: chat.id, conversationId: 'begun' }
    const target = { expiresAtMs: 7, data: { chat: 'newest' } }
    const newest = acceptanceOf('m2', changes, { chat: { ...chat, target }, begins })
    await store.acceptMessages({ now: at(3), acceptances: [newest] })
    const expected = { ...chat, target, lastSeenAt: at(3) }
    for (const name of ['one:chat', 'chat', 'used', 'begun']) {
      expectSame(await store.findChat('one', name), expected, `the chat by ${name}`)
      expectSame(await store.findChat('two', name), undefined, `the chat of another channel by ${name}`)
    }
    const copy = { ...acceptanceOf('m1', changes), chat: { ...chat, target: { data: {} } } }
    await store.acceptMessages({ now: at(4), acceptances: [copy] })
    expectSame(await store.findChat('one', 'chat'), expected, 'the chat after a copy of a message')
    expectSame(await store.findChat('one', 'other'), undefined, 'an unknown one')
  }),
  storeCase(
    'A1: a message that starts with the agent is stored once, and waits for no task',
    async (store) => {
      await accept(store, acceptanceOf('m1'))
      const raced = await race((index) => store.sendChannelMessage(sentOf('s1', { text: `text ${index}` })))
      expectSame(raced.filter(({ created }) => created).length, 1, 'how often it was stored')
      const winner = raced.findIndex(({ created }) => created)
      const expected = sentOf('s1', { text: `text ${winner}` })
      const rest = { status: 'waiting', parts: [], tries: 0, updatedAt: at(0) } as const
      for (const { message } of raced) expectSame(message, { ...expected, ...rest }, 'the message')
      expectSame(await store.findChannelMessage('s1'), { ...expected, ...rest }, 'what is stored')
      await store.sendChannelMessage(sentOf('s2'))
      await store.sendChannelMessage(sentOf('s3', { conversationId: 'c2' }))
      const [first, ...others] = await store.claimDeliveries(deliveryClaim())
      expectSame(first?.message.id, 's1', 'what is sent first')
      expectSame(first?.task, undefined, 'its task')
      expectSame(messageIds(others), ['s3'], 'what is sent beside it')
      expectSame((await store.sendChannelMessage(sentOf('s1'))).message.status, 'delivering', 'its status')
    },
  ),
  storeCase('A1: a task is reported once it has ended, in no order with other messages', async (store) => {
    await accept(store, acceptanceOf('m1'))
    const reportTo = [{ channel: 'one', conversationId: 'c1' }]
    const task = { ...taskOf('reported', { idempotencyKey: 'k' }), reportTo }
    await race(() => store.insertTask(task, []))
    const { rows } = await store.listChannelMessages({}, { limit: 9 })
    expectSame(rows.length, 2, 'how many messages there are')
    const report = rows.find(({ isReport }) => isReport)
    const { taskId, target, status } = report ?? {}
    const expected = { taskId: 'reported', target: { data: { chat: 'm1' } }, status: 'waiting' }
    expectSame({ taskId, target, status }, expected, 'the report')
    expectSame((await store.findTask('reported'))?.reportTo, reportTo, 'what its task says')
    expectSame(await store.claimDeliveries(deliveryClaim()), [], 'what is ready before')
    expectSame((await store.findChatWork('c1')).count, 1, 'the work of the chat')
    await store.claimTasks(claimOf({ limit: 9 }))
    await store.settleTask(settlementOf('reported', outcomes.failed))
    const [delivery, ...rest] = await store.claimDeliveries(deliveryClaim())
    const found = [delivery?.message.id, delivery?.task?.status, rest.length]
    expectSame(found, [report?.id, 'failed', 0], 'what is ready')
    const outcome = { kind: 'ended', status: 'delivered' } as const
    await store.saveDelivery(deliveryWrite(report?.id ?? '', { outcome }))
    await store.settleTask(settlementOf('task m1', outcomes.completed))
    expectSame(messageIds(await store.claimDeliveries(deliveryClaim())), ['m1'], 'the answer after it')
  }),
  storeCase('A1: a task that is begun again is reported again, once', async (store) => {
    await accept(store, acceptanceOf('m1'))
    await endTasks(store)
    const reportTo = [{ channel: 'one', conversationId: 'c1' }]
    await store.insertTask({ ...taskOf('t'), reportTo }, [])
    const fail = async () => {
      await store.claimTasks(claimOf({ limit: 9 }))
      await store.settleTask(settlementOf('t', outcomes.failed))
    }
    const countReports = async () =>
      (await store.listChannelMessages({}, { limit: 9 })).rows.filter(({ isReport }) => isReport).length
    await fail()
    await store.retryTask('t', at(5))
    expectSame(await countReports(), 1, 'the report that has not left')
    await fail()
    await store.claimDeliveries(deliveryClaim())
    await store.retryTask('t', at(6))
    expectSame(await countReports(), 2, 'the reports after that')
    await store.retryTask('t', at(6))
    expectSame(await countReports(), 2, 'the reports of a task that has not failed')
  }),
  storeCase('A1: a report to a chat that is not stored fails, and is listed', async (store) => {
    const reportTo = [{ channel: 'one', conversationId: 'nowhere' }]
    await store.insertTask({ ...taskOf('t'), reportTo }, [])
    await endTasks(store)
    expectSame(await store.claimDeliveries(deliveryClaim()), [], 'what is ready')
    const [report] = (await store.listChannelMessages({}, { limit: 9 })).rows
    expectSame([report?.status, report?.failure?.code], ['failed', 'not_found'], 'the report')
    expectSame((await store.countChannelMessages('one')).failed, 1, 'how many failed')
  }),
  storeCase(
    'A1: routes of a channel are replaced together, and a message sets one of them',
    async (store) => {
      const route = (conversation: string, agentId: string) => ({ conversation, agentId })
      await store.setChannelRoutes('one', [route('c2', 'a'), route('c1', oddText)])
      await store.setChannelRoutes('two', [route('c1', 'other')])
      expectSame(await store.listChannelRoutes('one'), [route('c1', oddText), route('c2', 'a')], 'the routes')
      await store.setChannelRoutes('one', [route('c1', 'b'), route('c3', 'c')])
      const sets = (agentId: string) => ({ routes: { channel: 'one', ...route('c1', agentId) } })
      await accept(store, acceptanceOf('m1', {}, sets('chosen')))
      await accept(store, acceptanceOf('m1', {}, sets('of a copy')))
      expectSame(
        await store.findChannelRoutes('one', ['c1', 'c2', 'c1']),
        [route('c1', 'chosen')],
        'those that are asked for',
      )
      expectSame(await store.findChannelRoutes('one', []), [], 'none')
      const raced = await race((index) =>
        store.setChannelRoutes('one', [route('c1', `${index}`), route('c2', `${index}`)]),
      )
      const [first, second, ...others] = await store.listChannelRoutes('one')
      expectSame(
        [first?.agentId === second?.agentId, others.length],
        [true, 0],
        `the last of ${raced.length}`,
      )
      await store.setChannelRoutes('one', [])
      expectSame(await store.listChannelRoutes('one'), [], 'the routes in the end')
      expectSame((await store.listChannelRoutes('two')).length, 1, 'those of another channel')
    },
  ),
]
