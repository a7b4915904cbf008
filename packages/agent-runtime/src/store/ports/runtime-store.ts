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
 * Everything that a runtime keeps. Each verb is atomic, may be called concurrently, and gives up with `signal.reason`
 * when its signal aborts before the change is made. Texts are compared and kept to the letter and ordered by code units,
 * whatever the collation of a database; times count to the millisecond. Implementations must pass `runtimeStoreConformance`.
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
  /** Whether what it keeps is still there after the process has ended: then runs go on instead of being cancelled. */
  readonly isDurable: boolean
  /** Writes what is on its way and lets go of files and connections. Safe to call twice. */
  close(): Promise<void>
}
