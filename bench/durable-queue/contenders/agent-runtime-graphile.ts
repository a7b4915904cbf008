import { createPostgresStore } from '@homeward/agent-runtime/postgres'
import { createGraphileQueue } from '@homeward/agent-runtime/queue/graphile'
import type { CreateQueueContender } from '../queue-contender.ts'
import { createOver } from './agent-runtime.ts'

/** The runtime's tasks in Postgres, and its workers told of them by graphile-worker. */
export const createContender: CreateQueueContender = async (connectionString) =>
  createOver(
    await createPostgresStore({ connectionString, schema: 'bench_told' }),
    createGraphileQueue({ connectionString, schema: 'bench_told_jobs' }),
  )
