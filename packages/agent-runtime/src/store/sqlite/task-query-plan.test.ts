import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { claimOf, taskOf } from '../../testing/tasks/task-fixtures.ts'
import { useTasks } from '../../testing/use-store.ts'
import { createSqliteStore } from './create-sqlite-store.ts'

let folder = ''
let path = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-plan-'))
  path = join(folder, 'agents.db')
})
afterEach(() => rm(folder, { recursive: true }))

it('A7: takes, ends and lists tasks by an index, without sorting or scanning a table', async () => {
  const seen = new Set<string>()
  const store = createSqliteStore({ path, onStatement: ({ sql }) => void seen.add(sql) })
  await useTasks(store)
  await store.close()

  const database = new DatabaseSync(path)
  const bad: string[] = []
  const ofTasks = [...seen].filter((sql) => sql.includes('task'))
  for (const sql of ofTasks) {
    for (const step of database.prepare(`explain query plan ${sql}`).all()) {
      const detail = String(step['detail'])
      // Running and parked tasks are few, and have indexes of their own, which may be read as a whole.
      // So do open messages and waits; the counts of what waits read no more than 10,000 rows.
      const isSmall =
        /CONSTANT ROW|INDEX (tasks_(running|parked)|channel_messages_open|waits_open)/.test(detail) ||
        /^SCAN (queued|open_messages|open_approvals|[tma])$/.test(detail)
      const isSorted = detail.includes('TEMP B-TREE') && !sql.includes("'running'")
      if ((detail.startsWith('SCAN') && !isSmall) || isSorted) bad.push(`${detail}: ${sql}`)
      if (sql.includes('+seq') && /tasks/.test(detail)) expect(detail).toMatch(/tasks_running|tasks_lane/)
    }
  }
  database.close()
  expect(bad).toEqual([])
  expect(ofTasks.length).toBeGreaterThan(25)
})

it('A7: takes a task from 100,000 that wait as from a few', async () => {
  let statements = 0
  const store = createSqliteStore({ path, onStatement: () => void (statements += 1) })
  /** Statements, and milliseconds of processor time: other processes on a busy machine do not count. */
  const claimSome = async () => {
    const before = { statements, cpu: process.cpuUsage() }
    for (let index = 0; index < 60; index += 1) {
      const [task] = await store.claimTasks(claimOf({ perSubject: 1000 }))
      expect(task?.status).toBe('running')
    }
    const { user, system } = process.cpuUsage(before.cpu)
    return { statements: statements - before.statements, ms: (user + system) / 1000 }
  }
  const ids = Array.from({ length: 200 }, (_, index) => `t${index}`)
  await Promise.all(ids.map((id) => store.insertTask(taskOf(id), [])))
  const few = await claimSome()
  addCopies('t199', 200, 100_000)
  const many = await claimSome()
  expect(many.statements).toBe(few.statements)
  // Whatever grows with what waits would be hundreds of times as slow.
  expect(many.ms).toBeLessThan(Math.max(20 * few.ms, 500))
  await store.close()
})

/** Adds tasks like the one with an id, without the detour by the store, which would take most of the test's time. */
function addCopies(id: string, from: number, to: number): void {
  const database = new DatabaseSync(path)
  const names = database.prepare('pragma table_info(tasks)').all()
  const copied = names.map(({ name }) => String(name)).filter((name) => name !== 'seq' && name !== 'id')
  database.exec(`with recursive numbers (n) as (select ${from} union all select n + 1 from numbers where n < ${to - 1})
    insert into tasks (id, ${copied.join(', ')})
    select 't' || n, ${copied.join(', ')} from numbers, tasks where tasks.id = '${id}'`)
  database.close()
}
