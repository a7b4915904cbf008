import type { Migration } from '@homeward/kit/sql'
import { buildBudgetTables } from '../sql/usage/budget-tables.ts'
import { buildChannelTables } from '../sql/channels/channel-tables.ts'
import { buildGraphTables } from '../sql/graph-tables.ts'
import { buildFailedRunIndexes, buildTakeOverColumns } from '../sql/runs/run-tables.ts'
import { buildScheduleTables } from '../sql/schedules/schedule-tables.ts'
import type { RuntimeTables } from '../sql/schema.ts'
import { buildEmbeddingModelColumn } from '../sql/tables.ts'
import { buildTaskTables } from '../sql/tasks/task-tables.ts'
import { markMemoriesOfNobody } from './version-five.ts'
import { versionOne } from './version-one.ts'
import { versionThree } from './version-three.ts'
import { changeRunTables } from './version-two.ts'

/** All steps, oldest first. */
export const sqliteMigrations: readonly Migration<RuntimeTables>[] = [
  { version: 1, name: 'agents, conversations, runs, journal, memories', build: () => versionOne },
  {
    version: 2,
    name: 'leases, effects, budgets, tasks, schedules, graphs, channels',
    build: (db) => [
      ...changeRunTables(db),
      ...buildBudgetTables(db),
      ...buildTaskTables(db),
      ...buildGraphTables(db),
      ...buildScheduleTables(db),
      ...buildChannelTables(db),
    ],
  },
  { version: 3, name: 'turns of conversations', build: () => versionThree },
  { version: 4, name: 'runs that went wrong', build: buildFailedRunIndexes },
  { version: 5, name: 'memories that belong to no user', build: () => [], change: markMemoriesOfNobody },
  { version: 6, name: 'take-overs of runs', build: buildTakeOverColumns },
  { version: 7, name: 'models of vectors', build: buildEmbeddingModelColumn },
]
