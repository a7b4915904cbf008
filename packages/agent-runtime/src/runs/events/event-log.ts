import { createAutoResetEvent, type AutoResetEvent } from '@homeward/kit'
import type { RunEvent } from '@homeward/contract/agent-platform'
import type { NewAgentRun, RunEventBatch, StoredRun } from '../../store/ports/run-store.ts'
import type { RunsContext } from '../runs-options.ts'

/** The first event of the stream of an agent's run. */
export function toStartEvent({ id, model, clientTools = [] }: NewAgentRun, conversationId: string): RunEvent {
  const names = clientTools.length > 0 && { client_tools: clientTools.map(({ name }) => name) }
  return { event: 'start', data: { run_id: id, conversation_id: conversationId, model, ...names } }
}

/** Events of a run under way: numbered as they happen, held until they are kept. */
export class EventLog {
  readonly #onPush: () => void
  /** Number of the first event that is not kept. */
  #firstSeq: number
  #unsaved: RunEvent[] = []
  #isClosed = false

  /**
   * @param firstSeq number of the first event.
   * @param onPush is called after each event, and when the log closes.
   */
  constructor(firstSeq: number, onPush: () => void) {
    this.#firstSeq = firstSeq
    this.#onPush = onPush
  }

  /** Whether no event comes any more, and those that are here will not be kept. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Number of the newest event. */
  get lastSeq(): number {
    return this.#firstSeq + this.#unsaved.length - 1
  }

  /** Wakes readers: there is something for them that is not an event of the log. */
  wake(): void {
    this.#onPush()
  }

  push(event: RunEvent): void {
    this.#unsaved.push(event)
    this.#onPush()
  }

  /** Events that are not kept yet, as one batch. It grows with what is pushed. */
  batch(): RunEventBatch {
    return { firstSeq: this.#firstSeq, events: this.#unsaved }
  }

  /** The first `count` of the batch were kept, and `more` after them: readers find them in the store from now on. */
  saved(count: number, more: readonly RunEvent[]): void {
    const rest = this.#unsaved.slice(count)
    this.#unsaved.push(...more) // for a reader that is still going through this array
    this.#firstSeq += count + more.length
    this.#unsaved = rest
    if (more.length > 0) this.#onPush()
  }

  /**
   * Events after `seq`, in an array that only grows.
   *
   * @returns undefined when some of them are in the store only.
   */
  after(seq: number): RunEventBatch | undefined {
    return seq + 1 >= this.#firstSeq ? this.batch() : undefined
  }

  close(): void {
    this.#isClosed = true
    this.#onPush()
  }

  /** Forgets what is not kept: whoever goes on with the run tells it anew. Readers go on in the store. */
  drop(): void {
    this.#firstSeq = Number.POSITIVE_INFINITY
    this.#unsaved = []
    this.#onPush()
  }
}

/** Readers may have seen events of a run that stopped without an end, and were never kept: numbers go on behind them. */
const crashGap = 1_000_000

/** Number of the event that comes next. `isCutOff`: whoever worked on the run may have told more than was kept. */
export async function nextSeqOf(
  { store }: Pick<RunsContext, 'store'>,
  { id, progress }: StoredRun,
  isCutOff: boolean,
): Promise<{ readonly nextSeq: number; readonly isFirst: boolean }> {
  let { lastSeq } = progress
  if (lastSeq === undefined) {
    const last = (await store.listRunEvents(id, 0)).at(-1)
    lastSeq = last ? last.firstSeq + last.events.length - 1 : 0
  }
  return { nextSeq: lastSeq + 1 + (isCutOff ? crashGap : 0), isFirst: lastSeq === 0 }
}

/** Who waits for events of which run. A run that waits for people keeps its watchers. */
export interface RunWatchers {
  /** Opens the log of a run, whose events wake those who watch it. @param firstSeq number of the first event */
  openLog(runId: string, firstSeq: number): EventLog
  /** Wakes those who watch a run. */
  notify(runId: string): void
  notifyAll(): void
  /** Resolves once nobody watches any more, and after `graceMs` at the latest. */
  gone(graceMs: number): Promise<void>
  watch(runId: string): { readonly wakeup: AutoResetEvent; readonly end: () => void }
}

export function createRunWatchers(): RunWatchers {
  const wakeups = new Map<string, Set<AutoResetEvent>>()
  let onEmpty: (() => void) | undefined

  function notify(runId: string): void {
    const watching = wakeups.get(runId)
    if (watching) for (const wakeup of watching) wakeup.set()
  }

  return {
    openLog: (runId, firstSeq) => new EventLog(firstSeq, () => notify(runId)),
    notify,
    notifyAll() {
      for (const watching of wakeups.values()) for (const wakeup of watching) wakeup.set()
    },
    gone: (graceMs) =>
      new Promise((resolve) => {
        if (wakeups.size === 0) return resolve()
        const timer = setTimeout(resolve, graceMs)
        onEmpty = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
    watch(runId) {
      const wakeup = createAutoResetEvent()
      const watching = wakeups.get(runId) ?? new Set()
      wakeups.set(runId, watching.add(wakeup))
      const end = () => {
        watching.delete(wakeup)
        if (watching.size === 0 && wakeups.get(runId) === watching) wakeups.delete(runId)
        if (wakeups.size === 0) onEmpty?.()
      }
      return { wakeup, end }
    },
  }
}
