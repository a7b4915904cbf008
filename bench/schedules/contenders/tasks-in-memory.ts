import { createTestStore } from '@homeward/agent-runtime/testing'
import { createRuntimeContender } from './create-runtime-contender.ts'

export const createContender = createRuntimeContender(async () => createTestStore(), true)
