import type { RunSource, RunStatus } from '@homeward/contract/agent-platform'
import type { WebhookTables } from '@homeward/kit/sql'
import type { Generated } from 'kysely'
import type { AccessTables } from './access/access-tables.ts'
import type { BudgetTables } from './usage/budget-tables.ts'
import type { ChannelTables } from './channels/channel-tables.ts'
import type { DocumentTables } from './documents/document-tables.ts'
import type { AgentVersionTables } from './agent-plans.ts'
import type { WhatIfTables } from './runs/what-if-plans.ts'
import type { FeedbackTables } from './runs/feedback-plans.ts'
import type { FileTables } from './files/file-tables.ts'
import type { InputTables } from './runs/input-plans.ts'
import type { GraphTables } from './graph-tables.ts'
import type { ScheduleTables } from './schedules/schedule-tables.ts'
import type { WaitsTable } from './runs/wait-plans.ts'
import type { TaskTables } from './tasks/task-tables.ts'
import type { ResponseTables } from './runs/response-plans.ts'
import type { SignalTables } from './runs/signal-plans.ts'
import type { TriggerTables } from './triggers/trigger-plans.ts'

/** Agents. */
interface AgentsTable {
  id: string
  created_at: string
  /** JSON of the whole agent. */
  agent: string
}

/** Conversations, without their messages. */
export interface ConversationsTable {
  id: string
  agent_id: string
  user_id: string | null
  title: string | null
  summary: string | null
  summarized_seq: number
  message_count: number
  /** Present if a caller for one user began it: see `ownId`. */
  chosen_id: string | null
  created_at: string
  updated_at: string
}

/** Messages of conversations. */
export interface MessagesTable {
  conversation_id: string
  seq: number
  id: string
  run_id: string | null
  created_at: string
  /** JSON. */
  message: string
}

/** Runs. What a step changes is in `run_steps`, so that a step never rewrites a long task. */
export interface RunsTable {
  seq: Generated<number>
  id: string
  /** Null for a graph's run. */
  agent_id: string | null
  /** Null for an agent's run. */
  graph_id: string | null
  parent_run_id: string | null
  /** Null for a graph's run. */
  conversation_id: string | null
  user_id: string | null
  idempotency_key: string | null
  source: RunSource
  status: RunStatus
  created_at: string
  finished_at: string | null
  /** Who works on it, and until when nobody else may: both, or neither. */
  owner: string | null
  lease_until: string | null
  /** 1 when somebody wants it to stop, else 0. */
  cancel_requested: number
  /** JSON of the run as it was started. */
  run: string
  /** JSON; until the run ends its last step has it. */
  progress: string | null
  /** JSON. */
  result: string | null
  /** From its creation to its end; null until it has ended. */
  duration_ms: number | null
  /** Millionths of a US dollar; null until it has ended, and without a price. */
  cost_micro_usd: number | null
  /** 1 while the steps of a run that has ended are still there, else 0. */
  has_steps: number
  /** Take-overs from owners that were gone, since the step `taken_step`. */
  take_overs: Generated<number>
  /** Number of the newest step with messages when it was last taken over; -1 when there was none. */
  taken_step: number | null
}

/** Steps of runs, in the order of `seq`. */
interface RunStepsTable {
  /** Tells its run too: see `stepsPerRun`. */
  seq: number
  /** Numbers of the first and the last stream event; the last is smaller when there is none. */
  first_seq: number
  last_seq: number
  /** JSON. */
  progress: string
  /** JSON. */
  messages: string
  /** JSON. */
  events: string
  /** JSON of the tool calls that are made behind this step; null when there are none. */
  intents: string | null
  /** JSON of what ended in this step; null for nothing. */
  spans: string | null
}

/** How tool calls ended that run in parallel, until the step that has them all. */
interface RunEffectsTable {
  /** `seq` of the step that announced it. */
  step_seq: number
  key: string
  /** JSON. */
  outcome: string
}

/** Decisions that apply to later calls, in the order of `seq`. */
interface RememberedCallsTable {
  seq: Generated<number>
  id: string
  agent_id: string
  /** Empty if it applies to runs without a user. */
  user_id: Generated<string>
  /** Empty if it applies in all conversations. */
  conversation_id: string
  call_hash: string
  /** JSON of the whole decision. */
  call: string
}

/** The journal. */
export interface JournalTable {
  seq: Generated<number>
  type: string
  run_id: string | null
  timestamp: string
  /** JSON. */
  data: string
}

/** Memories. Their words are in a search index of the database's own kind. */
export interface MemoriesTable {
  seq: Generated<number>
  id: string
  /** JSON of everything but the vector. */
  memory: string
  /** How many words the text has. */
  words: number
  expires_at: string | null
  /** 32-bit floats in this machine's byte order. */
  embedding: Uint8Array | null
  /** What made the vector. */
  embedding_model: string | null
}

/** One row: sums over all memories. */
interface MemoryTotalsTable {
  texts: number
  words: number
}

/** The tables of a runtime. */
export interface RuntimeTables
  extends
    AccessTables,
    AgentVersionTables,
    BudgetTables,
    ChannelTables,
    DocumentTables,
    FeedbackTables,
    FileTables,
    GraphTables,
    InputTables,
    ScheduleTables,
    SignalTables,
    ResponseTables,
    TaskTables,
    TriggerTables,
    WhatIfTables,
    WebhookTables {
  agents: AgentsTable
  conversations: ConversationsTable
  messages: MessagesTable
  runs: RunsTable
  run_steps: RunStepsTable
  run_effects: RunEffectsTable
  waits: WaitsTable
  remembered_calls: RememberedCallsTable
  journal: JournalTable
  memories: MemoriesTable
  memory_totals: MemoryTotalsTable
}
