import type { JournalEvent, JournalEventType, JsonObject } from '@homeward/contract/agent-platform'

/** An event before it has its number. Secrets are taken out before it comes here. */
export interface NewJournalEvent {
  readonly type: JournalEventType
  /** ISO 8601 text in UTC. */
  readonly timestamp: string
  readonly runId?: string
  readonly data: JsonObject
}

/** Which events. Absent fields match everything. */
export interface JournalFilter {
  readonly type?: string | undefined
  /** Any of these, instead of `type`. */
  readonly types?: readonly string[] | undefined
  readonly runId?: string | undefined
  /** Only events with a greater number, oldest first. Without it the newest `limit`, in the order they happened. */
  readonly since?: number | undefined
  readonly limit: number
}

/** What happened, numbered in the order of writing. Everything that shows events reads it. */
export interface Journal {
  /** @returns the number of the last one. */
  appendEvents(events: readonly NewJournalEvent[], signal?: AbortSignal): Promise<number>
  /** Number of the newest event. 0 if there are no events. */
  lastEventSeq(signal?: AbortSignal): Promise<number>
  /** In the order they happened, whatever the filter. */
  listEvents(filter: JournalFilter, signal?: AbortSignal): Promise<JournalEvent[]>
}
