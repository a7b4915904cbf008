import type { StoredApproval } from '../ports/run-store.ts'
import type { RunStatus } from '@homeward/contract/agent-platform'
import type { WordIndex } from './word-index.ts'
import { createWordIndex } from './word-index.ts'

/** How much a store keeps. */
export interface Bounds {
  /** Most runs that have ended; the oldest are forgotten with their steps and approvals. */
  readonly finishedRuns: number
  /** Most events of the journal; the oldest are forgotten. */
  readonly journalEvents: number
}

// What is given in and out is kept as JSON text: nobody can change it from outside, and it is what a database holds.

/** A message of a conversation. */
export interface MessageRecord {
  readonly seq: number
  readonly id: string
  /** JSON of the whole message. */
  readonly json: string
}

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
  /** Oldest first. */
  readonly messages: MessageRecord[]
  readonly messageIds: Set<string>
}

/** What a step of a run added. */
export interface StepRecord {
  /** JSON of its messages. */
  readonly messages: string
  readonly firstSeq: number
  readonly lastSeq: number
  /** JSON of its stream events. */
  readonly events: string
}

/** A run with its steps and approvals. */
export interface RunRecord {
  readonly id: string
  readonly agentId: string
  readonly conversationId: string
  readonly idempotencyKey: string | undefined
  readonly createdAt: string
  /** JSON of the run as it was started. */
  readonly json: string
  status: RunStatus
  /** JSON. */
  progress: string
  /** JSON. */
  result: string | undefined
  finishedAt: string | undefined
  readonly steps: StepRecord[]
  readonly approvals: Map<string, StoredApproval>
}

/** An event of the journal. */
export interface JournalRecord {
  readonly seq: number
  readonly type: string
  readonly runId: string | undefined
  /** JSON of the whole event. */
  readonly json: string
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
}

/** Everything that a store in memory holds. */
export interface Tables {
  readonly bounds: Bounds
  /** JSON by id. */
  readonly agents: Map<string, { readonly id: string; readonly createdAt: string; readonly json: string }>
  readonly conversations: Map<string, ConversationRecord>
  readonly memories: Map<string, MemoryRecord>
  readonly memoryWords: WordIndex<MemoryRecord>
  /** Those that expire, the earliest first. */
  readonly expiringMemories: MemoryRecord[]
  readonly runs: Map<string, RunRecord>
  /** Oldest first. */
  readonly runsByTime: RunRecord[]
  readonly runsByKey: Map<string, RunRecord>
  /** Ids of runs that have ended, in the order they did. */
  readonly finishedRuns: Set<string>
  /** Oldest first, without gaps. */
  readonly journal: JournalRecord[]
  journalSeq: number
}

/** Empty tables. */
export function createTables(bounds: Bounds): Tables {
  return {
    bounds,
    agents: new Map(),
    conversations: new Map(),
    memories: new Map(),
    memoryWords: createWordIndex(),
    expiringMemories: [],
    runs: new Map(),
    runsByTime: [],
    runsByKey: new Map(),
    finishedRuns: new Set(),
    journal: [],
    journalSeq: 0,
  }
}
