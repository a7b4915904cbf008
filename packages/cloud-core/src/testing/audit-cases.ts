import { quotaExceededError } from '@homeward/contract/device-cloud'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
import type { PagePosition } from '../ports/page.ts'
import { expectRejection, expectSame, race } from '@homeward/kit/testing'
import type { CloudStoreCase } from './store-harness.ts'
import {
  at,
  auditOf,
  deviceOf,
  keyOf,
  onceOf,
  searchOf,
  storeCase,
  uploadOf,
  withDevices,
} from './store-harness.ts'

const page = { limit: 50 }

async function idsOf(store: CloudStore, filter = {}, now = at(1), userId = 'ann'): Promise<string[]> {
  return (await store.listAudit(userId, filter, page, now)).rows.map(({ id }) => id)
}

function rotation(name: string, owner = 'ann') {
  return { owner, deviceId: 'd1', key: keyOf(name), previousUntil: at(9), now: at(1) }
}

/** Promises of `AuditStore`. */
export const auditCases: readonly CloudStoreCase[] = [
  storeCase(
    'C24: keeps entries as they are, newest first, and shows a user nobody else’s',
    async ({ store }) => {
      const odd: NewAuditEntry = auditOf('e2', {
        createdAt: at(2),
        action: 'file:downloaded',
        outcome: 'refused',
        reason: 'File not found',
        deviceId: null,
        subjectId: "'; drop table audit; --",
        name: 'naïve "🖥️" %_\\',
        address: null,
      })
      await store.appendAudit([auditOf('e1'), odd])
      await store.appendAudit([auditOf('e3', { userId: 'bob' })])
      const { expiresAt: _one, ...first } = auditOf('e1')
      const { expiresAt: _two, ...second } = odd
      expectSame(await store.listAudit('ann', {}, page, at(3)), { rows: [second, first] }, 'the entries')
      expectSame(await idsOf(store, {}, at(3), 'bob'), ['e3'], "another user's entries")
      expectSame(await idsOf(store, {}, at(3), 'eve'), [], 'the entries of nobody')
    },
  ),
  storeCase('C30: tells a device who asked it for what, and what it has not answered', async ({ store }) => {
    await withDevices(store)
    const search = (id: string, second: number, changes = {}) =>
      searchOf(id, { createdAt: at(second), expiresAt: at(50), ...changes })
    const searches = [
      search('s1', 1, { actor: 'token:Ann' }),
      search('s2', 2),
      search('s3', 3, { refused: quotaExceededError }),
      search('s5', 5),
    ]
    await store.insertSearches('ann', searches, undefined)
    await store.insertDevice(deviceOf('d9'), undefined)
    await store.insertSearches('ann', [search('s4', 4, { deviceId: 'd9' })], undefined)
    await store.insertUploads('ann', [uploadOf('u1', { createdAt: at(6), actor: 'bob' })], undefined)
    const [pending] = await store.listPendingSearches('d1', 9, at(7))
    expectSame(pending?.actor, 'token:Ann', 'who asks, in the list of the device')
    expectSame((await store.listPendingUploads('d1', 9, at(7)))[0]?.actor, 'bob', 'who asks for a file')
    const outcome = { status: 'completed', results: {}, error: null } as const
    await store.settleSearch({ id: 's1', deviceId: 'd1', outcome, now: at(7) })
    await store.endSearch('ann', 's5', at(7), { canceled: auditOf('e1'), erased: auditOf('e2') })
    const first = await store.listAsked('d1', { limit: 2 }, at(60))
    const upload = { id: 'u1', kind: 'upload', createdAt: at(6), actor: 'bob', unanswered: 'pending' }
    const canceled = { id: 's5', kind: 'search', createdAt: at(5), unanswered: 'canceled' }
    expectSame(first, { rows: [upload, canceled], next: { createdAt: at(5), id: 's5' } }, 'the first page')
    const rest = await store.listAsked('d1', { limit: 9, after: first.next! }, at(60))
    const expired = { id: 's2', kind: 'search', createdAt: at(2), unanswered: 'expired' }
    const answered = { id: 's1', kind: 'search', createdAt: at(1), actor: 'token:Ann' }
    expectSame(rest, { rows: [expired, answered] }, 'the rest')
    await store.expireWork(9, at(200))
    const [late] = (await store.listAsked('d1', { limit: 1 }, at(200))).rows
    expectSame(late?.unanswered, 'expired', 'a request that was written down as expired')
  }),
  storeCase('C30: keeps who acted, lists by it, and has no actor where there was none', async ({ store }) => {
    const acted = auditOf('e2', { createdAt: at(2), actor: 'token:Ann' })
    await store.appendAudit([auditOf('e1', { createdAt: at(1) }), acted])
    await store.appendAudit([auditOf('e3', { createdAt: at(3), actor: 'token:ann' })])
    await store.appendAudit([auditOf('e4', { createdAt: at(4), actor: 'token:Ann', deviceId: 'd2' })])
    expectSame(await idsOf(store, { actor: 'token:Ann' }, at(9)), ['e4', 'e2'], 'the entries of an actor')
    const filter = { actor: 'token:Ann', deviceId: 'd1', action: 'device:registered' } as const
    const { expiresAt: _expiresAt, ...entry } = acted
    expectSame(
      (await store.listAudit('ann', filter, page, at(9))).rows,
      [entry],
      'the entries of all filters',
    )
    const { rows } = await store.listAudit('ann', { to: at(2) }, page, at(9))
    expectSame(
      rows.map((row) => 'actor' in row),
      [false],
      'whether there is an actor',
    )
  }),
  storeCase('C24: lists entries by action, device and time, in any combination', async ({ store }) => {
    await store.appendAudit(
      [1, 2, 3, 4].map((second) =>
        auditOf(`e${second}`, {
          createdAt: at(second),
          action: second % 2 === 0 ? 'key:revealed' : 'key:rotated',
          deviceId: second < 3 ? 'd1' : 'd2',
        }),
      ),
    )
    const filters = [
      { action: 'key:revealed' },
      { deviceId: 'd1' },
      { deviceId: 'd2', action: 'key:revealed' },
      { from: at(2) },
      { to: at(2) },
      { from: at(2), to: at(4), action: 'key:rotated' },
      { deviceId: 'nowhere' },
    ] as const
    const found = await Promise.all(filters.map((filter) => idsOf(store, filter, at(9))))
    const wanted = [['e4', 'e2'], ['e2', 'e1'], ['e4'], ['e4', 'e3', 'e2'], ['e1'], ['e3'], []]
    expectSame(found, wanted, 'the entries')
  }),
  storeCase(
    'C11, C24: pages through entries, none missed or doubled while others are added',
    async ({ store }) => {
      const ids = Array.from({ length: 8 }, (_, index) => `e${index}`)
      const times = ids.map((_, index) => at(10 + Math.floor(index / 3)))
      await store.appendAudit(ids.map((id, index) => auditOf(id, { createdAt: times[index]! })))
      const seen: string[] = []
      let after: PagePosition | undefined
      do {
        const found = await store.listAudit('ann', {}, { limit: 3, ...(after && { after }) }, at(20))
        seen.push(...found.rows.map(({ id }) => id))
        after = found.next
        await store.appendAudit([auditOf(`new${seen.length}`, { createdAt: at(50) })])
      } while (after !== undefined)
      expectSame(seen, ids.toReversed(), 'the rows')
    },
  ),
  storeCase('C24: forgets an entry when its time is over, and keeps one that has none', async ({ store }) => {
    await store.appendAudit([auditOf('e1', { expiresAt: at(10) }), auditOf('e2', { expiresAt: null })])
    expectSame(await idsOf(store, {}, at(9)), ['e2', 'e1'], 'the entries before')
    expectSame(await idsOf(store, {}, at(10)), ['e2'], 'the entries when its time is over')
    await store.appendAudit([auditOf('e3', { createdAt: at(2000), expiresAt: null })])
    expectSame(await idsOf(store, {}, at(2000)), ['e3', 'e2'], 'the entries long afterwards')
  }),
  storeCase(
    'C32: lists an act on several devices for each that it names, and for all where it was on more',
    async ({ store }) => {
      const act = (id: string, count: number, ids: string[]) =>
        auditOf(id, { createdAt: at(count), deviceId: null, devices: { count, ids } })
      const entries = [act('two', 2, ['d1', 'd2']), act('many', 3, ['d1', 'd2']), act('odd', 1, ['d"%_'])]
      await store.appendAudit([auditOf('one'), ...entries])
      await store.appendAudit([{ ...act('bobs', 9, []), userId: 'bob' }])
      const found = await Promise.all(
        ['d1', 'd2', 'd3', 'd', 'd"%_'].map((deviceId) => idsOf(store, { deviceId }, at(9))),
      )
      const wanted = [['many', 'two', 'one'], ['many', 'two'], ['many'], ['many'], ['many', 'odd']]
      expectSame(found, wanted, 'the entries')
      const [first] = (await store.listAudit('ann', { deviceId: 'd2' }, { limit: 1 }, at(9))).rows
      expectSame(first?.devices, { count: 3, ids: ['d1', 'd2'] }, 'the devices')
      const after = { createdAt: at(3), id: 'many' }
      const rest = await store.listAudit('ann', { deviceId: 'd1' }, { limit: 1, after }, at(9))
      expectSame([rest.rows[0]?.id, rest.next?.id], ['two', 'two'], 'the next page')
    },
  ),
  storeCase('C24: adds entries all together or not at all', async ({ store }) => {
    await store.appendAudit([auditOf('e1')])
    await expectRejection(() => store.appendAudit([auditOf('e2'), auditOf('e1')]), 'an id that is in use')
    expectSame(await idsOf(store), ['e1'], 'the entries')
    await store.appendAudit([])
  }),
  storeCase('C24: records what is done along with it', async ({ store }) => {
    await store.insertDevice(deviceOf('d1'), undefined, [auditOf('a')])
    await store.insertSearches('ann', [searchOf('s1')], undefined, [auditOf('b')])
    await store.insertUploads('ann', [uploadOf('u1')], undefined, [auditOf('c')])
    await store.rotateKey(rotation('new'), [auditOf('d')])
    await store.cancelUpload('ann', 'u1', at(1), [auditOf('e', { deviceId: null })])
    await store.deleteDevice('ann', 'd1', [auditOf('f')])
    expectSame(await idsOf(store), ['f', 'e', 'd', 'c', 'b', 'a'], 'the entries')
    expectSame((await idsOf(store, { deviceId: 'd1' })).length, 6, 'how many name the device')
  }),
  storeCase('C24: records nothing of what is not done', async ({ store }) => {
    await withDevices(store)
    await store.insertUploads('ann', [uploadOf('u1')], undefined)
    await store.cancelUpload('ann', 'u1', at(1))
    await store.insertDevice(deviceOf('d2'), onceOf('k'))
    await store.insertSearches('ann', [], onceOf('s'))
    await store.insertDevice(deviceOf('d3'), onceOf('k'), [auditOf('a')])
    await store.insertSearches('ann', [searchOf('s1')], onceOf('s'), [auditOf('b')])
    await store.insertSearches('ann', [searchOf('s2', { deviceId: 'nowhere' })], undefined, [auditOf('c')])
    await store.insertUploads('bob', [uploadOf('u2')], undefined, [auditOf('d', { userId: 'bob' })])
    await store.rotateKey(rotation('new', 'bob'), [auditOf('e', { userId: 'bob' })])
    expectSame(
      (await store.cancelUpload('ann', 'u1', at(2), [auditOf('f')])).kind,
      'canceled',
      'canceling again',
    )
    await store.cancelUpload('bob', 'u1', at(2), [auditOf('g', { userId: 'bob' })])
    await store.deleteDevice('bob', 'd1', [auditOf('h', { userId: 'bob' })])
    const clash = () => store.insertDevice(deviceOf('d1'), undefined, [auditOf('i')])
    await expectRejection(clash, 'an id that is in use')
    expectSame([await idsOf(store), await idsOf(store, {}, at(3), 'bob')], [[], []], 'the entries')
  }),
  storeCase('C24: records a creation once, however many repeats race', async ({ store }) => {
    await race((index) => store.insertDevice(deviceOf(`d${index}`), onceOf('k'), [auditOf(`e${index}`)]))
    expectSame((await idsOf(store)).length, 1, 'how many entries there are')
  }),
]
