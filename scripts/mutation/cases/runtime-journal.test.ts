import { it } from 'vitest'
import { createTestStore } from '../../../packages/agent-runtime/src/testing/create-test-store.ts'
import { journalConformance } from '../../../packages/agent-runtime/src/testing/journal-conformance.ts'

// Of the kit only what is about the journal: the whole of it takes too long for each change.
for (const { name, run } of journalConformance) {
  it(name, () => run({ create: async () => ({ store: createTestStore() }) }))
}
