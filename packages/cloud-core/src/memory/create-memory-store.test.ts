import { expect, it } from 'vitest'
import { at, deviceOf, onceOf } from '../testing/store-harness.ts'
import { cloudStoreConformance } from '../testing/index.ts'
import { addOnce } from './once-rows.ts'
import { CloudStoreError, createMemoryStore } from './index.ts'
import { createTables } from './tables.ts'

for (const { name, run } of cloudStoreConformance) {
  it(name, () => run({ create: async () => ({ store: createMemoryStore() }) }))
}

it('C20: forgets creations that expired, so that they take bounded memory', () => {
  const { once } = createTables()
  for (let second = 0; second < 1000; second += 1) {
    addOnce(once, onceOf(`k${second}`, { createdAt: at(second), expiresAt: at(second + 10) }))
  }
  expect(once.size).toBeLessThan(25)
})

it('says that it was closed', async () => {
  const store = createMemoryStore()
  await store.close()
  const error = await store.insertDevice(deviceOf('d1'), undefined).catch((thrown: unknown) => thrown)
  expect(CloudStoreError.is(error) && error.code).toBe('CLOSED')
})
