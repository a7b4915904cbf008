import { join } from 'node:path'
import type { RunResult } from '@homeward/contract/agent-platform'
import type { RuntimeStore, TaskQueue } from '@homeward/agent-runtime'
import { createSqliteStore } from '@homeward/agent-runtime/sqlite'
import { createLeaseKeeper } from '../../../packages/agent-runtime/src/leases/create-lease-keeper.ts'
import { createTasks } from '../../../packages/agent-runtime/src/tasks/create-tasks.ts'
import { createWorkerPool } from '../../../packages/agent-runtime/src/tasks/worker-pool.ts'
import type { CreateQueueContender, QueueContender } from '../queue-contender.ts'

/** Tasks at the same time: plainjob has one worker, which takes the next task as soon as it is free. */
const concurrency = 16

export const createContender: CreateQueueContender = async (home) =>
  createOver(createSqliteStore({ path: join(home, 'agents.db') }))

/** Tasks as a host creates them, with their events of the journal; the work is a function instead of an agent. */
export async function createOver(store: RuntimeStore, queue?: TaskQueue): Promise<QueueContender> {
  const leases = createLeaseKeeper({ store })
  let begun: (id: string) => void = () => {}
  const pool = createWorkerPool({
    store,
    leases,
    concurrency,
    perSubject: concurrency,
    queue,
    work: {
      async execute({ id }) {
        begun(id)
        return { kind: 'completed', result }
      },
      conclude: async () => undefined,
    },
  })
  const tasks = createTasks({
    store,
    pool,
    find: async () => ({}),
    readFiles: async () => ({ files: [], contents: [] }),
    cancelRun: async () => {},
  })
  await pool.start()

  /** Waits until nothing is queued and nothing runs. */
  async function drained(): Promise<void> {
    for (;;) {
      const changed = Promise.withResolvers<void>()
      const end = store.subscribe(() => changed.resolve())
      const open = await Promise.all(
        (['queued', 'running'] as const).map((status) => store.listTasks({ status }, { limit: 1 })),
      )
      if (open.every(({ rows }) => rows.length === 0)) return end()
      await changed.promise
      end()
    }
  }

  return {
    async process(count) {
      let left = count
      const all = Promise.withResolvers<void>()
      begun = () => {
        left -= 1
        if (left === 0) all.resolve()
      }
      await Promise.all(
        Array.from({ length: count }, (_, index) => tasks.create({ agent_id: 'a', task: `task ${index}` })),
      )
      await all.promise
      await drained()
    },
    async startOne() {
      const started = Promise.withResolvers<number>()
      const addedAt = performance.now()
      begun = () => started.resolve(performance.now() - addedAt)
      await tasks.create({ agent_id: 'a', task: 'task' })
      const ms = await started.promise
      await drained()
      return ms
    },
    async close() {
      await pool.close()
      leases.close()
      await store.close()
    },
  }
}

const result: RunResult = {
  success: true,
  output: '',
  turns: 1,
  tool_calls: 0,
  steps: [],
  usage: { input_tokens: 0, output_tokens: 0 },
  model: 'test/echo',
  run_id: 'r',
  conversation_id: 'c',
  stop_reason: 'done',
}
