import { createInMemoryStore } from '@homeward/agent-runtime'
import { createRuntimeContender } from './create-runtime-contender.ts'

export const createContender = createRuntimeContender(async () => createInMemoryStore(), true)
