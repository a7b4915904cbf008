import { createTestStore } from '@homeward/agent-runtime/testing'
import { createRuntimeContender } from './create-runtime-contender.ts'

export const createContender = createRuntimeContender(async () => {
  const store = createTestStore()
  // Keeps nothing of what is carried out, as the others do.
  return { ...store, recordOccurrences: async (fires) => fires.map(() => 'fired' as const) }
}, false)
