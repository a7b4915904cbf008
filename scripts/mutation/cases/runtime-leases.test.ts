import { it } from 'vitest'
import { createTestStore } from '../../../packages/agent-runtime/src/testing/create-test-store.ts'
import { effectCases } from '../../../packages/agent-runtime/src/testing/runs/effect-conformance.ts'
import { leaseCases } from '../../../packages/agent-runtime/src/testing/runs/lease-conformance.ts'

// Of the kit only what is about leases and effects: the whole of it takes too long for each change.
for (const { name, run } of [...leaseCases, ...effectCases]) {
  it(name, () => {
    const store = createTestStore()
    return run({ create: async () => ({ store, dispose: () => store.close() }) })
  })
}
