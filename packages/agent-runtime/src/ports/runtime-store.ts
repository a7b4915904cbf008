import type { AgentStore } from './agent-store.ts'
import type { ConversationStore } from './conversation-store.ts'
import type { Journal } from './journal.ts'
import type { MemoryStore } from './memory-store.ts'
import type { RunStore } from './run-store.ts'

/**
 * Everything that a runtime keeps. Each verb is atomic, may be called concurrently, and gives up with `signal.reason`
 * when its signal aborts before the change is made. Implementations must pass `runtimeStoreConformance`.
 */
export interface RuntimeStore extends AgentStore, ConversationStore, MemoryStore, RunStore, Journal {
  /** Writes what is on its way and lets go of files and connections. Safe to call twice. */
  close(): Promise<void>
}
