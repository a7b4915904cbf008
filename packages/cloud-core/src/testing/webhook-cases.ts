import { expectSame } from '@homeward/kit/testing'
import type { CloudStoreCase } from './store-harness.ts'
import {
  at,
  auditOf,
  deviceOf,
  groupOf,
  onceOf,
  searchOf,
  storeCase,
  uploadOf,
  withDevices,
} from './store-harness.ts'
import { add, auditIds, claim, settle, typesOf, webhookOf, withSearches } from './webhook-harness.ts'

const managing: readonly CloudStoreCase[] = [
  storeCase('C33: keeps webhooks as they are, newest first, each for its owner', async ({ store }) => {
    const newer = webhookOf('w2', { createdAt: at(2), updatedAt: at(2), events: ['device.offline'] })
    await add(store, webhookOf('w1'), newer, webhookOf('b1', { owner: 'bob' }))
    expectSame(await store.listWebhooks('ann'), [newer, webhookOf('w1')], 'the webhooks')
    expectSame(await store.findWebhook('ann', 'w2'), newer, 'one of them')
    expectSame(await store.findWebhook('bob', 'w2'), undefined, 'that of another owner')
    const types = (await store.listWebhookTypes()).toSorted()
    expectSame(types, ['device.offline', 'device.registered', 'search.settled'], 'the types')
    expectSame(await store.deleteWebhook('bob', 'w2', [auditOf('e1')]), undefined, 'a deletion by a stranger')
    expectSame(await store.deleteWebhook('ann', 'w2', [auditOf('e2')]), newer, 'a deletion')
    expectSame(await store.listWebhooks('ann'), [webhookOf('w1')], 'the webhooks then')
    expectSame(await auditIds(store), ['e2'], 'the audit')
  }),
  storeCase('C20, C33: creates a webhook once, and no more than an owner may have', async ({ store }) => {
    const insert = (id: string) => store.insertWebhook(webhookOf(id), 2, onceOf('k'), [auditOf(id)])
    expectSame((await insert('w1')).kind, 'created', 'the first')
    expectSame((await insert('w2')).kind, 'repeated', 'a repeat')
    await store.insertWebhook(webhookOf('w3'), 2, undefined)
    const third = await store.insertWebhook(webhookOf('w4'), 2, undefined, [auditOf('w4')])
    expectSame(third, { kind: 'too_many' }, 'one too many')
    expectSame((await store.listWebhooks('ann')).length, 2, 'how many there are')
    expectSame(await auditIds(store), ['w1'], 'the audit')
  }),
  storeCase('C33: disabling drops what waits, and enabling begins anew', async ({ store }) => {
    await withSearches(store)
    await settle(store, 's1')
    const off = { enabled: false, url: 'https://new.example' }
    const disabled = await store.updateWebhook('ann', 'w1', off, at(6), [auditOf('e1')])
    expectSame(disabled, webhookOf('w1', { ...off, updatedAt: at(6) }), 'the webhook')
    expectSame(await store.listWebhookTypes(), [], 'the types')
    await settle(store, 's2')
    const enabled = await store.updateWebhook('ann', 'w1', { enabled: true }, at(7))
    expectSame(enabled?.enabled, true, 'the webhook, enabled')
    expectSame(await claim(store, 8), [], 'what is due')
    const [dropped] = await store.listDeliveries('w1', 9)
    expectSame(
      [dropped?.status, dropped?.nextAt, dropped?.error],
      ['failed', null, 'The webhook was disabled'],
      'what waited',
    )
    expectSame(
      await store.updateWebhook('bob', 'w1', off, at(9), [auditOf('e2')]),
      undefined,
      "a stranger's change",
    )
    expectSame(await auditIds(store), ['e1'], 'the audit')
  }),
]

