import type { JournalEvent, JournalEventType, JsonObject } from '@homeward/contract/agent-platform'

/** An event without a number. Secrets have already been removed. */
export interface NewJournalEvent {
  readonly type: JournalEventType
  /** ISO 8601 text in UTC. */
  readonly timestamp: string
  readonly runId?: string
  readonly data: JsonObject
}

/** Filter for events. Absent fields match everything. */
export interface JournalFilter {
  readonly type?: string | undefined
  /** Event types, instead of `type`. */
  readonly types?: readonly string[] | undefined
  readonly runId?: string | undefined
  /** Only events with a greater number, oldest first. Without it, the newest `limit` events, in their order. */
  readonly since?: number | undefined
  readonly limit: number
}

/** The journal: numbered events in the order of writing. All event lists and streams read it. */
export interface Journal {
  /** Appends events. @returns the number of the last one. */
  appendEvents(events: readonly NewJournalEvent[], signal?: AbortSignal): Promise<number>
  /** Returns the number of the newest event, or 0 without events. */
  lastEventSeq(signal?: AbortSignal): Promise<number>
  /** Lists events in their order, with any filter. */
  listEvents(filter: JournalFilter, signal?: AbortSignal): Promise<JournalEvent[]>
}
