import { expectSame } from '@homeward/kit/testing'
import type { CloudStoreCase } from './store-harness.ts'
import { at, auditOf, storeCase } from './store-harness.ts'
import {
  add,
  attemptOf,
  auditIds,
  claim,
  keysOf,
  settle,
  webhookOf,
  withSearches,
  completed,
} from './webhook-harness.ts'

/** Promises of `DeliveryStore`. */
export const deliveryCases: readonly CloudStoreCase[] = [
  storeCase(
    'C33: gives each delivery to one of those who claim it, in the order of its subject',
    async ({ store }) => {
      await withSearches(store)
      for (const id of ['s1', 's2']) await settle(store, id)
      await store.settleSearch({ id: 'o1', deviceId: 'd2', outcome: completed, now: at(5) })
      expectSame(await claim(store, 6, { busy: ['w1'] }), [], 'what is due of others')
      const claims = await Promise.all([claim(store, 6), claim(store, 6)])
      const due = claims.flat()
      expectSame(
        keysOf(due).toSorted((a, b) => a.localeCompare(b)),
        ['o1', 's1'],
        'what is due',
      )
      const { id, owner, url, secret } = webhookOf('w1')
      expectSame(due[0]?.webhook.id === id && due[0].webhook.secret === secret, true, 'whose it is')
      expectSame([due[0]?.webhook.owner, due[0]?.webhook.url], [owner, url], 'where it goes')
      expectSame([due[0]?.delivery.attempts, due[0]?.delivery.nextAt], [1, at(66)], 'the claim')
      for (const each of due) await store.recordAttempt(attemptOf(each))
      expectSame(keysOf(await claim(store, 7)), ['s2'], 'what is due then')
      expectSame(keysOf(await claim(store, 66)), [], 'what is claimed already')
      expectSame(keysOf(await claim(store, 67)), ['s2'], 'what another one did not finish')
    },
  ),
  storeCase('C33: bounds a claim, also for each webhook', async ({ store }) => {
    await withSearches(store)
    await add(store, webhookOf('w2', { createdAt: at(1) }))
    await settle(store, 's1')
    await store.settleSearch({ id: 'o1', deviceId: 'd2', outcome: completed, now: at(5) })
    expectSame((await claim(store, 6, { perWebhook: 1 })).length, 2, 'one of each webhook')
    expectSame((await claim(store, 6, { limit: 1 })).length, 1, 'one of all')
  }),
  storeCase('C33: records an attempt of who has the claim only', async ({ store }) => {
    await withSearches(store)
    await settle(store, 's1')
    const [first] = await claim(store, 6)
    if (first === undefined) throw new Error('Nothing was due')
    const retry = { status: 'pending', nextAt: at(30), responseCode: 500, error: 'no' } as const
    await store.recordAttempt(attemptOf(first, retry))
    expectSame((await store.findWebhook('ann', 'w1'))?.failingSince, at(10), 'since when it fails')
    expectSame(await claim(store, 29), [], 'what is due before')
    const [second] = await claim(store, 30)
    if (second === undefined) throw new Error('Nothing was due again')
    await store.recordAttempt(attemptOf(first, { responseCode: 200 }))
    await store.recordAttempt(attemptOf(second, { at: at(31) }))
    const [delivery] = await store.listDeliveries('w1', 9)
    const ended = { status: 'delivered', attempts: 2, lastAttemptAt: at(31), responseCode: 204, error: null }
    expectSame({ ...delivery, ...ended }, { ...delivery }, 'the delivery')
    expectSame((await store.findWebhook('ann', 'w1'))?.failingSince, null, 'whether it fails')
  }),
  storeCase(
    'C33: disables a webhook that is gone, or failed for long, with what waits',
    async ({ store }) => {
      await withSearches(store)
      await add(store, webhookOf('w2'))
      for (const id of ['s1', 's2']) await settle(store, id)
      const failed = { status: 'failed', responseCode: 410, error: 'no' } as const
      for (const due of await claim(store, 6)) {
        const ends = due.webhook.id === 'w1' ? { disable: 'gone' } : { failingBefore: at(10) }
        await store.recordAttempt(attemptOf(due, { ...failed, ...ends }))
      }
      const [gone, long] = [await store.findWebhook('ann', 'w1'), await store.findWebhook('ann', 'w2')]
      expectSame([gone?.enabled, gone?.disabledReason], [false, 'gone'], 'the one that is gone')
      const reason = `Every attempt failed since ${at(10)}`
      expectSame([long?.enabled, long?.disabledReason], [false, reason], 'the one that failed for long')
      const states = (await store.listDeliveries('w1', 9)).map(({ status }) => status)
      expectSame(states, ['failed', 'failed'], 'what waited')
      const enabled = await store.updateWebhook('ann', 'w2', { enabled: true }, at(12))
      expectSame([enabled?.disabledReason, enabled?.failingSince], [null, null], 'the one that is enabled')
    },
  ),
  storeCase('C33: bounds what waits and what ended, and forgets what is old', async ({ store }) => {
    await withSearches(store)
    for (const [place, id] of ['s1', 's2', 's3'].entries()) await settle(store, id, 5 + place)
    await store.pruneDeliveries({ before: at(0), maxEnded: 9, maxPending: 2 })
    const states = async () => (await store.listDeliveries('w1', 9)).map(({ status }) => status)
    expectSame(await states(), ['pending', 'pending', 'failed'], 'what waits')
    await store.pruneDeliveries({ before: at(6), maxEnded: 9, maxPending: 2 })
    expectSame(await states(), ['pending', 'pending'], 'what is left')
    await store.updateWebhook('ann', 'w1', { enabled: false }, at(8))
    await store.pruneDeliveries({ before: at(0), maxEnded: 1, maxPending: 2 })
    expectSame(
      (await store.listDeliveries('w1', 9)).map(({ data }) => data.searchId),
      ['s3'],
      'the newest',
    )
  }),
  storeCase('C33: adds a delivery that is attempted at once', async ({ store }) => {
    await add(store, webhookOf('w1'))
    const rest = { status: 'pending', lastAttemptAt: null, responseCode: null, error: null } as const
    const ids = { id: 't1', webhookId: 'w1', type: 'webhook.test', subject: 't1' }
    const delivery = { ...ids, data: {}, at: at(1), attempts: 1, nextAt: at(60), ...rest }
    await store.insertDelivery(delivery, [auditOf('e1')])
    expectSame(await store.listDeliveries('w1', 9), [delivery], 'the deliveries')
    expectSame(await claim(store, 59), [], 'what others may claim')
    expectSame(await auditIds(store), ['e1'], 'the audit')
  }),
]
