import { join } from 'node:path'
import { createSqliteStore } from '@homeward/agent-runtime/sqlite'
import { createRuntimeContender } from './create-runtime-contender.ts'

export const createContender = createRuntimeContender(
  async (home) => createSqliteStore({ path: join(home, 'agents.db') }),
  true,
)
