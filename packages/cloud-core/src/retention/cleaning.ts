import { platformTimers, sleep, type Timers } from '@homeward/kit'
import type { BlobStore } from '../ports/blob-store.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
import type { RetentionOptions } from './retention-options.ts'

const dayMs = 24 * 60 * 60 * 1000
/** Soon, so that programs that run for a short while clean up too. */
const firstAfterMs = 10_000
const everyMs = 60_000

/** Lets go what is old, deleted or erased: a few rows at a time, then their files (C31). */
export interface Cleaning {
  /** Removes what deletions and erasures left. Resolves once nothing is left, or it failed; failures go to `onError`. */
  run(): Promise<void>
  /** Lets old rows go as the retention says, then does what {@link run} does. Rejects if that fails. */
  applyRetention(): Promise<void>
  /** Removes files whose rows have just gone. A failure goes to `onError`, and the next run tries again. */
  removeFiles(blobIds: readonly string[]): Promise<void>
  /** Ends what is under way; another process, or the next start, goes on with it. */
  close(): Promise<void>
}

/** What {@link createCleaning} works with. */
interface CleaningSetup {
  readonly store: CloudStore
  readonly blobs: Pick<BlobStore, 'delete'>
  readonly retention: RetentionOptions | undefined
  readonly now: () => number
  /** Called when keys no longer work, and devices are gone. */
  readonly onGone: (hashes: readonly string[], deviceIds: readonly string[]) => void
  readonly onError: (error: unknown) => void
  readonly timers?: Timers | undefined
}

/**
 * Creates the cleaning. It looks once at the start for what a crash left. Without a retention it then waits until something
 * is deleted; with one it also looks each minute.
 */
export function createCleaning(setup: CleaningSetup): Cleaning {
  const { store, retention = {}, now, onError, timers = platformTimers } = setup
  const closing = new AbortController()
  const { signal } = closing
  const limits = toLimits(retention)
  const { removeFiles, removeAll } = createRemoving(setup, signal)
  let running: Promise<void> | undefined
  let isWanted = false
  let timer: unknown

  async function prune(): Promise<void> {
    for (const [verb, keptMs] of limits) {
      const before = new Date(now() - keptMs).toISOString()
      while (!signal.aborted && (await store[verb](before, atOnce, signal)) > 0)
        await sleep(pauseMs, signal, timers)
    }
  }

  /** One run at a time; one that is asked for in the middle of another follows it. */
  function run(): Promise<void> {
    isWanted = true
    running ??= (async () => {
      while (isWanted && !signal.aborted) {
        isWanted = false
        if ((await store.hasLeftovers(signal)) && !(await removeAll())) later(everyMs)
      }
    })()
      .catch((error: unknown) => {
        if (signal.aborted) return
        onError(error)
        later(everyMs)
      })
      .finally(() => (running = undefined))
    return running
  }

  async function applyRetention(): Promise<void> {
    await prune()
    await run()
  }

  async function tick(): Promise<void> {
    await applyRetention().catch((error: unknown) => {
      if (!signal.aborted) onError(error)
    })
    if (limits.length > 0) later(everyMs)
  }

  function later(ms: number): void {
    if (timer !== undefined || signal.aborted) return
    timer = timers.setTimeout(() => {
      timer = undefined
      void tick()
    }, ms)
    // cleaning up keeps no program alive
    if (timer !== null && typeof timer === 'object' && 'unref' in timer) (timer as { unref(): void }).unref()
  }

  void run()
  if (limits.length > 0) later(firstAfterMs)
  return {
    run,
    applyRetention,
    async removeFiles(blobIds) {
      await removeFiles(blobIds).catch(onError)
    },
    async close() {
      closing.abort(new Error('The cloud closes'))
      timers.clearTimeout(timer)
      await running
    },
  }
}

type Prune = 'pruneResults' | 'pruneCatalogs' | 'pruneSearches' | 'pruneUploads'

/** What is limited at all: results first. */
function toLimits({
  resultsDays,
  searchesDays,
  filesDays,
}: RetentionOptions): readonly (readonly [Prune, number])[] {
  const all = [
    ['pruneResults', resultsDays],
    ['pruneCatalogs', resultsDays],
    ['pruneSearches', searchesDays],
    ['pruneUploads', filesDays],
  ] as const
  return all.flatMap(([verb, days]) => (typeof days === 'number' ? [[verb, days * dayMs] as const] : []))
}

/** Rows in one transaction. */
const atOnce = 200
/** Between two transactions, in milliseconds, so that requests come in between. */
const pauseMs = 5

/** Removes what deletions and erasures left: rows first, then their files. */
function createRemoving(
  { store, blobs, onGone, onError, timers = platformTimers }: CleaningSetup,
  signal: AbortSignal,
) {
  /** @returns whether all of them are gone. */
  async function removeFiles(blobIds: readonly string[]): Promise<boolean> {
    const removed: string[] = []
    for (const id of blobIds) {
      try {
        await blobs.delete(id, signal)
        removed.push(id)
      } catch (error) {
        if (!signal.aborted) onError(error)
      }
    }
    if (removed.length > 0) await store.confirmBlobRemovals(removed, signal)
    return removed.length === blobIds.length
  }

  /** @returns whether nothing is left. */
  async function removeAll(): Promise<boolean> {
    let rows = 0
    for (;;) {
      const removed = await store.removeSome(atOnce, signal)
      if (removed.rows === 0) break
      rows += removed.rows
      onGone(removed.hashes, removed.deviceIds)
      await sleep(pauseMs, signal, timers)
    }
    for (;;) {
      const blobIds = await store.listBlobRemovals(atOnce, signal)
      if (blobIds.length === 0) break
      if (!(await removeFiles(blobIds))) return false
    }
    if (rows > 0) await store.scrub?.(signal)
    return true
  }

  return { removeFiles, removeAll }
}
