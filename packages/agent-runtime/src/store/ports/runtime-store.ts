import type { AgentStore, AgentVersionStore } from './agent-store.ts'
import type { AuditStore } from './audit-store.ts'
import type { BudgetStore } from './budget-store.ts'
import type { ChannelStore } from './channel-store.ts'
import type { ConversationStore } from './conversation-store.ts'
import type { DocumentStore } from './document-store.ts'
import type { FeedbackStore } from './feedback-store.ts'
import type { FileStore } from './file-store.ts'
import type { GraphStore } from './graph-store.ts'
import type { Journal } from './journal.ts'
import type { MemoryStore } from './memory-store.ts'
import type { ResponseStore } from './response-store.ts'
import type { Retention } from './retention.ts'
import type { RunInputStore } from './run-input-store.ts'
import type { RunStore } from './run-store.ts'
import type { ScheduleStore } from './schedule-store.ts'
import type { SignalStore } from './signal-store.ts'
import type { StoreSignals } from './store-signal.ts'
import type { TaskStore } from './task-store.ts'
import type { TokenStore } from './token-store.ts'
import type { TriggerStore } from './trigger-store.ts'
import type { UsageStore } from './usage-store.ts'
import type { WhatIfStore } from './what-if-store.ts'
import type { WebhookStore } from './webhook-store.ts'

/**
 * The whole store of a runtime.
 *
 * Each method is atomic and may be called concurrently. If its signal aborts before the change is made, it rejects
 * with `signal.reason`. Texts are compared and stored exactly and sorted by code units, whatever the collation of the
 * database. Times have milliseconds. Implementations must pass `runtimeStoreConformance`.
 */
export interface RuntimeStore
  extends
    AgentStore,
    AgentVersionStore,
    GraphStore,
    ConversationStore,
    FileStore,
    DocumentStore,
    FeedbackStore,
    MemoryStore,
    RunStore,
    RunInputStore,
    SignalStore,
    ResponseStore,
    BudgetStore,
    TaskStore,
    ScheduleStore,
    ChannelStore,
    Journal,
    UsageStore,
    WebhookStore,
    WhatIfStore,
    TriggerStore,
    TokenStore,
    AuditStore,
    Retention,
    StoreSignals {
  /** Whether data survives the end of the process. If so, runs resume instead of being canceled. */
  readonly isDurable: boolean
  /** Completes pending writes and closes files and connections. Can be called twice. */
  close(): Promise<void>
}
