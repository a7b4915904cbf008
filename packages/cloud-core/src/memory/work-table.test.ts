import { expect, it } from 'vitest'
import { at, deviceOf, searchOf, uploadOf } from '../testing/store-harness.ts'
import { deleteDevice, insertDevice } from './device-verbs.ts'
import { insertSearches, settleSearch } from './search-verbs.ts'
import type { Tables } from './tables.ts'
import { createTables } from './tables.ts'
import { cancelUpload, insertUploads, settleUpload } from './upload-verbs.ts'

const audit = undefined
const once = undefined
const failed = { status: 'failed', results: null, error: 'no' } as const
const completed = { status: 'completed', file: { blobId: 'b1', fileName: 'f', size: 1, links: {} } } as const

/** Tables with the devices `d1` and `d2` of ann. */
function withDevices(): Tables {
  const tables = createTables()
  for (const id of ['d1', 'd2']) insertDevice(tables, deviceOf(id), once)
  return tables
}
const search = (tables: Tables, ...searches: ReturnType<typeof searchOf>[]) =>
  insertSearches(tables, 'ann', searches, once, audit)
const upload = (tables: Tables, ...uploads: ReturnType<typeof uploadOf>[]) =>
  insertUploads(tables, 'ann', uploads, once, audit)
const openIds = (table: Tables['searches'] | Tables['uploads'], deviceId = 'd1') =>
  table.openByDevice.get(deviceId)?.map(({ id }) => id)

it('C9: of what was settled or canceled nothing waits any more', () => {
  const tables = withDevices()
  const report = { deviceId: 'd1', now: at(1) }
  search(tables, searchOf('s1'), searchOf('s2'))
  settleSearch(tables, { ...report, id: 's1', outcome: failed })
  expect(openIds(tables.searches)).toEqual(['s2'])
  settleSearch(tables, { ...report, id: 's2', outcome: failed })
  expect(tables.searches.openByDevice.size).toBe(0)

  upload(tables, uploadOf('u1'), uploadOf('u2'), uploadOf('u3'))
  settleUpload(tables, { ...report, id: 'u1', outcome: failed })
  expect(openIds(tables.uploads)).toEqual(['u2', 'u3'])
  cancelUpload(tables, 'ann', 'u2', at(1), audit)
  expect(openIds(tables.uploads)).toEqual(['u3'])
  cancelUpload(tables, 'ann', 'u3', at(1), audit)
  expect(tables.uploads.openByDevice.size).toBe(0)
})

it('C10: what expired waits until more work comes for the same device', () => {
  const tables = withDevices()
  search(tables, searchOf('s1'), searchOf('s2', { createdAt: at(1), expiresAt: at(101) }))
  search(tables, searchOf('other', { deviceId: 'd2', createdAt: at(500), expiresAt: at(900) }))
  expect(openIds(tables.searches)).toEqual(['s1', 's2'])
  search(tables, searchOf('s3', { createdAt: at(100), expiresAt: at(900) }))
  expect(openIds(tables.searches)).toEqual(['s2', 's3'])
})

it('C15: of a device that is gone nothing is left', () => {
  const tables = withDevices()
  search(tables, searchOf('s1'), searchOf('s2', { deviceId: 'd2' }))
  upload(tables, uploadOf('u1'), uploadOf('u2', { deviceId: 'd2' }), uploadOf('u3'))
  settleUpload(tables, { id: 'u1', deviceId: 'd1', outcome: completed, now: at(1) })
  const kept = () =>
    [tables.searches, tables.uploads].map(({ byId, byOwner, byDevice, openByDevice }) => [
      [...byId.keys()],
      [...byOwner].map(([owner, rows]) => [owner, rows.map(({ id }) => id)]),
      [...byDevice.keys()],
      [...openByDevice.keys()],
    ])
  deleteDevice(tables, 'ann', 'd1')
  expect(kept()).toEqual([
    [['s2'], [['ann', ['s2']]], ['d2'], ['d2']],
    [['u2'], [['ann', ['u2']]], ['d2'], ['d2']],
  ])
  expect(tables.uploadsByBlob.size).toBe(0)
  deleteDevice(tables, 'ann', 'd2')
  expect(kept()).toEqual([
    [[], [], [], []],
    [[], [], [], []],
  ])
})

it('says by its code that an id is in use, and changes nothing', () => {
  const tables = withDevices()
  search(tables, searchOf('s1'))
  upload(tables, uploadOf('u1'), uploadOf('u2'))
  settleUpload(tables, { id: 'u1', deviceId: 'd1', outcome: completed, now: at(1) })
  const clashes = [
    () => search(tables, searchOf('s2'), searchOf('s1')),
    () => search(tables, searchOf('s2'), searchOf('s2')),
    () => settleUpload(tables, { id: 'u2', deviceId: 'd1', outcome: completed, now: at(1) }),
  ]
  for (const clash of clashes) {
    expect(clash).toThrow(expect.objectContaining({ name: 'CloudStoreError', code: 'CONFLICT' }))
  }
  expect([openIds(tables.searches), openIds(tables.uploads)]).toEqual([['s1'], ['u2']])
})
