import { createAutoResetEvent } from '@homeward/kit'
import { backgroundTimers } from '@homeward/kit/node'
import { yieldToEventLoop } from '../concurrency/yield-to-event-loop.ts'
import { reasonOf } from '../ports/reason-of.ts'
import { createIndexDocument, type IndexDocumentOptions } from './index-document.ts'

/** Reads queued documents. */
export interface DocumentWorker {
  /** Begins, once. */
  start(): void
  /** Says that there is something to do. */
  wake(): void
  /** Leaves what is under way to the next process, and resolves when nothing runs anymore. */
  close(): Promise<void>
}

/** What {@link createDocumentWorker} is built from. */
interface DocumentWorkerOptions extends IndexDocumentOptions {
  /** Whether other processes may write to the store. */
  readonly isShared: boolean
}

/** Documents that a process works on at once. */
const lanes = 2
/** How often a store that other processes write to is looked at, in milliseconds. */
const lookMs = 10_000
/** Uploads that did not end within this time are removed, in milliseconds. */
const uploadMs = 60 * 60 * 1000

/** Builds the worker: it claims documents one by one, reads them, and removes what deleted ones left. */
export function createDocumentWorker(options: DocumentWorkerOptions): DocumentWorker {
  const { store, reader, owner, leaseMs, isShared, logger, now } = options
  const index = createIndexDocument(options)
  const closing = new AbortController()
  const { signal } = closing
  const wakes = Array.from({ length: lanes }, () => createAutoResetEvent(backgroundTimers))
  let running: Promise<unknown> | undefined

  const timeAt = (ms: number) => new Date(ms).toISOString()

  async function workOnNext(): Promise<boolean> {
    const [document] = await store.claimDocuments(
      { owner, now: timeAt(now()), until: timeAt(now() + leaseMs), limit: 1 },
      signal,
    )
    if (document) await index(document, signal)
    return document !== undefined
  }

  async function round(lane: number): Promise<void> {
    while (await workOnNext());
    // one is enough
    const sweep = { before: timeAt(now() - uploadMs) }
    while (lane === 0 && (await store.sweepDocuments(sweep, signal))) await yieldToEventLoop()
  }

  async function runLane(lane: number): Promise<void> {
    while (!signal.aborted) {
      try {
        await round(lane)
      } catch (error) {
        if (!signal.aborted) logger.warn('Reading documents failed. Retrying.', { reason: reasonOf(error) })
      }
      await wakes[lane]?.wait(isShared ? Math.min(lookMs, leaseMs) : Infinity, signal)
    }
  }

  return {
    start() {
      running ??= Promise.all(wakes.map((_, lane) => runLane(lane)))
    },
    wake() {
      for (const each of wakes) each.set()
    },
    async close() {
      closing.abort(new Error('the runtime closes'))
      await running
      reader.close()
    },
  }
}