const storing: readonly CloudStoreCase[] = [
  storeCase(
    'C33: stores each event with the act, for the webhooks of its owner that want it',
    async ({ store }) => {
      const all = [
        'device.registered',
        'device.deleted',
        'device.offline',
        'search.settled',
        'upload.settled',
      ]
      await withDevices(store, [deviceOf('before')])
      await add(store, webhookOf('w1', { events: all }), webhookOf('w2', { events: ['device.deleted'] }))
      await add(
        store,
        webhookOf('b1', { owner: 'bob', events: all }),
        webhookOf('off', { events: all, enabled: false }),
      )
      await withDevices(store)
      await store.insertSearches('ann', [searchOf('s1'), searchOf('s2')], undefined)
      await settle(store, 's1')
      await settle(store, 's1', 6)
      await store.endSearch('ann', 's2', at(7))
      await store.insertUploads('ann', [uploadOf('u1')], undefined)
      await store.cancelUpload('ann', 'u1', at(8))
      await store.writeHeartbeats([{ deviceId: 'd1', lastSeenAt: at(9) }], at(999))
      await store.claimOffline({ deviceIds: ['d1'], seenBefore: at(20), now: at(30) })
      await store.deleteDevice('ann', 'd1')
      const told = [
        'device.registered',
        'search.settled',
        'search.settled',
        'upload.settled',
        'device.offline',
      ]
      expectSame(await typesOf(store), [...told, 'device.deleted'], 'the events')
      expectSame(await typesOf(store, 'w2'), ['device.deleted'], 'the events of the other webhook')
      expectSame([await typesOf(store, 'b1'), await typesOf(store, 'off')], [[], []], 'the events of others')
      const [, settled] = (await store.listDeliveries('w1', 9)).toReversed()
      const data = {
        searchId: 's1',
        deviceId: 'd1',
        groupId: null,
        status: 'completed',
        outcome: 'completed',
      }
      expectSame([settled?.data, settled?.at, settled?.subject], [data, at(5), 'd1'], 'an event')
    },
  ),
  storeCase(
    'C33: stores an event of a group once, with the look that finds it settled',
    async ({ store }) => {
      await withDevices(store)
      await store.insertSearches(
        'ann',
        [searchOf('s1', { groupId: 'g1' }), searchOf('s2', { groupId: 'g1' })],
        undefined,
        [],
        groupOf('g1'),
      )
      await add(store, webhookOf('w1', { events: ['group.settled'] }))
      await settle(store, 's1')
      await store.settleGroups(['g1'], at(6))
      expectSame(await store.listDeliveries('w1', 9), [], 'what is told before')
      await settle(store, 's2')
      await Promise.all([store.settleGroups(['g1'], at(7)), store.settleGroups(['g1'], at(7))])
      const told = (await store.listDeliveries('w1', 9)).map((each) => [each.type, each.data, each.at])
      expectSame(told, [['group.settled', { groupId: 'g1', outcome: 'completed' }, at(7)]], 'what is told')
    },
  ),
  storeCase('C33: tells how work ended, also of what expired or was removed', async ({ store }) => {
    await withDevices(store, [deviceOf('d1'), deviceOf('d2')])
    const groups = ['g1', 'g2'].map((id) => groupOf(id))
    await add(store, webhookOf('w1', { events: ['search.settled', 'upload.settled', 'group.settled'] }))
    const later = { expiresAt: at(900) }
    await store.insertSearches('ann', [searchOf('over', { groupId: 'g1' })], undefined, [], groups[0])
    await store.insertSearches(
      'ann',
      [
        searchOf('canceled', { ...later, groupId: 'g2' }),
        searchOf('removed', { ...later, deviceId: 'd2' }),
        searchOf('done', { deviceId: 'd2' }),
      ],
      undefined,
      [],
      groups[1],
    )
    const outcome = { status: 'failed', results: null, error: 'no disk' } as const
    await store.settleSearch({ id: 'done', deviceId: 'd2', outcome, now: at(5) })
    await store.insertUploads(
      'ann',
      [uploadOf('late'), uploadOf('gone', { ...later, deviceId: 'd2' })],
      undefined,
    )
    await store.expireWork(9, at(100))
    await store.settleGroups([], at(100))
    await store.removeGroup('ann', 'g2')
    await store.endGroupSearches('g2', 9, at(101))
    await store.deleteDevice('ann', 'd2')
    const told = (await store.listDeliveries('w1', 99)).map(({ data }) =>
      [data['searchId'] ?? data['requestId'] ?? data['groupId'], data['outcome']].join(' '),
    )
    const expected = [
      'canceled canceled',
      'done failed',
      'g1 expired',
      'g2 canceled',
      'gone removed',
      'late expired',
      'over expired',
      'removed removed',
    ]
    expectSame(told.toSorted(), expected, 'the events')
  }),
  storeCase('C30: keeps the filter of a webhook, and removes what it leaves out', async ({ store }) => {
    await withSearches(store)
    const filter = { labels: ["it's"], ids: ['d1'] }
    const limited = webhookOf('w2', { filter })
    await add(store, limited)
    expectSame(await store.findWebhook('ann', 'w2'), limited, 'the webhook')
    expectSame(
      (await store.listWebhooks('ann')).map((each) => each.filter ?? null),
      [filter, null],
      'the list',
    )
    const changed = await store.updateWebhook('ann', 'w2', { enabled: true }, at(1))
    expectSame(changed?.filter, filter, 'the filter after a change')
    await settle(store, 's1')
    const due = await claim(store, 6)
    const hooks = due.map(({ webhook }) => webhook).toSorted((a, b) => (a.id < b.id ? -1 : 1))
    expectSame(
      hooks.map(({ id, filter: own }) => [id, own ?? null]),
      [
        ['w1', null],
        ['w2', filter],
      ],
      'what is due',
    )
    const others = due.filter(({ webhook }) => webhook.filter).map(({ delivery }) => delivery)
    await store.removeDeliveries([...others, { webhookId: 'w1', id: 'unknown' }])
    const left = [await store.listDeliveries('w1', 9), await store.listDeliveries('w2', 9)]
    expectSame(
      left.map((rows) => rows.length),
      [1, 0],
      'what is left',
    )
  }),
  storeCase('C33: takes events that no other verb knows of, each once', async ({ store }) => {
    await add(store, webhookOf('w1', { events: ['device.online'] }))
    const event = {
      id: 'e1',
      owner: 'ann',
      type: 'device.online',
      subject: 'd1',
      data: { a: '"%' },
      at: at(3),
    }
    await store.addWebhookEvents([
      event,
      { ...event, id: 'e2', owner: 'bob' },
      { ...event, id: 'e3', type: 'x' },
    ])
    await store.addWebhookEvents([event])
    const [delivery, ...more] = await store.listDeliveries('w1', 9)
    const { owner: _owner, ...kept } = event
    const fresh = {
      status: 'pending',
      attempts: 0,
      nextAt: '',
      lastAttemptAt: null,
      responseCode: null,
      error: null,
    }
    expectSame(delivery, { ...kept, webhookId: 'w1', ...fresh }, 'the delivery')
    expectSame(more, [], 'the others')
  }),
]

/** Promises of `WebhookStore` but for delivering. */
export const webhookCases: readonly CloudStoreCase[] = [...managing, ...storing]
