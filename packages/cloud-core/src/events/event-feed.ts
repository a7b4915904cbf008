import type { StreamedEvent } from '../ports/cloud-signal.ts'

/** Events that a feed can repeat, and that a reader may be behind. */
const maxEvents = 1000

/** One reader of a feed. */
interface FeedReader {
  /** Texts of whole server-sent events, until the reader leaves, is too slow, or is ended. */
  read(): AsyncGenerator<string, void>
  end(): void
}

type FeedEvent = Omit<StreamedEvent, 'owner'>

/** Whether an event is for a reader. */
export type ShowsEvent = (event: FeedEvent) => Promise<boolean>

/** The recent events of one owner, and who reads them. */
export interface EventFeed {
  readonly readerCount: number
  add(event: Omit<StreamedEvent, 'owner'>): void
  /** Events may have been missed: every reader gets `reset`, and nothing older is repeated. */
  reset(): void
  /**
   * @param lastId Value of `Last-Event-ID`; undefined for a reader that begins.
   * @param onEnd Called once when the reader has left or was ended.
   * @param shows Whether an event is for this reader. @default all are
   */
  open(lastId: string | undefined, onEnd: () => void, shows?: ShowsEvent): FeedReader
  /** Ends all readers. */
  close(): void
}

interface Entry {
  readonly seq: number
  readonly text: string
  readonly event?: FeedEvent
}

/** Creates a feed. Ids of its events begin with a name of its own, so that ids of another process are not taken for its own. */
export function createEventFeed(createName: () => string): EventFeed {
  const readers = new Set<{ queue: Entry[]; wake: () => void; end: () => void }>()
  let name = createName()
  let recent: Entry[] = []
  let seq = 0

  const idAt = (place: number) => `${name}.${place}`

  function push(event: Omit<StreamedEvent, 'owner'>): void {
    seq += 1
    const text = `id: ${idAt(seq)}\nevent: ${event.name}\ndata: ${JSON.stringify(event.data)}\n\n`
    const entry = { seq, text, event }
    recent.push(entry)
    if (recent.length > maxEvents) recent.shift()
    for (const reader of readers) {
      reader.queue.push(entry)
      if (reader.queue.length > maxEvents) reader.end()
      else reader.wake()
    }
  }

  /** What a returning reader missed; undefined if that is not known. */
  function missedSince(lastId: string): readonly Entry[] | undefined {
    const [, feedName, place] = /^(.+)\.(\d{1,15})$/.exec(lastId) ?? []
    const last = Number(place)
    if (feedName !== name || last > seq || last < (recent[0]?.seq ?? seq + 1) - 1) return undefined
    return recent.filter((entry) => entry.seq > last)
  }

  function firstOf(lastId: string | undefined): Entry[] {
    const missed = lastId === undefined ? [] : missedSince(lastId)
    // An id alone is no event: it tells a reader that leaves before the first one where to continue.
    if (missed === undefined) return [{ seq, text: `id: ${idAt(seq)}\nevent: reset\ndata: {}\n\n` }]
    return missed.length > 0 ? [...missed] : [{ seq, text: `id: ${idAt(seq)}\n\n` }]
  }

  function open(lastId: string | undefined, onEnd: () => void, shows?: ShowsEvent): FeedReader {
    let isOver = false
    let wake = () => {}
    const end = () => {
      if (isOver) return
      isOver = true
      readers.delete(reader)
      reader.queue.length = 0
      wake()
      onEnd()
    }
    const reader = { queue: firstOf(lastId), wake: () => wake(), end }
    readers.add(reader)
    return {
      end,
      async *read() {
        try {
          while (!isOver) {
            const entry = reader.queue.shift()
            if (entry?.event && shows && !(await shows(entry.event))) continue
            if (entry !== undefined) yield entry.text
            else await new Promise<void>((resolve) => (wake = resolve))
          }
        } finally {
          end()
        }
      },
    }
  }

  return {
    get readerCount() {
      return readers.size
    },
    add: push,
    reset() {
      name = createName()
      recent = []
      push({ name: 'reset', data: {} })
    },
    open,
    close() {
      for (const reader of readers) reader.end()
    },
  }
}
