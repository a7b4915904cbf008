import type { DeliveryAttempt, DueDelivery, StoredDelivery, StoredWebhook } from '@homeward/kit/webhooks'
import { type ConformanceCase, expectAborts, expectSame } from '@homeward/kit/testing'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import type { StoreHarness } from './conformance-case.ts'
import { storeCase } from './conformance-case.ts'
import { at, finishOf, leaseOf, runOf } from './conformance-fixtures.ts'

const webhookOf = (id: string, changes: Partial<StoredWebhook> = {}): StoredWebhook => ({
  id,
  owner: '',
  url: `https://${id}.example/hook?key=%"1`,
  events: ['run.completed'],
  enabled: true,
  disabledReason: null,
  secret: `whsec-${id}`,
  createdAt: at(0),
  updatedAt: at(0),
  failingSince: null,
  ...changes,
})

const eventOf = (id: string, subject: string) => ({
  id,
  owner: '',
  type: 'run.completed',
  subject,
  data: { run_id: subject },
  at: at(1),
})

const testOf = (id: string): StoredDelivery => ({
  id,
  webhookId: 'w1',
  type: 'webhook.test',
  subject: id,
  data: {},
  at: at(1),
  status: 'pending',
  attempts: 1,
  nextAt: at(60),
  lastAttemptAt: null,
  responseCode: null,
  error: null,
})

const attemptOf = (id: string): DeliveryAttempt => ({
  id,
  webhookId: 'w1',
  attempt: 1,
  at: at(3),
  status: 'delivered',
  nextAt: null,
  responseCode: 204,
  error: null,
  disable: null,
  failingBefore: at(-9),
})

const claim = (store: RuntimeStore, seconds: number, signal?: AbortSignal) =>
  store.claimWebhookDeliveries(
    { now: at(seconds), until: at(seconds + 60), perWebhook: 9, limit: 9, busy: [] },
    signal,
  )

const idsOf = (due: readonly DueDelivery[]) => due.map(({ delivery }) => delivery.id)

