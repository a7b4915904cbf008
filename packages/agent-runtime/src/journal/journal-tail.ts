import type { Journal } from '../store/ports/journal.ts'
import type { Logger } from '../ports/logger.ts'
import type { StoreSignals } from '../store/ports/store-signal.ts'
import { type AutoResetEvent, createAutoResetEvent } from '@homeward/kit'
import { RuntimeError } from '../ports/runtime-error.ts'
import { createJournalWindow, type JournalWindow, type WindowPage } from './journal-window.ts'
import { reasonOf } from '../ports/reason-of.ts'

/** Most events of one read. */
const pageSize = 200
/** Milliseconds that viewers have for the last events when the journal is closed. */
const graceMs = 200

/** What {@link createJournalTail} is built from. */
interface JournalTailOptions {
  readonly store: Journal & StoreSignals
  readonly logger: Logger
  /** Milliseconds between two looks that no signal asked for. */
  readonly lookEveryMs: number
  /** Most events that are kept at hand. */
  readonly maxEvents: number
}

/** One viewer's watch. */
interface TailWatch {
  /** Rings when there is more, and when the tail closes. */
  readonly wakeup: AutoResetEvent
  /** Resolves once the tail knows where the journal ends. */
  readonly ready: Promise<void>
  end(): void
}

/**
 * The newest events of the journal, read once for all who watch. It holds a bounded number, whoever watches and however
 * slowly: a viewer that is further behind reads the store.
 */
export interface JournalTail {
  readonly isClosed: boolean
  /** Nothing comes any more: who has seen everything may go. */
  readonly isEnding: boolean
  /** Number of the newest event that was seen. */
  readonly through: number
  watch(): TailWatch
  /** What follows a position; undefined when that is not at hand any more. */
  behind(position: number): WindowPage | undefined
  /** Reads what is there, lets viewers take it for a moment, and ends. */
  close(): Promise<void>
}

/** Builds a tail. It looks at the store only while somebody watches. */
export function createJournalTail(options: JournalTailOptions): JournalTail {
  const viewers = createViewers(() => watching?.stop())
  const window = createJournalWindow(options.maxEvents)
  let watching: Watching | undefined
  let isEnding = false
  let isClosed = false

  function end(): void {
    isEnding = isClosed = true
    watching?.stop()
    viewers.notifyAll()
  }

  return {
    get isClosed() {
      return isClosed
    },
    get isEnding() {
      return isEnding
    },
    get through() {
      return window.through
    },
    watch() {
      const { wakeup, leave } = viewers.join()
      if (!isEnding && (watching === undefined || watching.isStopped)) {
        watching = startWatching(options, window, viewers.notifyAll, end)
      }
      return { wakeup, ready: watching?.ready ?? Promise.resolve(), end: leave }
    },
    behind: (position) => (watching?.isStopped === false ? window.behind(position) : undefined),
    async close() {
      await watching?.finish()
      isEnding = true
      viewers.notifyAll()
      await viewers.gone(graceMs)
      end()
    },
  }
}

/** The time in which somebody watches. */
interface Watching {
  readonly isStopped: boolean
  readonly ready: Promise<void>
  /** Reads all that is there by now. */
  finish(): Promise<void>
  stop(): void
}

function startWatching(
  { store, logger, lookEveryMs }: JournalTailOptions,
  window: JournalWindow,
  onMore: () => void,
  onClosed: () => void,
): Watching {
  let isStopped = false
  let isAsked = false
  let isFailing = false
  let reading: Promise<void> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  // Heard before the end is looked up: what comes in between is read behind it.
  const unsubscribe = store.subscribe(({ topic }) => {
    if (topic === 'journal') look()
  })
  const ready = findEnd()
  ready.catch(stop) // whoever watches is told
  lookLater()

  async function findEnd(): Promise<void> {
    const last = await store.lastEventSeq()
    if (!isStopped) window.reset(last)
  }

  /** Reads until there is nothing more. A signal that comes in between is followed by another read. */
  async function readOn(): Promise<void> {
    await ready
    while (isAsked && !isStopped) {
      isAsked = false
      const page = await store.listEvents({ since: window.through, limit: pageSize })
      if (isStopped) return
      isFailing = false
      window.add(page)
      if (page.length === pageSize) isAsked = true
      if (page.length > 0) onMore()
    }
  }

  async function read(): Promise<void> {
    try {
      await readOn()
    } catch (error) {
      if (isStopped) return
      if (RuntimeError.is(error) && error.code === 'closed') return onClosed()
      // the next look tries again
      if (!isFailing) logger.error('Reading the journal failed. Retrying.', { reason: reasonOf(error) })
      isFailing = true
    }
  }

  function look(): void {
    isAsked = true
    reading ??= read().finally(() => {
      reading = undefined
      if (isAsked && !isStopped && !isFailing) look()
    })
  }

  function lookLater(): void {
    timer = setTimeout(() => {
      look()
      lookLater()
    }, lookEveryMs)
  }

  function stop(): void {
    isStopped = true
    unsubscribe()
    clearTimeout(timer)
  }

  return {
    get isStopped() {
      return isStopped
    },
    ready,
    async finish() {
      if (isStopped) return
      look()
      while (reading) await reading
    },
    stop,
  }
}

/** Who watches. */
interface Viewers {
  readonly isEmpty: boolean
  /** @returns a wakeup, and what ends the watch. */
  join(): { readonly wakeup: AutoResetEvent; readonly leave: () => void }
  notifyAll(): void
  /** Resolves once nobody watches any more, and after `graceMs` at the latest. */
  gone(graceMs: number): Promise<void>
}

/** Builds an empty set of viewers; `onEmpty` is called when the last one leaves. */
function createViewers(onEmpty: () => void): Viewers {
  const wakeups = new Set<AutoResetEvent>()
  let onGone: (() => void) | undefined
  return {
    get isEmpty() {
      return wakeups.size === 0
    },
    join() {
      const wakeup = createAutoResetEvent()
      wakeups.add(wakeup)
      const leave = () => {
        if (!wakeups.delete(wakeup) || wakeups.size > 0) return
        onEmpty()
        onGone?.()
      }
      return { wakeup, leave }
    },
    notifyAll() {
      for (const wakeup of wakeups) wakeup.set()
    },
    gone: (graceMs) =>
      new Promise((resolve) => {
        if (wakeups.size === 0) return resolve()
        const grace = setTimeout(resolve, graceMs)
        onGone = () => {
          clearTimeout(grace)
          resolve()
        }
      }),
  }
}
