import type { CloudStore } from '../../ports/cloud-store.ts'
import type { SearchOutcome } from '../../ports/search-store.ts'
import { at, auditOf, deviceOf, keyOf, onceOf, searchOf, uploadOf } from '../store-harness.ts'

/** A call of a verb, and a name for it. */
export interface Act {
  readonly name: string
  /** Whether it may be called again although it was done: what a caller does who got no answer. */
  readonly isRepeatable: boolean
  run(store: CloudStore): Promise<unknown>
}

const act = (name: string, run: Act['run'], isRepeatable = true): Act => ({ name, run, isRepeatable })

const completed: SearchOutcome = { status: 'completed', results: { files: [] }, error: null }
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

/** What is done, round by round; the acts of one round race. Every verb that writes is in it. */
export const rounds: readonly (readonly Act[])[] = [
  [act('insert d1', (store) => store.insertDevice(deviceOf('d1'), onceOf('k1'), audit('a1')))],
  [act('insert d2', (store) => store.insertDevice(deviceOf('d2'), onceOf('k2'), audit('a2')))],
  [
    act('insert s1, s2, s3', (store) =>
      store.insertSearches(
        'ann',
        ['s1', 's2', 's3'].map((id) => searchOf(id)),
        onceOf('k3'),
        [...audit('a3'), ...audit('a4')],
      ),
    ),
  ],
  [settle('s1', completed), settle('s1', failed), settle('s2', failed)],
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
      store.touchDevices(
        [
          { deviceId: 'd2', lastSeenAt: at(6), metadata: { version: '2' } },
          { deviceId: 'd1', lastSeenAt: at(6), metadata: { os: 'other' } },
        ],
        at(6),
      ),
    ),
  ],
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
    act('insert s4 for d2', (store) =>
      store.insertSearches('ann', [searchOf('s4', { deviceId: 'd2' })], onceOf('k5'), audit('a8')),
    ),
    act('delete d2', (store) => store.deleteDevice('ann', 'd2', audit('a9'))),
  ],
  [act('append to the audit', (store) => store.appendAudit([...audit('a10'), ...audit('a11')]), false)],
  [act('delete d1', (store) => store.deleteDevice('ann', 'd1', audit('a12')))],
]

const now = at(8)
const page = { limit: 99 }
const devices = ['d1', 'd2']
const hashes = ['hash-d1', 'hash-d2', 'hash-new']

/** Everything that can be seen of what the rounds write. */
export async function lookAt(store: CloudStore): Promise<unknown> {
  return Promise.all([
    store.listDevices('ann', page),
    store.listSearches('ann', {}, page, now),
    store.listUploads('ann', {}, page, now),
    store.listAudit('ann', {}, page, now),
    store.findFile('ann', 'b2'),
    store.filterUnusedBlobs(['b1', 'b2']),
    ...hashes.map((hash) => store.findDeviceByKeyHash(hash, now)),
    ...devices.flatMap((id) => [
      store.listPendingSearches(id, 99, now),
      store.listPendingUploads(id, 99, now),
      store.countPending(id, now),
    ]),
  ])
}
