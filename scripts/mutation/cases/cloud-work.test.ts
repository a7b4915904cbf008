import { describe, it } from 'vitest'
import { createMemoryStore } from '../../../packages/cloud-core/src/memory/index.ts'
import { createSqliteStore } from '../../../packages/cloud-core/src/sqlite/index.ts'
import { auditCases } from '../../../packages/cloud-core/src/testing/audit-cases.ts'
import { deviceCases } from '../../../packages/cloud-core/src/testing/device-cases.ts'
import { leaseCases } from '../../../packages/cloud-core/src/testing/lease-cases.ts'
import { searchCases } from '../../../packages/cloud-core/src/testing/search-cases.ts'
import { storeCases } from '../../../packages/cloud-core/src/testing/store-cases.ts'
import { uploadCases } from '../../../packages/cloud-core/src/testing/upload-cases.ts'

// Of the kit only what is about searches, uploads, their devices, their audit and pages: the whole of it takes too long for each change.
const stores = { memory: () => createMemoryStore(), sqlite: () => createSqliteStore({ path: ':memory:' }) }

describe.each(Object.entries(stores))('%s', (_, createStore) => {
  const cases = [...searchCases, ...uploadCases, ...leaseCases, ...auditCases, ...deviceCases, ...storeCases]
  for (const { name, run } of cases) {
    it(name, () => run({ create: async () => ({ store: createStore() }) }))
  }
})
