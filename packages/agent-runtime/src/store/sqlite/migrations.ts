import type { Compilable, Kysely } from 'kysely'
import { buildBudgetTables } from '../sql/usage/budget-tables.ts'
import { buildChannelTables } from '../sql/channels/channel-tables.ts'
import { buildGraphTables } from '../sql/graph-tables.ts'
import { buildFailedRunIndexes, buildTakeOverColumns } from '../sql/runs/run-tables.ts'
import { buildScheduleTables } from '../sql/schedules/schedule-tables.ts'
import type { Plan } from '../sql/plan.ts'
import type { RuntimeTables } from '../sql/schema.ts'
import { buildEmbeddingModelColumn } from '../sql/tables.ts'
import { buildTaskTables } from '../sql/tasks/task-tables.ts'
import { markMemoriesOfNobody } from './version-five.ts'
import { versionOne } from './version-one.ts'
import { versionThree } from './version-three.ts'
import { changeRunTables } from './version-two.ts'

/** One step of the schema. What was released is never changed: another step is added. */
export interface Migration {
  /** 1, 2, 3, ... */
  readonly version: number
  readonly name: string
  /** SQL statements, in order. */
  build(db: Kysely<RuntimeTables>): readonly string[]
  /** What SQL alone cannot change, afterwards. */
  readonly change?: (db: Kysely<RuntimeTables>) => Plan<void>
}

/** All steps, oldest first. */
export const sqliteMigrations: readonly Migration[] = [
  { version: 1, name: 'agents, conversations, runs, journal, memories', build: () => versionOne },
  {
    version: 2,
    name: 'leases, effects, budgets, tasks, schedules, graphs, channels',
    build: (db) => [
      ...changeRunTables(db),
      ...toSql(buildBudgetTables(db)),
      ...toSql(buildTaskTables(db)),
      ...toSql(buildGraphTables(db)),
      ...toSql(buildScheduleTables(db)),
      ...toSql(buildChannelTables(db)),
    ],
  },
  { version: 3, name: 'turns of conversations', build: () => versionThree },
  { version: 4, name: 'runs that went wrong', build: (db) => toSql(buildFailedRunIndexes(db)) },
  { version: 5, name: 'memories that belong to no user', build: () => [], change: markMemoriesOfNobody },
  { version: 6, name: 'take-overs of runs', build: (db) => toSql(buildTakeOverColumns(db)) },
  { version: 7, name: 'models of vectors', build: (db) => toSql(buildEmbeddingModelColumn(db)) },
]

function toSql(statements: readonly Compilable[]): readonly string[] {
  return statements.map((statement) => statement.compile().sql)
}
