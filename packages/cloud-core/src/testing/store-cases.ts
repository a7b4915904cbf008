import type { CloudStore } from '../ports/cloud-store.ts'
import { expectRejection, expectSame, expectTrue } from '@homeward/kit/testing'
import { savedOf } from './saved-search-cases.ts'
import type { CloudStoreCase, CloudStoreSetup } from './store-harness.ts'
import {
  at,
  auditOf,
  deviceOf,
  keyOf,
  groupOf,
  online,
  searchOf,
  storeCase,
  uploadOf,
  withDevices,
} from './store-harness.ts'

const settle = (store: CloudStore, id: string) =>
  store.settleSearch({
    id,
    deviceId: 'd1',
    outcome: { status: 'completed', results: {}, error: null },
    now: at(1),
  })

async function fill(store: CloudStore): Promise<void> {
  await withDevices(store)
  await store.insertSearches('ann', [searchOf('s1'), searchOf('s2')], undefined)
  await store.insertUploads('ann', [uploadOf('u1')], undefined)
}

async function expectStatements(
  setup: CloudStoreSetup,
  call: () => Promise<unknown>,
  kinds: readonly string[],
) {
  if (setup.statements === undefined) return
  const before = setup.statements().length
  await call()
  expectSame(
    setup
      .statements()
      .slice(before)
      .map(({ kind }) => kind),
    kinds,
    'the statements',
  )
}

const budgetCases: readonly CloudStoreCase[] = [
  storeCase(
    'keeps the statement budget: a poll, a count and an authentication are one read',
    async (setup) => {
      const { store } = setup
      await fill(store)
      await expectStatements(setup, () => store.listPendingSearches('d1', 20, at(1)), ['read'])
      await expectStatements(setup, () => store.listPendingUploads('d1', 20, at(1)), ['read'])
      await expectStatements(setup, () => store.countPending('d1', at(1)), ['read'])
      await expectStatements(setup, () => store.findDeviceByKeyHash('hash-d1', at(1)), ['read'])
    },
  ),
  storeCase('keeps the statement budget: a report that settles is one write', async (setup) => {
    await fill(setup.store)
    await expectStatements(setup, () => settle(setup.store, 's1'), ['write'])
  }),
]

function mutations(store: CloudStore, signal: AbortSignal): readonly (() => Promise<unknown>)[] {
  const lease = { id: 'u1', deviceId: 'd1', blobId: 'b', leaseUntil: at(9), now: at(1) }
  const rotation = { owner: 'ann', deviceId: 'd1', key: keyOf('new'), previousUntil: at(9), now: at(1) }
  const outcome = { status: 'failed', error: 'e', results: null } as const
  return [
    () => store.insertDevice(deviceOf('d2'), undefined, [], signal),
    () => store.writeHeartbeats([{ deviceId: 'd1', lastSeenAt: at(5) }], at(5), signal),
    () => store.deleteDevice('ann', 'd1', [], signal),
    () => store.rotateKey(rotation, [], signal),
    () => store.retirePreviousKey('d1', 'hash-d1', signal),
    () => store.insertSearches('ann', [searchOf('s9')], undefined, [], groupOf('g9'), signal),
    () => store.settleSearch({ id: 's1', deviceId: 'd1', outcome, now: at(1) }, signal),
    () => store.insertUploads('ann', [uploadOf('u9')], undefined, [], undefined, signal),
    () => store.leaseUpload(lease, signal),
    () => store.settleUpload({ id: 'u1', deviceId: 'd1', outcome, now: at(1) }, signal),
    () => store.cancelUpload('ann', 'u1', at(1), [], signal),
    () => store.claimGroup({ leaseId: 'p', now: at(1), leaseUntil: at(9) }, signal),
    () =>
      store.extendGroup(
        { id: 'g1', leaseId: 'p', now: at(1), leaseUntil: at(9), work: [], rest: null },
        signal,
      ),
    () => store.insertSavedSearch(savedOf('v1'), 9, undefined, [], signal),
    () => store.replaceSavedSearch(savedOf('v1'), [], signal),
    () => store.deleteSavedSearch('ann', 'v1', [], signal),
    () => store.runDueSavedSearch({ id: 'v1', dueAt: at(1), nextAt: null, group: groupOf('g8') }, signal),
    () => store.endSearch('ann', 's1', at(1), undefined, signal),
    () => store.removeGroup('ann', 'g1', [], signal),
    () => store.endGroupSearches('g1', 9, at(1), signal),
    () => store.settleGroups(['g1'], at(1), signal),
    () => store.appendAudit([auditOf('e9')], signal),
  ]
}

function reads(store: CloudStore, signal?: AbortSignal): readonly (() => Promise<unknown>)[] {
  return [
    () => store.findDeviceByKeyHash('hash-d1', at(1), signal),
    () => store.findDevice('ann', 'd1', signal),
    () => store.listDevices('ann', {}, { limit: 9 }, online, signal),
    () => store.listPendingSearches('d1', 9, at(1), signal),
    () => store.listSearches('ann', {}, { limit: 9 }, at(1), signal),
    () => store.listPendingUploads('d1', 9, at(1), signal),
    () => store.listUploads('ann', {}, { limit: 9 }, at(1), signal),
    () => store.findFile('ann', 'b', signal),
    () => store.countPending('d1', at(1), signal),
    () => store.listAudit('ann', {}, { limit: 9 }, at(1), signal),
  ]
}

const lifeCases: readonly CloudStoreCase[] = [
  storeCase('gives up with the reason of its signal and changes nothing', async ({ store }) => {
    await fill(store)
    const look = () => Promise.all(reads(store).map((read) => read()))
    const before = await look()
    const reason = new Error('enough')
    for (const call of [
      ...mutations(store, AbortSignal.abort(reason)),
      ...reads(store, AbortSignal.abort(reason)),
    ]) {
      expectTrue(
        (await expectRejection(call, 'a call whose signal has aborted')) === reason,
        'that the reason is given',
      )
    }
    expectSame(await look(), before, 'the store afterwards')
  }),
  storeCase('refuses every call once it is closed, and closes twice without complaint', async ({ store }) => {
    await fill(store)
    await store.close()
    await store.close()
    const { signal } = new AbortController()
    for (const call of [...mutations(store, signal), ...reads(store)])
      await expectRejection(call, 'a call after close')
  }),
  storeCase('finishes what was asked for before it closed', async ({ store, reopen }) => {
    if (reopen === undefined) return
    await fill(store)
    const settled = settle(store, 's1')
    await store.close()
    expectSame(await settled, { kind: 'settled' }, 'the outcome')
    const again = await reopen()
    try {
      expectSame(
        (await settle(again, 's1')).kind,
        'already',
        'the outcome of a repeat after opening it again',
      )
      expectSame((await again.listPendingSearches('d1', 9, at(1))).length, 1, 'the pending searches')
      expectSame((await again.findDeviceByKeyHash('hash-d1', at(1)))?.device, deviceOf('d1'), 'the device')
      expectSame((await again.listPendingUploads('d1', 9, at(1))).length, 1, 'the pending upload requests')
    } finally {
      await again.close()
    }
  }),
]

/** Promises of `CloudStore` as a whole. */
export const storeCases: readonly CloudStoreCase[] = [...budgetCases, ...lifeCases]
