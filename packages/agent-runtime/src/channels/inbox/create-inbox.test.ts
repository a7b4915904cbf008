import { expect, it } from 'vitest'
import { createTestStore } from '../../testing/create-test-store.ts'
import { silentLogger } from '../../ports/logger.ts'
import { toAccessPolicy } from '../access/access-policy.ts'
import { createInbox } from './create-inbox.ts'
import { fixtureText, webhookRequest } from '../testing/platform-kit.ts'
import { createTestChannel, toInbound } from '../testing/test-channel.ts'
import { viberChannel } from '../viber/testing/viber-kit.ts'

function open(now = Date.now) {
  const store = createTestStore()
  let ids = 0
  const inbox = createInbox({
    store,
    findAgent: async () => ({}),
    listAgents: async () => [],
    deliver: async () => {},
    stopTask: async () => {},
    wake: () => {},
    approvals: {
      look: async () => {},
      waitingIn: async () => [],
      find: async () => [],
      questions: async () => [],
      decide: () => Promise.reject(new Error('nothing waits')),
    },
    answers: {
      problemOf: async () => undefined,
      toSettlement: () => Promise.reject(new Error('nothing is asked')) as never,
      resume: () => {},
    },
    logger: silentLogger,
    now,
    createId: () => `id-${(ids += 1)}`,
  })
  const channel = createTestChannel()
  const policy = toAccessPolicy(channel, {})
  return { store, inbox, active: { channel, agentId: 'parrot', source: 'test:host', policy } }
}

it('A1: ids and keys of any length are kept as short ones, and still tell messages apart', async () => {
  const { store, inbox, active } = open()
  const long = 'c'.repeat(10_000)
  const messages = [
    toInbound('test', { text: 'one', key: `${long}1`, chat: `${long}1` }),
    toInbound('test', { text: 'one again', key: `${long}1`, chat: `${long}1` }),
    toInbound('test', { text: 'two', key: `${long}2`, chat: `${long}2` }),
    toInbound('test', { text: 'behind one', chat: `${long}1`, isAddressed: false, isFollowUp: true }),
    toInbound('test', { text: 'behind none', chat: `${long}3`, isAddressed: false, isFollowUp: true }),
  ]
  const outcomes = []
  for (const message of messages) outcomes.push(...((await inbox.accept(active, [message])) ?? []))
  expect(outcomes).toEqual(['accepted', 'duplicate', 'accepted', 'accepted', 'gated'])
  const { rows } = await store.listChannelMessages({}, { limit: 10 })
  const conversations = rows.map(({ conversationId }) => conversationId)
  expect(new Set(conversations).size).toBe(2)
  expect(Math.max(...conversations.map((id) => id.length))).toBeLessThanOrEqual(200)
  const tasks = await store.listTasks({}, { limit: 10 })
  expect(new Set(tasks.rows.map(({ serialKey }) => serialKey)).size).toBe(2)
  expect(tasks.rows.every(({ channelMessage }) => channelMessage)).toBe(true)
})

it('A1: half a character in a message goes neither to the store nor to a model', async () => {
  const { store, inbox, active } = open()
  await inbox.accept(active, [toInbound('test', { text: 'cut here: \ud83d', key: 'half' })])
  const { rows } = await store.listChannelMessages({}, { limit: 1 })
  const tasks = await store.listTasks({}, { limit: 1 })
  expect([rows[0]?.text, tasks.rows[0]?.input]).toEqual(['cut here: \ufffd', 'cut here: \ufffd'])
})

it('A12: two people who write into one chat at the same time have a conversation each', async () => {
  const { store, inbox, active } = open()
  for (const [index, sender] of ['ann', 'bob', 'ann', 'bob'].entries()) {
    await inbox.accept(active, [toInbound('test', { text: `message ${index}`, sender })])
  }
  const { rows } = await store.listTasks({}, { limit: 9 })
  expect(rows.map(({ userId, conversationId }) => [userId, conversationId]).toReversed()).toEqual([
    ['test:ann', 'test:1'],
    ['test:bob', 'test:1 parrot test:bob'],
    ['test:ann', 'test:1'],
    ['test:bob', 'test:1 parrot test:bob'],
  ])
})

it('A20: what a person quotes of somebody else is untrusted', async () => {
  const { store, inbox, active } = open()
  const message = toInbound('test', { text: 'pay me' })
  await inbox.accept(active, [message])
  await inbox.accept(active, [{ ...message, dedupeKeys: ['2'], isQuoted: true }])
  const { rows } = await store.listTasks({}, { limit: 2 })
  expect(rows.map(({ untrusted }) => untrusted)).toEqual([true, undefined])
})

it('A22: a callback of Viber that was captured runs no second time, however late it is sent again', async () => {
  let nowMs = Date.parse('2026-01-01T00:00:00.000Z')
  const { inbox, active } = open(() => nowMs)
  const viber = viberChannel({ verify: 'off' })
  const send = async () => {
    const received = await viber.receive(webhookRequest(fixtureText('viber-message-text.json')))
    if (received.kind !== 'message') throw new Error(received.why)
    return inbox.accept({ ...active, channel: viber }, [received.message])
  }
  expect(await send()).toEqual(['accepted'])
  for (const days of [1.1, 30, 300]) {
    nowMs = Date.parse('2026-01-01T00:00:00.000Z') + days * 86_400_000
    expect(await send()).toEqual(['duplicate'])
  }
})
