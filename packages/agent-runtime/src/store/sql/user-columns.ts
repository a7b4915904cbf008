import type { JsonField } from './runs/remembered-plans.ts'

/** Lets runs, tasks and conversations be listed by their user, also those of older versions. */
export const addUserColumns = (field: JsonField): readonly string[] => [
  'alter table runs add column user_id text',
  `update runs set user_id = ${field('run', 'userId')} where ${field('run', 'userId')} is not null`,
  'create index runs_user on runs (user_id, created_at, id) where user_id is not null',
  'alter table tasks add column user_id text',
  `update tasks set user_id = ${field('task', 'userId')} where ${field('task', 'userId')} is not null`,
  'create index tasks_user on tasks (user_id, seq) where user_id is not null',
  'alter table conversations add column chosen_id text',
  'create index conversations_chosen on conversations (chosen_id) where chosen_id is not null',
]

/** Lets the users of an agent take turns in its queue: see `turnOf`. */
export const addTurns = (): readonly string[] => [
  'alter table tasks add column turn integer not null default 0',
  'drop index tasks_ready',
  'create index tasks_ready on tasks (lane, serial, priority desc, turn, seq) where ready = 1',
  // of no use for another question: Postgres would sort all that waits rather than read tasks_ready in its order
  "create index tasks_turn on tasks (lane, coalesce(user_id, ''), turn) where ready = 1 and turn >= 0",
]
