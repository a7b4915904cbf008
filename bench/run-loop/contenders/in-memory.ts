import type { CreateContender } from '../contender.ts'
import { createRuntimeContender } from '../create-runtime-contender.ts'

/** agent-runtime with nothing on disk. */
export const createContender: CreateContender = () => createRuntimeContender()
