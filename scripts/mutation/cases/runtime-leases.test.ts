import { describe, it } from 'vitest'
import { createInMemoryStore } from '../../../packages/agent-runtime/src/in-memory/create-in-memory-store.ts'
import { createSqliteStore } from '../../../packages/agent-runtime/src/store/sqlite/index.ts'
import { effectCases } from '../../../packages/agent-runtime/src/testing/runs/effect-conformance.ts'
import { leaseCases } from '../../../packages/agent-runtime/src/testing/runs/lease-conformance.ts'

// Of the kit only what is about leases and effects: the whole of it takes too long for each change.
const stores = { memory: () => createInMemoryStore(), sqlite: () => createSqliteStore({ path: ':memory:' }) }

describe.each(Object.entries(stores))('%s', (_, createStore) => {
  for (const { name, run } of [...leaseCases, ...effectCases]) {
    it(name, () => {
      const store = createStore()
      return run({ create: async () => ({ store, dispose: () => store.close() }) })
    })
  }
})
