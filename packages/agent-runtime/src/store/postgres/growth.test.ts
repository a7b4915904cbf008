// What the work of agents leaves in Postgres: docs/guides/scaling.md, "What grows with what".
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createRuntime } from '../../runtime/create-runtime.ts'
import type { TaskQueue } from '../../tasks/task-queue.ts'
import type { Tool } from '../../ports/tool.ts'
import { createGraphileQueue } from '../../queue/graphile/index.ts'
import type { AgentRuntime } from '../../runtime/runtime.ts'
import { createScriptedModel } from '../../testing/scripted-model.ts'
import type { PostgresStoreOptions } from './index.ts'
import { createPostgresStore } from './index.ts'
import type { TestDatabase } from './testing/test-database.ts'
import { createTestDatabase } from './testing/test-database.ts'
import { emptySchema } from './testing/test-schemas.ts'

const schema = 'growth'
const tables = ['run_steps', 'journal', 'messages', 'runs', 'tasks', 'budget_reservations'] as const
type Counts = Readonly<Record<(typeof tables)[number], number>>
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
beforeEach(() => emptySchema(database, schema))
afterAll(() => database.drop())

const page = 'It rains, and it will rain until the evening; then the sky clears.'
const read: Tool = {
  id: 'read',
  description: 'Reads a page.',
  inputSchema: { type: 'object' },
  effects: 'read',
  idempotent: true,
  returnsUntrustedContent: false,
  execute: async () => page,
}
/** Its calls are written down before they are made. */
const send: Tool = { ...read, id: 'send', effects: 'external', idempotent: false }

/** A model that calls a tool in so many turns, `read/10`, and then answers. Like any, it takes a moment to answer. */
const modelOf = (tool: string) => (turns: string) => {
  const gate = async () => {
    for (let turn = 0; turn < 3; turn += 1) await setImmediate()
  }
  const call = { text: ['I ', 'look.'], toolCalls: [{ name: tool, args: { city: 'Oslo' } }], gate }
  return createScriptedModel([...Array.from({ length: Number(turns) }, () => call), { text: 'Rain.', gate }])
}

const openStore = (options: PostgresStoreOptions = {}) =>
  createPostgresStore({ connectionString: database.connectionString, schema, ...options })

/** A process with workers. */
async function openRuntime(queue?: TaskQueue, options?: PostgresStoreOptions): Promise<AgentRuntime> {
  const runtime = createRuntime({
    store: await openStore(options),
    ...(queue && { queue }),
    tools: [read, send],
    models: { read: modelOf('read'), send: modelOf('send') },
    workers: { concurrency: 16, perAgent: 16 },
    environment: {},
  })
  await runtime.start()
  return runtime
}

/** Gives an agent so many tasks, and waits until they are done. */
async function finishTasks(runtime: AgentRuntime, agentId: string, count: number): Promise<void> {
  let open = count
  const done = new Promise<void>((resolve) => {
    runtime.events.on('task.completed', () => {
      open -= 1
      if (open === 0) resolve()
    })
  })
  const create = () => runtime.tasks.create({ agent_id: agentId, task: 'What does it say?' })
  await Promise.all(Array.from({ length: count }, create))
  await done
}

async function countRows(): Promise<Counts> {
  const counts = tables.map((table) => `(select count(*)::int from ${schema}.${table}) as ${table}`)
  const [row] = await database.query(`select ${counts.join(', ')}`)
  return row as Counts // as the statement names them
}

/** Rows that a task of an agent with this model leaves behind. */
async function rowsOfTask(runtime: AgentRuntime, model: string, fields: object = {}): Promise<Counts> {
  await emptySchema(database, schema)
  await runtime.agents.create({ id: 'helper', model, limits: { max_turns: 50 }, ...fields })
  await finishTasks(runtime, 'helper', 1)
  return countRows()
}

