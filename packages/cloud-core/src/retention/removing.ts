import { platformTimers, sleep } from '@homeward/kit'
import type { CleaningSetup } from './cleaning.ts'

/** Rows in one transaction. */
export const atOnce = 200
/** Between two transactions, in milliseconds, so that requests come in between. */
export const pauseMs = 5

/** Removes what deletions and erasures left: rows first, then their files. */
export function createRemoving(
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
