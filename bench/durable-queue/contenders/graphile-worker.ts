import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { Pool } from 'pg'
import type { CreateQueueContender } from '../queue-contender.ts'

/** As many as the runtime has. */
const concurrency = 16

/** graphile-worker by itself: a job a task, nothing else is kept. */
export const createContender: CreateQueueContender = async (connectionString) => {
  const pgPool = new Pool({ connectionString, max: 10 })
  pgPool.on('error', () => {})
  pgPool.on('connect', (client) => client.on('error', () => {}))
  const shared = { pgPool, schema: 'bench_jobs', logger: new Logger(() => () => {}) }
  const utils = await makeWorkerUtils(shared)
  await utils.migrate()
  let begun = () => {}
  let ended = () => {}
  const runner = await run({
    ...shared,
    concurrency,
    noHandleSignals: true,
    taskList: { task: async () => begun() },
  })
  runner.events.on('job:complete', () => ended())

  return {
    async process(count) {
      let left = count
      const all = Promise.withResolvers<void>()
      ended = () => {
        left -= 1
        if (left === 0) all.resolve()
      }
      await Promise.all(
        Array.from({ length: count }, (_, index) => utils.addJob('task', { input: `task ${index}` })),
      )
      await all.promise
    },
    async startOne() {
      const started = Promise.withResolvers<number>()
      const done = Promise.withResolvers<void>()
      const addedAt = performance.now()
      begun = () => started.resolve(performance.now() - addedAt)
      ended = () => done.resolve()
      await utils.addJob('task', { input: 'task' })
      const ms = await started.promise
      await done.promise
      return ms
    },
    async close() {
      await runner.stop()
      await utils.release()
      await pgPool.end()
    },
  }
}
