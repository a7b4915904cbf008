import type { Agent, Graph, RunEvent, RunStatus } from '@homeward/contract/agent-platform'
import type { Lease } from '../store/ports/lease.ts'
import type { ModelMessage } from '../ports/message.ts'
import type { EffectOutcome, StoredEffect } from '../store/ports/effect.ts'
import type { StoredApproval } from '../store/ports/approval.ts'
import type { NewRun, RunProgress, StoredRun } from '../store/ports/run-store.ts'
import type { ScheduleCursor } from '../store/ports/schedule-store.ts'
import type { StoreSignal } from '../store/ports/store-signal.ts'
import type { BudgetRecords } from './budget-verbs.ts'
import { createBudgetRecords } from './budget-verbs.ts'
import type { ChannelRecords } from './channel-records.ts'
import { createChannelRecords } from './channel-records.ts'
import type { EndedRun } from './ended-run.ts'
import type { DefinitionRecords } from './definition-verbs.ts'
import type { TaskRecords } from './task-records.ts'
import { createTaskRecords } from './task-records.ts'
import type { EncodedJson } from './encoded-json.ts'
import type { JournalRecords } from './journal-records.ts'
import { createJournalRecords } from './journal-records.ts'
import { fromJson } from '../store/sql/json.ts'
import type { WordIndex } from './word-index.ts'
import { createWordIndex } from './word-index.ts'

/** How much a store keeps. */
export interface Bounds {
  /** Most runs that have ended, and a sixteenth more; the oldest are forgotten with their steps and approvals. */
  readonly finishedRuns: number
  /** Most events of the journal; the oldest are forgotten. */
  readonly journalEvents: number
}

// Runs, messages and events are kept as they were given: whoever writes them changes them no more. What is read is a
// copy (`toCopy`), so that a reader may. All else is kept as JSON: as text, or as bytes (`EncodedJson`) what grows with
// each run.

/** Messages that were added in one write. */
export type MessageChunk = { readonly firstSeq: number } & (
  | {
      /** JSON of `StoredMessage[]`. */
      readonly json: string
    }
  | {
      /** The run whose turn it is: ids count on from its own. */
      readonly runId: string
      readonly createdAt: string
      /** The first of them, of `ModelMessage[]`. */
      readonly json: string
      /** Those behind them, by `encodeMessages`: the run has the very same ones. */
      readonly ofRun: EncodedJson | undefined
    }
)

/** A conversation with its messages. */
export interface ConversationRecord {
  readonly id: string
  readonly agentId: string
  readonly userId: string | undefined
  title: string | undefined
  summary: string | undefined
  summarizedSeq: number
  readonly createdAt: string
  updatedAt: string
  /** Oldest first, those of one write together. */
  readonly messages: MessageChunk[]
  messageCount: number
  /** Made when messages are added to those that are there: most conversations are written once. */
  messageIds: Set<string> | undefined
}

/** What a step of a run added. */
export interface StepRecord {
  readonly messages: readonly ModelMessage[]
  readonly firstSeq: number
  readonly lastSeq: number
  readonly events: readonly RunEvent[]
}

/** A run with its steps and approvals. */
export interface RunRecord {
  readonly id: string
  readonly createdAt: string
  readonly run: NewRun
  status: RunStatus
  lease: Lease | undefined
  takeOvers: number | undefined
  /** How many steps had messages when it was last taken over. */
  takenSteps: number | undefined
  cancelRequested: boolean
  progress: RunProgress
  result: StoredRun['result'] | undefined
  finishedAt: string | undefined
  readonly steps: StepRecord[]
  /** Present once it has ended, instead of `steps` and `result`: bytes take a fraction of what thousands of objects take. */
  ended: EndedRun | undefined
  /** Calls that the newest step announced, and how those ended that have. */
  intents: readonly StoredEffect[]
  readonly outcomes: Map<string, EffectOutcome>
  readonly approvals: Map<string, StoredApproval>
}

/** A memory. Its text is in the word index. */
export interface MemoryRecord {
  readonly id: string
  readonly agentId: string
  readonly userId: string | undefined
  readonly tags: ReadonlySet<string>
  readonly expiresAt: string | undefined
  /** JSON of everything but the vector. */
  readonly json: string
  readonly embedding: Float32Array | undefined
  readonly embeddingModel: string | undefined
}

/** Everything that a store in memory holds. */
export interface Tables {
  readonly bounds: Bounds
  readonly agents: DefinitionRecords<Agent>
  readonly graphs: DefinitionRecords<Graph>
  readonly tasks: TaskRecords
  /** By kind and id of the subject. */
  readonly scheduleCursors: Map<string, ScheduleCursor>
  readonly conversations: Map<string, ConversationRecord>
  readonly memories: Map<string, MemoryRecord>
  readonly memoryWords: WordIndex<MemoryRecord>
  /** Those that expire, the earliest first. */
  readonly expiringMemories: MemoryRecord[]
  readonly runs: Map<string, RunRecord>
  /** Oldest first. */
  readonly runsByTime: RunRecord[]
  readonly runsByKey: Map<string, RunRecord>
  /** How many of those that have not ended a run has started. */
  readonly openChildren: Map<string, number>
  /** Ids of runs that have ended, in the order they did. */
  readonly finishedRuns: Set<string>
  readonly journal: JournalRecords
  readonly budgets: BudgetRecords
  readonly channels: ChannelRecords
  /** What the verb under way tells those who wait, once it has ended. */
  signals: StoreSignal[]
}

/** Tells those who wait, once the verb has ended. */
export function tell(tables: Tables, signal: StoreSignal): void {
  tables.signals.push(signal)
}

/** What the verb has told. */
export function takeSignals(tables: Tables): readonly StoreSignal[] {
  const { signals } = tables
  tables.signals = []
  return signals
}

/** What a reader gets: nothing that it does to it comes back, and it is what a database would give. */
export function toCopy<Value>(value: Value): Value {
  return fromJson<Value>(JSON.stringify(value))
}

/** Empty tables. */
export function createTables(bounds: Bounds): Tables {
  return {
    bounds,
    agents: new Map(),
    graphs: new Map(),
    tasks: createTaskRecords(),
    scheduleCursors: new Map(),
    conversations: new Map(),
    memories: new Map(),
    memoryWords: createWordIndex(),
    expiringMemories: [],
    runs: new Map(),
    runsByTime: [],
    runsByKey: new Map(),
    openChildren: new Map(),
    finishedRuns: new Set(),
    journal: createJournalRecords(),
    budgets: createBudgetRecords(),
    channels: createChannelRecords(),
    signals: [],
  }
}
