import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../memory/index.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
import { cloudStoreConformance } from './index.ts'

type Method = keyof CloudStore

const methods = Object.keys(createMemoryStore()) as Method[]

/** Names of the cases that a store does not pass. */
async function failures(breakStore: (store: CloudStore) => CloudStore): Promise<string[]> {
  const failed: string[] = []
  for (const { name, run } of cloudStoreConformance) {
    await run({ create: async () => ({ store: breakStore(createMemoryStore()) }) }).catch(() =>
      failed.push(name),
    )
  }
  return failed
}

it('a store that is whole passes the kit', async () => {
  expect(await failures((store) => store)).toEqual([])
})

const answers: Record<string, unknown> = {
  undefined,
  'an empty list': [],
  'an empty object': {},
  'an empty page': { rows: [] },
  created: { kind: 'created' },
  settled: { kind: 'settled' },
  unknown: { kind: 'unknown' },
}

describe.each(methods)('a store whose %s is emptied out', (method) => {
  it.each(Object.keys(answers))('fails the kit when it answers %s', async (answer) => {
    const empty = (store: CloudStore) => ({ ...store, [method]: async () => answers[answer] })
    expect(await failures(empty)).not.toEqual([])
  })
})

/** A store that is told other texts: of those that `fold` makes one of, it only ever sees the first. */
const folding = (fold: (text: string) => string) => (store: CloudStore) => {
  const first = new Map<string, string>()
  const folded = (_key: string, value: unknown) => {
    if (typeof value !== 'string') return value
    if (!first.has(fold(value))) first.set(fold(value), value)
    return first.get(fold(value))
  }
  return telling(store, (value) => JSON.parse(JSON.stringify(value), folded))
}

/** A store that is told something else than it was given. */
const telling = (store: CloudStore, change: (value: unknown) => unknown) => {
  const entries = Object.entries(store).map(([name, call]) => [
    name,
    (...args: unknown[]) =>
      (call as (...args: unknown[]) => unknown)(
        ...args.map((value) => (value === undefined || value instanceof AbortSignal ? value : change(value))),
      ),
  ])
  return Object.fromEntries(entries) as CloudStore // the same verbs
}

const isTime = /^\d{4}-.*Z$/
const toSecond = (value: unknown) =>
  typeof value === 'string' && isTime.test(value) ? value.replace(/\.\d+/, '.000') : value
const withoutFractions = (value: unknown) => (typeof value === 'number' ? Math.trunc(value) : value)
const withoutEmpty = (value: unknown) => (value === '' ? null : value)
const replacing = (change: (value: unknown) => unknown) => (store: CloudStore) =>
  telling(store, (value) => JSON.parse(JSON.stringify(value), (_key, held: unknown) => change(held)))

