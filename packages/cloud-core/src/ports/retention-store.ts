import type { NewAuditEntry } from './audit-store.ts'

/** What became of some rows that were removed. */
export interface RemovedRows {
  /** How many rows were removed; 0 if nothing is left to remove. */
  readonly rows: number
  /** Hashes of API keys and API tokens that no longer work. */
  readonly hashes: readonly string[]
  /** Devices that are gone. */
  readonly deviceIds: readonly string[]
}

/**
 * How rows go that are not wanted any more: a few with each call, so that no transaction is long. See {@link DeviceStore}
 * for what every method promises.
 *
 * The file of a row that goes is noted in the same transaction, and stays noted until its removal is confirmed: a crash
 * leaves no file behind.
 */
export interface RetentionStore {
  /**
   * Removes the results of up to `limit` searches that were settled before a moment, in the order in which they were made or
   * settled. The searches stay, with `resultsGone`.
   *
   * @returns how many searches lost their results.
   */
  pruneResults(before: string, limit: number, signal?: AbortSignal): Promise<number>

  /** Removes up to `limit` searches that were settled, or expired, before a moment. @returns the number of removed searches */
  pruneSearches(before: string, limit: number, signal?: AbortSignal): Promise<number>

  /** Removes up to `limit` upload requests that ended, or expired, before a moment, with their files. @returns how many. */
  pruneUploads(before: string, limit: number, signal?: AbortSignal): Promise<number>

  /**
   * Begins to erase everything of an owner: {@link removeSome} does it, whichever process calls it, and adds `entry` to the
   * audit at the end. Beginning twice is the same as once.
   */
  beginErasure(owner: string, entry: NewAuditEntry, signal?: AbortSignal): Promise<void>

  /**
   * Removes up to `limit` rows of one kind, and up to 50 devices with them: what deleted devices left, then what owners have that are being erased, keys
   * first.
   */
  removeSome(limit: number, signal?: AbortSignal): Promise<RemovedRows>

  /** Whether {@link removeSome} or {@link listBlobRemovals} has anything to give. */
  hasLeftovers(signal?: AbortSignal): Promise<boolean>

  /** Whether everything of an owner that {@link beginErasure} named is gone. */
  isErased(owner: string, signal?: AbortSignal): Promise<boolean>

  /** Up to `limit` files whose rows are gone, oldest first. */
  listBlobRemovals(limit: number, signal?: AbortSignal): Promise<readonly string[]>

  /** Forgets files that have been removed. */
  confirmBlobRemovals(blobIds: readonly string[], signal?: AbortSignal): Promise<void>

  /**
   * Overwrites what removed rows left in the files of the storage. Left out by storages that have none, or whose server
   * does it.
   */
  scrub?(signal?: AbortSignal): Promise<void>
}
