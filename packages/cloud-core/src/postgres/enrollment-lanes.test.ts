import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../tests/postgres/test-database.ts'
import { enrollmentOf, tokenLimits, tokenOf } from '../testing/enrollment-harness.ts'
import { at, keyOf, searchOf, withDevices } from '../testing/store-harness.ts'
import { createPostgresStore } from './index.ts'

let database: TestDatabase
beforeAll(async () => void (database = await createTestDatabase()))
afterAll(() => database.drop())

it('C28: leaves connections to others while hundreds enroll with one token', async () => {
  const { connectionString } = database
  const schema = 'lanes'
  await using stack = new AsyncDisposableStack()
  const store = await createPostgresStore({ connectionString, schema, maxConnections: 8 })
  stack.defer(() => store.close())
  await withDevices(store)
  await store.insertSearches('ann', [searchOf('s1')], undefined)
  await store.insertEnrollmentToken(tokenOf('t1'), tokenLimits, undefined)
  const other = new Client({ connectionString })
  await other.connect()
  stack.defer(() => other.end())
  // Nobody can enroll with the token until this transaction ends.
  await other.query(`begin; select 1 from ${schema}.enrollment_tokens for update`)
  const enrolling = Array.from({ length: 200 }, (_, index) =>
    store.enroll(enrollmentOf(`e${index}`, { key: keyOf(`e${index}`), codeHash: `code-${index}` }), {
      secretHash: 'secret-t1',
      deviceId: `new-${index}`,
    }),
  )
  expect(await store.listPendingSearches('d1', 9, at(1))).toHaveLength(1)
  expect(await store.updateDevice('ann', 'd1', { name: 'changed' })).toMatchObject({ changed: true })
  await other.query('commit')
  const outcomes = await Promise.all(enrolling)
  expect(outcomes).toHaveLength(200)
  expect(await store.countPendingEnrollments('ann', at(1))).toBe(0)
}, 30_000)