/** Promises of `WebhookStore`. */
export const webhookStoreConformance: readonly ConformanceCase<StoreHarness<RuntimeStore>>[] = [
  storeCase('A30: keeps webhooks as they are, newest first, and no more than allowed', async (store) => {
    const newer = webhookOf('w2', { createdAt: at(2), updatedAt: at(2) })
    expectSame(await store.insertWebhook(webhookOf('w1'), 2), true, 'the first')
    expectSame(await store.insertWebhook(newer, 2), true, 'the second')
    expectSame(await store.insertWebhook(webhookOf('w3'), 2), false, 'one too many')
    expectSame(await store.listWebhooks(''), [newer, webhookOf('w1')], 'the webhooks')
    expectSame(await store.findWebhook('', 'w2'), newer, 'one of them')
    expectSame(await store.listWebhookTypes(), ['run.completed'], 'the types')
    const off = await store.updateWebhook('', 'w1', { enabled: false }, at(3))
    expectSame(off, webhookOf('w1', { enabled: false, updatedAt: at(3) }), 'a disabled one')
    expectSame(await store.deleteWebhook('', 'w2'), newer, 'a deletion')
    expectSame(await store.deleteWebhook('', 'w2'), undefined, 'a second deletion')
    expectSame(await store.listWebhookTypes(), [], 'the types then')
  }),
  storeCase('A30: stores the end of a run with it, once, for the webhooks that want it', async (store) => {
    await store.insertWebhook(webhookOf('w1'), 9)
    await store.insertWebhook(webhookOf('w2', { events: ['run.failed'] }), 9)
    await store.insertRun(runOf('r1'), leaseOf(), [])
    await store.finishRun(finishOf('r1'))
    await store.finishRun(finishOf('r1'))
    const [delivery, ...more] = await store.listDeliveries('w1', 9)
    expectSame([delivery?.type, delivery?.subject], ['run.completed', 'r1'], 'the event')
    expectSame(delivery?.data['run_id'], 'r1', 'its data')
    expectSame([more, await store.listDeliveries('w2', 9)], [[], []], 'other events')
  }),
  storeCase('A30: delivers in the order of a subject, and to who has the claim', async (store) => {
    await store.insertWebhook(webhookOf('w1'), 9)
    await store.addWebhookEvents([eventOf('e1', 'r1'), eventOf('e2', 'r1'), eventOf('e3', 'r2')])
    await store.addWebhookEvents([eventOf('e1', 'r1')])
    const claims = await Promise.all([claim(store, 2), claim(store, 2)])
    const due = claims.flat()
    expectSame(idsOf(due), ['e1', 'e3'], 'what is due')
    const [first, second] = due
    if (first === undefined || second === undefined) throw new Error('Too little was due')
    const retry = { status: 'pending', nextAt: at(500), responseCode: 503, error: 'no' } as const
    await store.recordAttempt({ ...attemptOf('e3'), ...retry })
    const attempt = attemptOf('e1')
    await store.recordAttempt({ ...attempt, attempt: 2, status: 'failed', disable: 'gone' })
    await store.recordAttempt(attempt)
    expectSame(idsOf(await claim(store, 4)), ['e2'], 'what is due then')
    expectSame(idsOf(await claim(store, 100)), ['e2'], 'what is due before the deferred one')
    await store.pruneDeliveries({ before: at(2), maxEnded: 9, maxPending: 9 })
    const left = (await store.listDeliveries('w1', 9)).map(({ id, status }) => `${id} ${status}`)
    expectSame(left, ['e3 pending', 'e2 pending'], 'what is left')
    expectSame((await store.findWebhook('', 'w1'))?.enabled, true, 'the webhook')
  }),
  storeCase('A27: writes an entry with the change of a webhook, or neither', async (store) => {
    const entryOf = (id: string) =>
      ({ id, at: at(1), actor: 'local', action: 'webhook', target: 'w1', outcome: 'done' }) as const
    await store.insertWebhook(webhookOf('w1'), 1, entryOf('e1'))
    expectSame(await store.insertWebhook(webhookOf('w2'), 1, entryOf('e2')), false, 'one too many')
    await store.updateWebhook('', 'w1', { enabled: false }, at(2), entryOf('e3'))
    await store.updateWebhook('', 'w2', { enabled: false }, at(2), entryOf('e4'))
    await store.deleteWebhook('', 'w1', entryOf('e5'))
    await store.deleteWebhook('', 'w1', entryOf('e6'))
    const { rows } = await store.listAudit({}, { limit: 9 })
    expectSame(
      rows.map(({ id }) => id),
      ['e5', 'e3', 'e1'],
      'the entries',
    )
  }),
  storeCase('A30: adds a delivery that is attempted at once', async (store) => {
    await store.insertWebhook(webhookOf('w1'), 9)
    const delivery = testOf('t1')
    await store.insertDelivery(delivery)
    expectSame(await store.listDeliveries('w1', 9), [delivery], 'the deliveries')
    expectSame(await claim(store, 59), [], 'what others may claim')
  }),
  storeCase('verbs on webhooks give up when their signal has aborted', async (store) => {
    const hook = webhookOf('w1')
    await store.insertWebhook(hook, 9)
    await expectAborts({
      insertWebhook: (signal) => store.insertWebhook(webhookOf('w2'), 9, undefined, signal),
      findWebhook: (signal) => store.findWebhook('', 'w1', signal),
      listWebhooks: (signal) => store.listWebhooks('', signal),
      updateWebhook: (signal) => store.updateWebhook('', 'w1', { enabled: false }, at(2), undefined, signal),
      deleteWebhook: (signal) => store.deleteWebhook('', 'w1', undefined, signal),
    })
    await expectAborts({
      listDeliveries: (signal) => store.listDeliveries('w1', 9, signal),
      insertDelivery: (signal) => store.insertDelivery(testOf('t1'), signal),
      listWebhookTypes: (signal) => store.listWebhookTypes(signal),
      addWebhookEvents: (signal) => store.addWebhookEvents([eventOf('e1', 'r1')], signal),
      claimWebhookDeliveries: (signal) => claim(store, 2, signal),
      recordAttempt: (signal) => store.recordAttempt(attemptOf('e1'), signal),
      pruneDeliveries: (signal) =>
        store.pruneDeliveries({ before: at(2), maxEnded: 9, maxPending: 9 }, signal),
    })
    expectSame(await store.listWebhooks(''), [hook], 'the webhooks')
    expectSame(await store.listDeliveries('w1', 9), [], 'the deliveries')
  }),
]
