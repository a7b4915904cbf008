import { describe, expect, it } from 'vitest'
import { createTestStore } from '../create-test-store.ts'
import type { ChannelConformanceStore } from './channel-fixtures.ts'
import type { AcceptanceOutcome, MessageAcceptance } from '../../store/ports/channel-acceptance.ts'
import { firstFailureOf, pause } from '../first-failure-of.ts'
import { channelStoreConformance } from './channel-store-conformance.ts'

type Break = (store: ChannelConformanceStore) => Partial<ChannelConformanceStore>

describe('channels on SQLite', () => {
  for (const { name, run } of channelStoreConformance) {
    it(name, () => run({ create: async () => ({ store: createTestStore() }) }))
  }
})

/** The first case that a store does not pass. */
const firstFailure = (breakStore: Break) =>
  firstFailureOf(channelStoreConformance, () => {
    const whole = createTestStore()
    return { ...whole, ...breakStore(whole) }
  })

const answers: Record<string, unknown> = {
  undefined,
  true: true,
  false: false,
  'an empty list': [],
  'an empty page': { rows: [] },
  'an empty object': {},
}
const verbs = [
  'acceptMessages',
  'saveLoadedInput',
  'claimDeliveries',
  'renewDeliveries',
  'saveDelivery',
  'resolveChannelMessage',
  'findChannelMessage',
  'listChannelMessages',
  'countChannelMessages',
  'claimPolling',
  'releasePolling',
  'findChannelSenders',
  'listChannelSenders',
  'decideChannelSender',
  'findChatConversation',
  'findChatWork',
  'prune',
] as const

it('a store that is whole passes the kit', async () => {
  expect(await firstFailure(() => ({}))).toBeUndefined()
})

describe.each(verbs)('a store whose %s is emptied out', (verb) => {
  it.each(Object.keys(answers))('fails the kit when it answers %s', async (answer) => {
    expect(await firstFailure(() => ({ [verb]: async () => answers[answer] }))).toBeDefined()
  })
})

/** A store that writes something else than it was given. */
const changing =
  (change: (one: MessageAcceptance) => MessageAcceptance): Break =>
  (store) => ({
    acceptMessages: (batch, signal) =>
      store.acceptMessages({ ...batch, acceptances: batch.acceptances.map(change) }, signal),
  })

const broken: Record<string, Break> = {
  'gives a stranger a code with every message': changing(({ knock, ...one }) =>
    knock?.pairing ? { ...one, knock: { ...knock, pairing: { ...knock.pairing, until: '' } } } : one,
  ),
  'lets any number of strangers wait': changing((one) =>
    one.knock ? { ...one, knock: { ...one.knock, maxPending: 99 } } : one,
  ),
  'does not look who has been decided about': changing(({ senders: _senders, ...one }) => one),
  'begins no conversation': changing(({ begins: _begins, ...one }) => one),
  'cancels nothing': changing(({ cancels: _cancels, ...one }) => one),
  'takes any code': (store) => ({
    decideChannelSender: ({ code: _code, ...decision }, ...rest) =>
      store.decideChannelSender(decision, ...rest),
  }),
  'knows messages by their first key only': (store) => ({
    acceptMessages: (batch, signal) => {
      const acceptances = batch.acceptances.map((one) => ({ ...one, keys: one.keys.slice(0, 1) }))
      return store.acceptMessages({ ...batch, acceptances }, signal)
    },
  }),
  'never forgets a key': (store) => ({
    acceptMessages: (batch, signal) => {
      const acceptances = batch.acceptances.map((one) => ({ ...one, keysUntil: '9999' }))
      return store.acceptMessages({ ...batch, acceptances }, signal)
    },
  }),
  'lets anybody move the offset': (store) => ({
    acceptMessages: ({ polled: _polled, ...batch }, signal) => store.acceptMessages(batch, signal),
  }),
  'writes one message after the other': (store) => ({
    async acceptMessages(batch, signal) {
      const { acceptances, ...rest } = batch
      if (acceptances.length < 2) return store.acceptMessages(batch, signal)
      const accepted: AcceptanceOutcome[] = []
      for (const one of acceptances) {
        const kept = await store.acceptMessages({ ...rest, acceptances: [one] }, signal)
        if (kept !== 'changed') accepted.push(...(kept ?? []))
      }
      return accepted
    },
  }),
  'takes answers before their time': (store) => ({
    claimDeliveries: (claim, signal) => store.claimDeliveries({ ...claim, now: '2100' }, signal),
  }),
  'takes answers of every conversation at once': (store) => ({
    acceptMessages: (batch, signal) => {
      const acceptances = batch.acceptances.map(({ entry, ...one }) => {
        if (!entry?.task) return one
        const { serialKey: _key, ...task } = entry.task
        const message = { ...entry.message, conversationId: entry.message.id }
        return { ...one, entry: { message, task } }
      })
      return store.acceptMessages({ ...batch, acceptances }, signal)
    },
  }),
  'takes more than was asked for': (store) => ({
    claimDeliveries: (claim, signal) => {
      const channels = claim.channels.map((one) => ({ ...one, limit: one.limit + 1 }))
      return store.claimDeliveries({ ...claim, channels }, signal)
    },
  }),
  'lets anybody write': (store) => ({
    async saveDelivery(write, signal) {
      const owner = (await store.findChannelMessage(write.id))?.lease?.owner ?? write.owner
      return store.saveDelivery({ ...write, owner }, signal)
    },
  }),
  'says nothing about deliveries': (store) => ({
    saveDelivery: (write, signal) => store.saveDelivery({ ...write, journal: [] }, signal),
  }),
  'forgets which part goes plain': (store) => ({
    saveDelivery: (write, signal) => {
      const parts = write.parts?.map(({ isPlain: _plain, ...part }) => part)
      return store.saveDelivery({ ...write, ...(parts && { parts }) }, signal)
    },
  }),
  'renews what was lost': (store) => ({
    renewDeliveries: async (lease, ids, signal) => {
      await store.renewDeliveries(lease, ids, signal)
      return ids
    },
  }),
  'writes the lease back that it saw before a write': (store) => ({
    async saveDelivery(write, signal) {
      const lease = (await store.findChannelMessage(write.id, signal))?.lease
      await pause()
      const saved = await store.saveDelivery(write)
      if (lease?.owner === write.owner) await store.renewDeliveries(lease, [write.id])
      return saved
    },
  }),
  'starts every page at the beginning': (store) => ({
    listChannelMessages: (filter, { limit }, signal) => store.listChannelMessages(filter, { limit }, signal),
  }),
  'keeps the files of messages that are gone': (store) => {
    const known = new Map<string, Awaited<ReturnType<typeof store.findFile>>>()
    return {
      async findFile(id, signal) {
        const file = (await store.findFile(id, signal)) ?? known.get(id)
        known.set(id, file)
        return file
      },
    }
  },
  'lets two ask a source': (store) => ({
    claimPolling: (source, lease, _now, signal) => store.claimPolling(source, lease, '2100', signal),
  }),
}

it.each(Object.entries(broken))('a store that %s fails the kit', async (_, breakStore) => {
  expect(await firstFailure(breakStore)).toBeDefined()
})
