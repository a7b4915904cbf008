import type { CloudStore } from '../../ports/cloud-store.ts'
import type { SearchOutcome } from '../../ports/search-store.ts'
import { savedOf } from '../saved-search-cases.ts'
import {
  at,
  auditOf,
  deviceOf,
  groupOf,
  keyOf,
  onceOf,
  online,
  searchOf,
  uploadOf,
} from '../store-harness.ts'
import { act, type Act } from './act.ts'
import { enrollmentRounds, lookAtEnrollments } from './enrollment-rounds.ts'

const completed: SearchOutcome = { status: 'completed', results: { files: [] }, error: null }
const filed: SearchOutcome = { status: 'completed', results: null, error: null, resultsBlobId: 'r3' }
const failed: SearchOutcome = { status: 'failed', results: null, error: 'no' }
const settle = (id: string, outcome: SearchOutcome) =>
  act(`settle ${id} as ${outcome.status}`, (store) =>
    store.settleSearch({ id, deviceId: 'd1', outcome, now: at(2) }),
  )
const lease = (blobId: string) =>
  act(`lease u1 for ${blobId}`, (store) =>
    store.leaseUpload({ id: 'u1', deviceId: 'd1', blobId, leaseUntil: at(60), now: at(3), maxLeases: 2 }),
  )
const file = { blobId: 'b2', fileName: 'report.pdf', size: 7, links: {} }
const audit = (id: string) => [auditOf(id, { subjectId: id })]

const devices = ['d1', 'd2']

const catalogOf = (blobId: string) => ({ blobId, asOf: at(6), files: 2, bytes: 9 })
const largeGroup = groupOf('g2', { rest: { unmade: 1, after: null } })
const workLease = { leaseId: 'p', now: at(7), leaseUntil: at(20) }
const saved = savedOf('v1', { nextAt: at(7) })
const dueRun = {
  id: 'v1',
  dueAt: at(7),
  nextAt: at(99),
  group: groupOf('g3', { savedSearchId: 'v1' }),
  audit: audit('a20'),
}