describe('rows', () => {
  it('a turn with a tool leaves up to two in run_steps, three in the journal and two in messages', async () => {
    await using runtime = await openRuntime()
    // Of the journal three rows are the task's, two the run's, and one is the answer's.
    const alone = { runs: 1, tasks: 1, run_steps: 1, journal: 6, messages: 2, budget_reservations: 0 }
    const tenMore = { ...alone, journal: 6 + 3 * 10, messages: 2 + 2 * 10 }
    expect(await rowsOfTask(runtime, 'read/0')).toEqual(alone)
    expect(await rowsOfTask(runtime, 'send/10')).toEqual({ ...tenMore, run_steps: 1 + 2 * 10 })
    // What only reads may be written together with what follows, as it comes.
    const reading = await rowsOfTask(runtime, 'read/10')
    expect(reading).toEqual({ ...tenMore, run_steps: reading.run_steps })
    expect(reading.run_steps).toBeLessThanOrEqual(1 + 2 * 10)
  })

  it('what a tool gave is in the messages and events of its turn, in the last event and the results of run and task, and in the conversation', async () => {
    await using runtime = await openRuntime()
    await rowsOfTask(runtime, 'send/10')
    const columns = {
      run_steps: ['messages', 'events'],
      runs: ['result'],
      tasks: ['result'],
      messages: ['message'],
      journal: ['data'],
    }
    const found: Record<string, number> = {}
    for (const [table, names] of Object.entries(columns)) {
      for (const name of names) {
        const rows = await database.query(`select ${name} as text from ${schema}.${table}`)
        found[`${table}.${name}`] =
          rows
            .map(({ text }) => String(text))
            .join('')
            .split(page).length - 1
      }
    }
    expect(found).toEqual({
      'run_steps.messages': 10,
      'run_steps.events': 20,
      'runs.result': 10,
      'tasks.result': 10,
      'messages.message': 10,
      'journal.data': 0,
    })
  })

  it('a row of the journal takes some 250 bytes, and half as much again for its indexes', async () => {
    await using runtime = await openRuntime()
    await rowsOfTask(runtime, 'send/20')
    // Postgres counts in pages: a few rows would look large.
    await database.query(`insert into ${schema}.journal (type, run_id, timestamp, data)
      select type, run_id || i, timestamp, data from ${schema}.journal, generate_series(1, 100) as i`)
    const [row] =
      await database.query(`select count(*)::int as rows, pg_table_size('${schema}.journal')::int as alone,
      pg_total_relation_size('${schema}.journal')::int as whole from ${schema}.journal`)
    const { rows, alone, whole } = row as { rows: number; alone: number; whole: number }
    expect(alone / rows).toBeGreaterThan(180)
    expect(alone / rows).toBeLessThan(280)
    expect(whole / rows).toBeLessThan(400)
  })

  it('a model call of a run with a budget leaves a row in budget_reservations, which goes with the steps of the run', async () => {
    await using runtime = await openRuntime()
    const made = await rowsOfTask(runtime, 'read/5', { budget: { max_tokens: 1_000_000 } })
    expect(made.run_steps).toBeGreaterThan(0)
    expect(made).toMatchObject({ budget_reservations: 6 })
    const store = await openStore()
    while (await store.prune({ runStepsBefore: '2999-01-01T00:00:00.000Z' }));
    await store.close()
    expect(await countRows()).toEqual({ ...made, budget_reservations: 0, run_steps: 0 })
  })
})

describe('connections', () => {
  /** How many there are, by what they are called. What a pool has opened stays open for half a minute. */
  const connections = async () => {
    const rows =
      await database.query(`select application_name as name, count(*)::int as count from pg_stat_activity
      where datname = current_database() and application_name like 'homeward%' group by 1`)
    return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
  }
  const useAll = async (runtime: AgentRuntime) => {
    await runtime.agents.create({ id: 'helper', model: 'send/2' })
    const reads = Array.from({ length: 100 }, () => runtime.runs.list({}))
    await Promise.all([finishTasks(runtime, 'helper', 30), ...reads])
  }

  it('of a process are 11, and 4 more for graphile-worker, however much there is to do', async () => {
    const { connectionString } = database
    await using runtime = await openRuntime(createGraphileQueue({ connectionString, schema: 'growth_jobs' }))
    await useAll(runtime)
    expect(await connections()).toEqual({ homeward: 11, 'homeward-queue': 4 })
  })

  it('are as few as `maxConnections` says, and one that listens', async () => {
    await using runtime = await openRuntime(undefined, { maxConnections: 3 })
    await useAll(runtime)
    expect(await connections()).toEqual({ homeward: 4 })
  })
})
