import type { CreateContender } from '../contender.ts'
import { createRuntimeContender } from '../create-runtime-contender.ts'

/** agent-runtime without a store of its own: SQLite at `:memory:`, every step written before the next begins. */
export const createContender: CreateContender = () => createRuntimeContender()