/** What is done, round by round; the acts of one round race. Every verb that writes is in it. */
export const rounds: readonly (readonly Act[])[] = [
  [act('insert d1', (store) => store.insertDevice(deviceOf('d1'), onceOf('k1'), audit('a1')))],
  [act('insert d2', (store) => store.insertDevice(deviceOf('d2'), onceOf('k2'), audit('a2')))],
  [
    act('insert s1, s2, s3', (store) =>
      store.insertSearches(
        'ann',
        ['s1', 's2', 's3'].map((id) => searchOf(id, { groupId: 'g1' })),
        onceOf('k3'),
        [...audit('a3'), ...audit('a4')],
        groupOf('g1'),
      ),
    ),
  ],
  [settle('s1', completed), settle('s1', failed), settle('s2', failed)],
  [settle('s3', filed)],
  [
    act('insert u1, u2', (store) =>
      store.insertUploads(
        'ann',
        ['u1', 'u2'].map((id) => uploadOf(id)),
        onceOf('k4'),
        audit('a5'),
      ),
    ),
  ],
  [lease('b1')],
  [lease('b2')],
  [
    act('settle u1', (store) =>
      store.settleUpload({ id: 'u1', deviceId: 'd1', outcome: { status: 'completed', file }, now: at(4) }),
    ),
  ],
  [
    act('cancel u2', (store) => store.cancelUpload('ann', 'u2', at(5), audit('a6'))),
    act('settle u2', (store) =>
      store.settleUpload({
        id: 'u2',
        deviceId: 'd1',
        outcome: { status: 'failed', error: 'no' },
        now: at(5),
      }),
    ),
  ],
  [
    act('touch d1, d2', (store) =>
      store.writeHeartbeats(
        [
          { deviceId: 'd2', lastSeenAt: at(6), metadata: { version: '2' } },
          { deviceId: 'd1', lastSeenAt: at(6), metadata: { os: 'other' } },
        ],
        at(6),
      ),
    ),
    act('update d1', (store) =>
      store.updateDevice('ann', 'd1', { name: 'Renamed', labels: ['a', 'b'] }, audit('a13')),
    ),
  ],
  [
    act(
      'claim d1, d2 as offline',
      (store) => store.claimOffline({ deviceIds: devices, seenBefore: at(7), now: at(7) }),
      false,
    ),
  ],
  [act('remove what is lost', (store) => store.removePresence(['d1', 'gone']))],
  [
    act(
      'rotate the key of d1',
      (store) =>
        store.rotateKey(
          { owner: 'ann', deviceId: 'd1', key: keyOf('new'), previousUntil: at(99), now: at(7) },
          audit('a7'),
        ),
      false,
    ),
  ],
  [act('retire the old key of d1', (store) => store.retirePreviousKey('d1', 'hash-new'))],
  [
    act('store the catalog of d1', (store) =>
      store.replaceCatalog({ deviceId: 'd1', revision: 0, catalog: catalogOf('c1') }),
    ),
  ],
  [
    act('replace the catalog of d1', (store) =>
      store.replaceCatalog({ deviceId: 'd1', revision: 1, catalog: catalogOf('c2') }),
    ),
    act('remove the catalog of d1', (store) => store.removeCatalog('ann', 'd1', audit('a22')), false),
  ],
  [act('remove old catalogs', (store) => store.pruneCatalogs(at(9), 9), false)],
  [
    act('insert s4 for d2', (store) =>
      store.insertSearches('ann', [searchOf('s4', { deviceId: 'd2' })], onceOf('k5'), audit('a8')),
    ),
    act('delete d2', (store) => store.deleteDevice('ann', 'd2', audit('a9'))),
  ],
  ...enrollmentRounds,
  [
    act(
      'end s1',
      (store) => store.endSearch('ann', 's1', at(7), { canceled: auditOf('a13'), erased: auditOf('a14') }),
      false,
    ),
  ],
  [act('remove g1', (store) => store.removeGroup('ann', 'g1', audit('a15')), false)],
  [
    act('end a search of g1', (store) => store.endGroupSearches('g1', 1, at(7)), false),
    settle('s3', completed),
  ],
  [act('end the rest of g1', (store) => store.endGroupSearches('g1', 9, at(7)), false)],
  [
    act('insert g2, whose row is to be made', (store) =>
      store.insertSearches('ann', [], onceOf('k6'), audit('a17'), largeGroup),
    ),
  ],
  [act('claim g2', (store) => store.claimGroup(workLease))],
  [
    act(
      'make the row of g2',
      (store) =>
        store.extendGroup({ id: 'g2', ...workLease, work: [{ id: 's5', deviceId: 'd1' }], rest: null }),
      false,
    ),
  ],
  [act('save v1', (store) => store.insertSavedSearch(saved, 9, onceOf('k7'), audit('a18')))],
  [act('replace v1', (store) => store.replaceSavedSearch({ ...saved, name: 'other' }, audit('a19')), false)],
  [act('run v1', (store) => store.runDueSavedSearch(dueRun))],
  [act('delete v1', (store) => store.deleteSavedSearch('ann', 'v1', audit('a21')), false)],
  [act('append to the audit', (store) => store.appendAudit([...audit('a10'), ...audit('a11')]), false)],
  [act('delete d1', (store) => store.deleteDevice('ann', 'd1', audit('a12')))],
]

const now = at(8)
const page = { limit: 99 }
const hashes = ['hash-d1', 'hash-d2', 'hash-new']

/** Everything that can be seen of what the rounds write. */
export async function lookAt(store: CloudStore): Promise<unknown> {
  return Promise.all([
    lookAtEnrollments(store),
    ...[{}, { labels: ['a'] }, { text: 'renamed' }].map((filter) =>
      store.listDevices('ann', filter, page, online),
    ),
    store.listPresence('', 99),
    store.listSearches('ann', {}, page, now),
    store.listSearches('ann', { groupId: 'g1' }, page, now),
    store.listGroups('ann', {}, page, now),
    store.listSavedSearches('ann', page),
    store.listDueSavedSearches(at(100), 9),
    store.listUploads('ann', {}, page, now),
    store.listAudit('ann', {}, page, now),
    store.findFile('ann', 'b2'),
    store.filterUnusedBlobs(['b1', 'b2', 'r3', 'c1', 'c2']),
    store.readCatalogRevision('d1'),
    ...hashes.map((hash) => store.findDeviceByKeyHash(hash, now)),
    ...devices.flatMap((id) => [
      store.listPendingSearches(id, 99, now),
      store.listPendingUploads(id, 99, now),
      store.countPending(id, now),
    ]),
  ])
}
