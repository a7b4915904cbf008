import type {
  DeviceChanges,
  DeviceFilterView,
  DeviceMetadata,
  DevicePlatform,
  DeviceType,
} from '@homeward/contract/device-cloud'
import type { NewAuditEntry } from './audit-store.ts'
import type { StoredCatalog } from './catalog-store.ts'
import type { CreateOutcome, IdempotencyRecord } from './idempotency-record.ts'
import type { Page, PageRequest } from './page.ts'

/** The API key of a device as stored, without the key itself. */
export interface StoredKey {
  /** SHA-256 of the API key in base64url. */
  readonly hash: string
  /** Last characters of the key, to recognize it by. */
  readonly hint: string
  /** The key encrypted with AES-256-GCM, if `keySecret` is set; else null. */
  readonly sealed: string | null
}

/** A stored device. Times are ISO 8601 in UTC with milliseconds. */
export interface StoredDevice {
  readonly id: string
  /** `userId` of the session that registered the device. */
  readonly owner: string
  readonly name: string
  readonly type: DeviceType
  readonly platform: DevicePlatform
  readonly metadata: DeviceMetadata
  readonly lastSeenAt: string | null
  readonly createdAt: string
  readonly key: StoredKey
  /** Labels in the given order: at most 32, without duplicates. */
  readonly labels: readonly string[]
  /** Catalog of the device. Ignored when a device is added. */
  readonly catalog?: StoredCatalog
}

/** Which devices are meant: those for which every condition holds. */
export type DeviceCondition = Readonly<DeviceFilterView>

/** Times of heartbeats that make a device `online`: from `from` to `until`, both included. */
export interface OnlineWindow {
  /** ISO 8601 in UTC with milliseconds. */
  readonly from: string
  /** ISO 8601 in UTC with milliseconds. */
  readonly until: string
}

/** The device of a key hash, and which of its keys matched. */
export interface DeviceByKey {
  readonly device: StoredDevice
  readonly match: 'current' | 'previous'
  /** Whether a previous key is still valid in addition to the current one. */
  readonly hasPreviousKey: boolean
}

/** A change of a device; labels are replaced, or some are added and others removed. */
export type DeviceWrite = DeviceChanges | LabelChanges

/** Labels that a device is to have, and not to have. Of a change that would give it more than 32, nothing is made. */
export interface LabelChanges {
  readonly addLabels: readonly string[]
  readonly removeLabels: readonly string[]
}

/** Outcome of a change. */
export interface DeviceUpdate {
  /** The device after the change. */
  readonly device: StoredDevice
  /** False if the device already had these values. Nothing was written then, including the audit entry. */
  readonly changed: boolean
}

/** A heartbeat to write. Several heartbeats of a device are merged into one. */
export interface HeartbeatWrite {
  readonly deviceId: string
  readonly lastSeenAt: string
  /** Keys to merge into the stored metadata. Absent if none changed. */
  readonly metadata?: DeviceMetadata
  /**
   * Set if this may be the first heartbeat after an outage of the device. If the last heartbeat is older than
   * `silentBefore`, the store records a gap from it to `at`.
   */
  readonly returned?: DeviceReconnect
}

/** A heartbeat that may be the first one after an outage of the device. */
export interface DeviceReconnect {
  readonly at: string
  readonly silentBefore: string
}

/**
 * Store of devices and their keys.
 *
 * Implementations must pass `cloudStoreConformance` of `@homeward/cloud-core/testing`. Every method is atomic and may
 * be called concurrently. If its signal aborts before the change is made, it rejects with `signal.reason`.
 */
export interface DeviceStore {
  /** Adds a device. Adding the same one twice adds it once. */
  insertDevice(
    device: StoredDevice,
    once: IdempotencyRecord | undefined,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<CreateOutcome>

  /** Finds the device whose current key, or still valid previous key, has this hash at `now`. */
  findDeviceByKeyHash(hash: string, now: string, signal?: AbortSignal): Promise<DeviceByKey | undefined>

  /** Finds a device of an owner. */
  findDevice(owner: string, deviceId: string, signal?: AbortSignal): Promise<StoredDevice | undefined>

  /**
   * Writes a batch of heartbeats.
   *
   * `lastSeenAt` never decreases, unless the stored value is later than `latest`, because a clock was set back since.
   * Metadata is merged with `mergeMetadata`. Deleted devices are skipped. Gaps are written in the same transaction;
   * heartbeats without `returned` add no gap.
   */
  writeHeartbeats(batch: readonly HeartbeatWrite[], latest: string, signal?: AbortSignal): Promise<void>

  /**
   * Changes a device. Absent fields stay unchanged. If no field changes, nothing is written.
   *
   * @returns the device after the change and whether it changed, or undefined if the owner has no such device.
   */
  updateDevice(
    owner: string,
    deviceId: string,
    changes: DeviceWrite,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<DeviceUpdate | undefined>

  /**
   * Lists the devices of one owner that match a filter, newest first.
   *
   * `text` is matched against the name, the id and each metadata value, with `foldText` on both sides.
   *
   * @param online heartbeats that make a device `online`, for a filter by `status`.
   */
  listDevices(
    owner: string,
    filter: DeviceCondition,
    page: PageRequest,
    online: OnlineWindow,
    signal?: AbortSignal,
  ): Promise<Page<StoredDevice>>

  /** Counts the devices of one owner that match a filter; see {@link listDevices}. */
  countDevices(
    owner: string,
    filter: DeviceCondition,
    online: OnlineWindow,
    signal?: AbortSignal,
  ): Promise<number>

  /**
   * Removes a device with its searches, upload requests and last-seen time.
   *
   * The device disappears for its owner at once. If it has very many rows, `removeSome` removes the rest later.
   *
   * @returns undefined if the owner has no such device; else the ids of files whose rows were removed. They are
   * marked for removal.
   */
  deleteDevice(
    owner: string,
    deviceId: string,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<{ blobIds: readonly string[] } | undefined>

  /**
   * Replaces the current key of a device by `key`.
   *
   * The old key stays valid until `previousUntil`. If the current key was never used, so that a previous one is still
   * valid, the current one is dropped and the previous one stays.
   *
   * @returns hashes that are no longer valid, or undefined if the owner has no such device.
   */
  rotateKey(
    rotation: { owner: string; deviceId: string; key: StoredKey; previousUntil: string; now: string },
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<{ droppedHashes: readonly string[] } | undefined>

  /**
   * Revokes the previous key, because the current one was used.
   *
   * @returns the hash that is no longer valid, or undefined if there was none or `currentHash` is not the current
   * key.
   */
  retirePreviousKey(deviceId: string, currentHash: string, signal?: AbortSignal): Promise<string | undefined>
}
