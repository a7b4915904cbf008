import type { CreateContender } from '../contender.ts'
import { createRuntimeContender } from '../create-runtime-contender.ts'

/** agent-runtime with a data home: every step is on file before the next begins. */
export const createContender: CreateContender = (home) => createRuntimeContender(home)
