import { expect, it } from 'vitest'
import { createSqliteBuilder, migrate, runPlan } from '@homeward/kit/sqlite'
import { openConnection } from '@homeward/kit/sqlite/node'
import type { Plan } from '../sql/plan.ts'
import { journalOf } from '../../testing/conformance-fixtures.ts'
import { createSqliteJournalPlans } from './journal-plans.ts'
import type { RuntimeTables } from '../sql/schema.ts'
import { sqliteMigrations } from './migrations.ts'

it.each([1, 2, 3, 4])(
  "A14: a reader of a run's events misses none that another process writes behind its read %i",
  (moment) => {
    const builder = createSqliteBuilder<RuntimeTables>()
    const connection = openConnection({ path: ':memory:', busyTimeoutMs: 0 })
    migrate(connection, builder, sqliteMigrations)
    const plans = createSqliteJournalPlans(builder)
    const write = (runId: string, count: number) =>
      runPlan(connection, plans.appendEvents(Array.from({ length: count }, () => journalOf(runId))))
    let reads = 0
    const read = (since: number): number[] => {
      const plan: Plan<{ seq: number }[]> = plans.listEvents({ runId: 'r1', since, limit: 1000 })
      let step = plan.next([])
      while (step.done !== true) {
        const rows = step.value.kind === 'emit' ? [] : connection.runStep(step.value)
        // More than a block of the index holds, with some of the run at both ends of it.
        if ((reads += 1) === moment)
          for (const runId of ['r1', 'r2', 'r1']) write(runId, runId === 'r1' ? 1 : 150)
        step = plan.next(rows)
      }
      return step.value.map(({ seq }) => seq)
    }
    write('r1', 2)
    const first = read(0)
    expect([...first, ...read(first.at(-1) ?? 0)]).toEqual([1, 2, 3, 154])
    connection.close()
  },
)
