import type { Kysely } from 'kysely'
import { buildRunTables, stepsPerRun } from '../sql/runs/run-tables.ts'
import type { RuntimeTables } from '../sql/schema.ts'
import { buildJournalIndexes } from '../sql/tables.ts'

const runColumns =
  'seq, id, agent_id, conversation_id, idempotency_key, status, created_at, finished_at, progress, result, has_steps'
const approvalColumns = 'seq, run_id, id, call_id, tool, args, status, reason, created_at, decided_at'
/** What the JSON of a run holds from this version on. */
const newFields = '"kind":"agent","depth":0,"tainted":false,"accounts":[]'

/**
 * Moves the runs of version 1 into the tables of version 2. What was running then belongs to nobody: whoever comes
 * first takes it over.
 */
export function changeRunTables(db: Kysely<RuntimeTables>): readonly string[] {
  const make = [...buildRunTables(db), ...buildJournalIndexes(db)].map((statement) => statement.compile().sql)
  return [
    ...oldIndexes.map((name) => `drop index ${name}`),
    ...['runs', 'run_steps', 'approvals'].map((name) => `alter table ${name} rename to old_${name}`),
    ...make,
    `insert into runs (${runColumns}, cancel_requested, run)
      select ${runColumns}, 0, '{${newFields},' || substr(run, 2) from old_runs`,
    `insert into run_steps (seq, first_seq, last_seq, progress, messages, events)
      select run_seq * ${stepsPerRun} + row_number() over (partition by run_seq order by seq) - 1,
      first_seq, last_seq, progress, messages, events from old_run_steps`,
    `insert into approvals (${approvalColumns}) select ${approvalColumns} from old_approvals`,
    ...['old_approvals', 'old_run_steps', 'old_runs'].map((name) => `drop table ${name}`),
  ]
}

const oldIndexes = [
  'runs_time',
  'runs_agent',
  'runs_conversation',
  'runs_open',
  'runs_finished',
  'runs_with_steps',
  'run_steps_run',
  'approvals_id',
  'journal_type',
  'journal_run',
]
