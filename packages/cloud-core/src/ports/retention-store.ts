import type { NewAuditEntry } from './audit-store.ts'

/** Result of removing some rows. */
export interface RemovedRows {
  /** Number of removed rows; 0 if no rows are left. */
  readonly rows: number
  /** Hashes of API keys and API tokens that are no longer valid. */
  readonly hashes: readonly string[]
  /** Ids of removed devices. */
  readonly deviceIds: readonly string[]
}

/**
 * Store methods that remove old rows, a few per call, so that transactions stay short. {@link DeviceStore} states the
 * rules for every method.
 *
 * The file of a removed row is marked in the same transaction until its removal is confirmed, so a crash leaves no
 * file behind.
 */
export interface RetentionStore {
  /**
   * Removes the results of up to `limit` searches that were settled before a time, oldest first. The searches stay,
   * with `resultsGone`.
   *
   * @returns the number of searches that lost their results.
   */
  pruneResults(before: string, limit: number, signal?: AbortSignal): Promise<number>

  /**
   * Removes up to `limit` searches that were settled or expired before a time.
   *
   * @returns the number of removed searches
   */
  pruneSearches(before: string, limit: number, signal?: AbortSignal): Promise<number>

  /**
   * Removes up to `limit` upload requests that ended or expired before a time, with their files.
   *
   * @returns the number of removed requests.
   */
  pruneUploads(before: string, limit: number, signal?: AbortSignal): Promise<number>

  /**
   * Starts to erase all data of an owner. {@link removeSome}, called by any process, removes it and adds `entry` to
   * the audit log at the end. A second call has no effect.
   */
  beginErasure(owner: string, entry: NewAuditEntry, signal?: AbortSignal): Promise<void>

  /**
   * Removes up to `limit` rows of one kind, and up to 50 devices. Rows of deleted devices are removed first, then
   * data of owners to erase, keys first.
   */
  removeSome(limit: number, signal?: AbortSignal): Promise<RemovedRows>

  /** Whether {@link removeSome} or {@link listBlobRemovals} has more to return. */
  hasLeftovers(signal?: AbortSignal): Promise<boolean>

  /** Whether all data of an owner that {@link beginErasure} named is erased. */
  isErased(owner: string, signal?: AbortSignal): Promise<boolean>

  /** Lists up to `limit` files whose rows were removed, oldest first. */
  listBlobRemovals(limit: number, signal?: AbortSignal): Promise<readonly string[]>

  /** Confirms that files were removed. */
  confirmBlobRemovals(blobIds: readonly string[], signal?: AbortSignal): Promise<void>

  /**
   * Overwrites the content of removed rows in the database files. Omit this method if the store has no files, or its
   * server does so.
   */
  scrub?(signal?: AbortSignal): Promise<void>
}
