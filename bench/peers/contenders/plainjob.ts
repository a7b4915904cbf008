import Database from 'better-sqlite3'
import { join } from 'node:path'
import { better, defineQueue, defineWorker } from 'plainjob'
import type { CreateQueueContender } from '../../durable-queue/queue-contender.ts'

const silent = { error() {}, warn() {}, info() {}, debug() {} }
const jobType = 'trivial'

/** plainjob with one worker. Without `pollIntervall` an idle one looks for jobs every second. */
export function createPlainjob(options: { readonly pollIntervall?: number }): CreateQueueContender {
  return async (home) => {
    const queue = defineQueue({ connection: better(new Database(join(home, 'queue.db'))), logger: silent })
    let begun = () => {}
    let done = () => {}
    const startWorker = () => {
      const settings = { queue, logger: silent, onCompleted: () => done(), ...options }
      const worker = defineWorker(jobType, () => begun(), settings)
      void worker.start()
      return worker
    }
    let idle: ReturnType<typeof startWorker> | undefined

    return {
      async process(count) {
        await idle?.stop()
        idle = undefined
        for (let index = 0; index < count; index += 1) queue.add(jobType, `task ${index}`)
        let left = count
        const all = Promise.withResolvers<void>()
        begun = () => {}
        done = () => {
          left -= 1
          if (left === 0) all.resolve()
        }
        // Started behind the jobs, so that its pause does not count.
        const worker = startWorker()
        await all.promise
        await worker.stop()
      },
      async startOne() {
        idle ??= startWorker()
        const started = Promise.withResolvers<number>()
        const ended = Promise.withResolvers<void>()
        done = () => ended.resolve()
        const addedAt = performance.now()
        begun = () => started.resolve(performance.now() - addedAt)
        queue.add(jobType, 'task')
        const ms = await started.promise
        await ended.promise
        return ms
      },
      async close() {
        await idle?.stop()
        queue.close()
      },
    }
  }
}

export const createContender = createPlainjob({})
