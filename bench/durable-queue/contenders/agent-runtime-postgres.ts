import { createPostgresStore } from '@homeward/agent-runtime/postgres'
import type { CreateQueueContender } from '../queue-contender.ts'
import { createOver } from './agent-runtime.ts'

/** The runtime's tasks in Postgres; its workers hear of them by the signals of the store. */
export const createContender: CreateQueueContender = async (connectionString) =>
  createOver(await createPostgresStore({ connectionString, schema: 'bench' }))
