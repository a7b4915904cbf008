import { expect, it } from 'vitest'
import { at, searchOf, uploadOf, withDevices } from '../testing/store-harness.ts'
import { createSqliteStore } from './index.ts'

it('C10: writes down what has expired a part at a time, and says when to look again', async () => {
  const store = createSqliteStore({ path: ':memory:' })
  await withDevices(store)
  const searches = Array.from({ length: 5 }, (_, index) => searchOf(`q${index}`))
  await store.insertSearches('ann', [...searches, searchOf('later', { expiresAt: at(200) })], undefined)
  await store.insertUploads('ann', [uploadOf('u1')], undefined)
  expect(await store.expireWork(3, at(99))).toEqual({ searches: [], uploads: [], nextAt: at(100) })
  const first = await store.expireWork(3, at(100))
  expect([first.searches.length, first.uploads, first.nextAt]).toEqual([
    3,
    [{ id: 'u1', deviceId: 'd1', owner: 'ann' }],
    at(100),
  ])
  expect(await store.expireWork(3, at(100))).toMatchObject({
    searches: [{}, {}],
    uploads: [],
    nextAt: at(200),
  })
  await store.close()
})
