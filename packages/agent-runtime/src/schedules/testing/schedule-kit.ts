import type { Agent, Graph, JournalEvent } from '@homeward/contract/agent-platform'
import { createTestStore } from '../../testing/create-test-store.ts'
import type { Logger } from '../../ports/logger.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import type { StoredTask } from '../../store/ports/task-store.ts'
import type { ScheduleRunner, SchedulesOptions } from '../create-schedules.ts'
import { createSchedules } from '../create-schedules.ts'

/** A store with agents and graphs, and schedulers over it. Tests fake the timers. */
interface ScheduleKit {
  readonly store: RuntimeStore
  /** What the schedulers said, by level. */
  readonly said: string[]
  /** Makes another scheduler, as another process has it. */
  scheduler(changes?: Partial<SchedulesOptions>): ScheduleRunner
  /** Keeps an agent with a schedule, saved now. */
  save(id: string, schedule: string | undefined, changes?: Partial<Agent>): Promise<void>
  saveGraph(id: string, schedule: string | undefined, changes?: Partial<Graph>): Promise<void>
  /** Times that made a task of an agent, in order. */
  fired(id: string): Promise<string[]>
  tasks(): Promise<StoredTask[]>
  events(type: string): Promise<JournalEvent['data'][]>
}

const now = () => Date.now()

export function createScheduleKit(store: RuntimeStore = createTestStore()): ScheduleKit {
  let ids = 0
  const said: string[] = []
  const log = (level: string) => (text: string, particulars?: object) =>
    void said.push(`${level}: ${text}${particulars ? ` ${JSON.stringify(particulars)}` : ''}`)
  const logger: Logger = { warn: log('warn'), error: log('error') }

  async function tasks(): Promise<StoredTask[]> {
    const found: StoredTask[] = []
    let cursor: string | undefined
    do {
      const page = await store.listTasks({}, { limit: 500, ...(cursor !== undefined && { cursor }) })
      found.push(...page.rows)
      cursor = page.nextCursor
    } while (cursor !== undefined)
    return found
  }

  return {
    store,
    said,
    tasks,
    scheduler: (changes) =>
      createSchedules({
        store,
        agents: {
          list: (signal) => store.listAgents(signal),
          find: (id, signal) => store.findAgent(id, signal),
        },
        graphs: {
          list: (signal) => store.listGraphs(signal),
          find: (id, signal) => store.findGraph(id, signal),
        },
        timezone: 'UTC',
        checkReportTo: async () => {},
        announce: async () => {},
        logger,
        now,
        createId: () => `id-${(ids += 1)}`,
        ...changes,
      }),
    async save(id, schedule, changes = {}) {
      const at = new Date().toISOString()
      const agent: Agent = {
        id,
        model: 'test/echo',
        skills: [],
        schedule_enabled: true,
        version: 1,
        created_at: at,
        updated_at: at,
        ...(schedule !== undefined && { schedule }),
        ...changes,
      }
      if (!(await store.replaceAgent(agent))) await store.insertAgent(agent)
    },
    async saveGraph(id, schedule, changes = {}) {
      const at = new Date().toISOString()
      const times = { created_at: at, updated_at: at }
      const nodes = [{ id: 'n', agent: 'a' }]
      await store.insertGraph({
        id,
        nodes,
        edges: [],
        ...(schedule !== undefined && { schedule }),
        schedule_enabled: true,
        ...times,
        ...changes,
      })
    },
    async fired(id) {
      const own = (await tasks()).filter(({ subject }) => subject.id === id)
      return own.map(({ scheduled }) => scheduled?.for ?? '').toSorted()
    },
    async events(type) {
      return (await store.listEvents({ type, since: 0, limit: 1000 })).map(({ data }) => data)
    },
  }
}
