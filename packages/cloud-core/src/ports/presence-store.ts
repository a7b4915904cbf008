/** When a device was last seen. */
export interface StoredPresence {
  readonly deviceId: string
  /** Owner of the device; null if the device is gone. */
  readonly owner: string | null
  /** ISO 8601, UTC, milliseconds. */
  readonly lastSeenAt: string
  /** Whether the device was reported as offline after that heartbeat. */
  readonly isReported: boolean
}

/** A time without heartbeats that is over. ISO 8601, UTC, milliseconds. */
export interface PresenceGap {
  /** The last heartbeat before. */
  readonly from: string
  /** The heartbeat that ended it. */
  readonly to: string
}

/** When a device was silent. */
export interface PresenceHistory {
  /** ISO 8601, UTC, milliseconds. */
  readonly firstSeenAt: string
  /** Oldest first; the newest `maxGaps` whose end is at most `gapRetentionMs` ago. */
  readonly gaps: readonly PresenceGap[]
}

/** A device that was claimed as offline. */
export type OfflineDevice = StoredPresence & { readonly owner: string }

/** Which devices to claim as offline. */
export interface OfflineClaim {
  readonly deviceIds: readonly string[]
  /** Devices with a heartbeat at this time or later are online. */
  readonly seenBefore: string
  readonly now: string
}

/**
 * When devices were last seen. `writeHeartbeats` of `DeviceStore` writes it.
 *
 * A heartbeat is the write that a cloud makes most often. A storage keeps these times apart from the devices, so that a
 * heartbeat writes few bytes, and may keep them in another database.
 */
export interface PresenceStore {
  /** Devices that were ever seen, ordered by id, after this id. Ids of devices that are gone may be among them. */
  listPresence(after: string, limit: number, signal?: AbortSignal): Promise<readonly StoredPresence[]>

  /** When a device was silent, in one read; undefined if it was never seen. */
  findPresence(deviceId: string, signal?: AbortSignal): Promise<PresenceHistory | undefined>

  /**
   * Marks devices as reported offline. Of all processes that claim a device, one gets it, once after each last heartbeat.
   *
   * @returns the devices that were not marked before and have no newer heartbeat.
   */
  claimOffline(claim: OfflineClaim, signal?: AbortSignal): Promise<readonly OfflineDevice[]>

  /**
   * Removes what is stored of devices that are gone. Devices that exist keep theirs.
   *
   * @returns how many were removed.
   */
  removePresence(deviceIds: readonly string[], signal?: AbortSignal): Promise<number>
}
