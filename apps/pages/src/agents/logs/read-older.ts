import type { JournalEvent } from '@homeward/contract/agent-platform'
import type { JournalFilter, JournalQuery } from './journal-follower.ts'

/** How older events are read. */
export interface OlderReading {
  readonly filter: JournalFilter
  readonly read: (query: JournalQuery, signal: AbortSignal) => Promise<readonly JournalEvent[]>
  /** Events of one answer at most. */
  readonly pageSize: number
  readonly signal: AbortSignal
}

/** Events from before, oldest first. */
export interface OlderEvents {
  readonly events: readonly JournalEvent[]
  /** Everything behind this number was read; 0 when there is nothing older. */
  readonly since: number
}

/**
 * Reads events from before the number `end`: the nearest stretch of the journal that has some. A narrow filter finds little,
 * so each stretch is longer than the one before.
 */
export async function readOlder(reading: OlderReading, end: number): Promise<OlderEvents> {
  let since = Number.isFinite(end) ? end - 1 : 0
  for (let length = reading.pageSize; since > 0; length *= 4) {
    const before = since + 1
    since = Math.max(0, since - length)
    const events = await readStretch(reading, since, before)
    if (events.length > 0) return { events, since }
  }
  return { events: [], since }
}

/** Events behind `since` and before `end`. */
async function readStretch(
  { filter, read, pageSize, signal }: OlderReading,
  since: number,
  end: number,
): Promise<readonly JournalEvent[]> {
  const found: JournalEvent[] = []
  let position = since
  while (position < end - 1) {
    const page = await read({ ...filter, limit: pageSize, since: position }, signal)
    found.push(...page.filter(({ seq }) => seq < end))
    position = page.length < pageSize ? end : (page.at(-1)?.seq ?? end)
  }
  return found
}