const brokenStores: Record<string, (store: CloudStore) => CloudStore> = {
  'takes no account of case': folding((text) => text.toLowerCase()),
  'takes no account of a space at the end': folding((text) => text.trimEnd()),
  'takes no account of how an accent is written': folding((text) => text.normalize('NFC')),
  'takes no account of accents': folding((text) => text.normalize('NFD').replace(/\p{M}/gu, '')),
  'keeps times to the second': replacing(toSecond),
  'keeps no fractions': replacing(withoutFractions),
  'keeps an empty text as none': replacing(withoutEmpty),
  'takes no more than 500 rows for a page': (store) => ({
    ...store,
    listSearches: (owner, filter, page, now, signal) =>
      store.listSearches(owner, filter, { ...page, limit: Math.min(page.limit, 500) }, now, signal),
  }),
  'adds upload requests one by one': (store) => ({
    ...store,
    async insertUploads(owner, uploads, once, audit, signal) {
      if (once) return store.insertUploads(owner, uploads, once, audit, signal)
      for (const upload of uploads) {
        const outcome = await store.insertUploads(owner, [upload], undefined, audit, signal)
        if (outcome.kind !== 'created') return outcome
      }
      return store.insertUploads(owner, [], undefined, [], signal)
    },
  }),
  'says that there is more behind the last search': (store) => ({
    ...store,
    async listSearches(owner, filter, page, now, signal) {
      const { rows } = await store.listSearches(owner, filter, page, now, signal)
      const last = rows.at(-1)
      return last ? { rows, next: { createdAt: last.createdAt, id: last.id } } : { rows }
    },
  }),
  'ignores signals': (store) => ({ ...store, settleSearch: (report) => store.settleSearch(report) }),
  'ignores the limit of a poll': (store) => ({
    ...store,
    listPendingSearches: (deviceId, _limit, now, signal) =>
      store.listPendingSearches(deviceId, 1000, now, signal),
  }),
  'ignores repeats of searches': (store) => ({
    ...store,
    insertSearches: (owner, searches, _once, audit, signal) =>
      store.insertSearches(owner, searches, undefined, audit, signal),
  }),
  'ignores repeats of upload requests': (store) => ({
    ...store,
    insertUploads: (owner, uploads, _once, audit, signal) =>
      store.insertUploads(owner, uploads, undefined, audit, signal),
  }),
  'ignores repeats of devices': (store) => ({
    ...store,
    insertDevice: (device, _once, audit, signal) => store.insertDevice(device, undefined, audit, signal),
  }),
  'ignores a status filter': (store) => ({
    ...store,
    listSearches: (owner, { status: _status, ...filter }, page, now, signal) =>
      store.listSearches(owner, filter, page, now, signal),
  }),
  'ignores a device filter': (store) => ({
    ...store,
    listUploads: (owner, { deviceId: _deviceId, ...filter }, page, now, signal) =>
      store.listUploads(owner, filter, page, now, signal),
  }),
  'gives out leases without counting them': (store) => ({
    ...store,
    leaseUpload: ({ maxLeases: _maxLeases, ...lease }, signal) => store.leaseUpload(lease, signal),
  }),
  'takes leases away from newer attempts': (store) => ({
    ...store,
    leaseUpload: ({ yields: _yields, ...lease }, signal) => store.leaseUpload(lease, signal),
  }),
  'looks whose a lease is before it ends it': (store) => {
    const holders = new Map<string, string>()
    return {
      ...store,
      async leaseUpload({ yields = false, ...lease }, signal) {
        const { id: requestId, blobId, now } = lease
        const isOther = yields && holders.get(requestId) !== blobId
        const filter = { requestId, status: 'uploading' } as const
        const { rows } = await store.listUploads('ann', filter, { limit: 1 }, now)
        if (isOther && rows.length > 0) return { kind: 'held', filePath: `/home/${requestId}` }
        holders.set(requestId, blobId)
        return store.leaseUpload(lease, signal)
      },
    }
  },
  'counts leases before it gives one out': (store) => ({
    ...store,
    async leaseUpload({ maxLeases = Infinity, ...lease }, signal) {
      const filter = { deviceId: lease.deviceId, status: 'uploading' } as const
      const { rows } = await store.listUploads('ann', filter, { limit: 9 }, lease.now)
      if (rows.filter(({ id }) => id !== lease.id).length >= maxLeases) return { kind: 'busy' }
      return store.leaseUpload(lease, signal)
    },
  }),
  'starts every page at the newest': (store) => ({
    ...store,
    listDevices: (owner, filter, { limit }, online, signal) =>
      store.listDevices(owner, filter, { limit }, online, signal),
  }),
  'never expires a search': (store) => ({
    ...store,
    listPendingSearches: (deviceId, limit, _now, signal) =>
      store.listPendingSearches(deviceId, limit, '1970-01-01T00:00:00.000Z', signal),
  }),
  'drops metadata of beats': (store) => ({
    ...store,
    writeHeartbeats: (batch, latest, signal) =>
      store.writeHeartbeats(
        batch.map(({ deviceId, lastSeenAt }) => ({ deviceId, lastSeenAt })),
        latest,
        signal,
      ),
  }),
  'believes every heartbeat': (store) => ({
    ...store,
    writeHeartbeats: (batch, _latest, signal) => store.writeHeartbeats(batch, '9999', signal),
  }),
  'keeps no audit of what its verbs do': (store) => ({
    ...store,
    insertSearches: (owner, searches, once, _audit, signal) =>
      store.insertSearches(owner, searches, once, undefined, signal),
  }),
  'keeps an audit of repeats': (store) => ({
    ...store,
    async insertDevice(device, once, audit, signal) {
      const outcome = await store.insertDevice(device, once, undefined, signal)
      await store.appendAudit(audit ?? [])
      return outcome
    },
  }),
  'keeps an audit of refused rotations': (store) => ({
    ...store,
    async rotateKey(rotation, audit, signal) {
      await store.appendAudit(audit ?? [])
      return store.rotateKey(rotation, undefined, signal)
    },
  }),
  'shows the audit of everybody': (store) => ({
    ...store,
    listAudit: (_userId, filter, page, now, signal) => store.listAudit('ann', filter, page, now, signal),
  }),
  'keeps the audit for ever': (store) => ({
    ...store,
    listAudit: (userId, filter, page, _now, signal) =>
      store.listAudit(userId, filter, page, '1970-01-01T00:00:00.000Z', signal),
  }),
  'ignores the times of an audit filter': (store) => ({
    ...store,
    listAudit: (userId, { from: _from, to: _to, ...filter }, page, now, signal) =>
      store.listAudit(userId, filter, page, now, signal),
  }),
  'keeps the previous key for ever': (store) => ({
    ...store,
    findDeviceByKeyHash: (hash, _now, signal) =>
      store.findDeviceByKeyHash(hash, '1970-01-01T00:00:00.000Z', signal),
  }),
}

it.each(Object.keys(brokenStores))('a store that %s fails the kit', async (name) => {
  expect(await failures(brokenStores[name] ?? ((store) => store))).not.toEqual([])
})

const overspent = (extra: 'read' | 'write', method: Method) => {
  const statements: { kind: 'read' | 'write' }[] = []
  const counted: Record<string, 'read' | 'write'> = { settleSearch: 'write' }
  const store = createMemoryStore()
  const entries = Object.entries(store).map(([name, call]) => [
    name,
    (...args: never[]) => {
      statements.push({ kind: counted[name] ?? 'read' })
      if (name === method) statements.push({ kind: extra })
      return (call as (...args: never[]) => unknown)(...args)
    },
  ])
  return { store: Object.fromEntries(entries) as CloudStore, statements: () => statements }
}

it.each([
  'listPendingSearches',
  'listPendingUploads',
  'countPending',
  'findDeviceByKeyHash',
  'settleSearch',
] as const)('a store that spends one statement too many on %s fails the kit', async (method) => {
  const failed: string[] = []
  for (const { name, run } of cloudStoreConformance) {
    await run({ create: async () => overspent('read', method) }).catch(() => failed.push(name))
  }
  expect(failed).toEqual([expect.stringContaining('statement budget')])
})
