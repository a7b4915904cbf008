import type { JournalEvent } from '@homeward/contract/agent-platform'
import { yieldToEventLoop } from '../concurrency/yield-to-event-loop.ts'
import type { Journal } from '../store/ports/journal.ts'
import type { JournalTail } from './journal-tail.ts'

/** Most events of one read behind the tail. */
const pageSize = 200

/** Filter for the events of a viewer. Absent fields match everything. */
export interface JournalView {
  /** Event types to include. */
  readonly types?: readonly string[] | undefined
  readonly runId?: string | undefined
  /** Only events after this number. Without it, only new events. */
  readonly since?: number | undefined
}

/**
 * Reads the journal by the viewer's own position, and waits at its end. Nothing is queued for a viewer, however slow it
 * is: it reads on when it asks for more, and all viewers see the same events in the same order.
 *
 * Ends when `signal` aborts or the tail closes.
 */
export async function* followJournal(
  { store, tail }: { readonly store: Journal; readonly tail: JournalTail },
  view: JournalView,
  signal: AbortSignal,
): AsyncGenerator<JournalEvent, void, undefined> {
  const { wakeup, ready, end } = tail.watch()
  try {
    await ready
    let position = view.since ?? tail.through
    while (!signal.aborted && !tail.isClosed) {
      const page = readTail(tail, view, position) ?? (await readStore(store, tail, view, position))
      if (tail.isClosed) return
      for (const event of page.events) {
        yield event
        if (signal.aborted) return
      }
      if (page.through > position) {
        position = page.through
        // A page is a turn: a long replay must not hold up what else the process does.
        await yieldToEventLoop()
        continue
      }
      if (tail.isEnding) return
      await wakeup.wait(Infinity, signal)
    }
  } finally {
    end()
  }
}

interface Page {
  readonly events: readonly JournalEvent[]
  /** Where to go on. */
  readonly through: number
}

function readTail(tail: JournalTail, view: JournalView, position: number): Page | undefined {
  const page = tail.behind(position)
  if (!page) return undefined
  return { events: page.events.filter((event) => isWanted(event, view)), through: page.through }
}

async function readStore(
  store: Journal,
  tail: JournalTail,
  { types, runId }: JournalView,
  position: number,
): Promise<Page> {
  // Seen before the read, so it has everything through there: events that are not wanted need no second look.
  const { through } = tail
  const events = await store.listEvents({ types, runId, since: position, limit: pageSize })
  const last = events.at(-1)?.seq ?? position
  return { events, through: events.length < pageSize ? Math.max(last, through) : last }
}

function isWanted({ type, run_id }: JournalEvent, { types, runId }: JournalView): boolean {
  return (types === undefined || types.includes(type)) && (runId === undefined || run_id === runId)
}
