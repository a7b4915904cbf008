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

/** A device's API key at rest: never the key itself. */
export interface StoredKey {
  /** SHA-256 of the API key, base64url. */
  readonly hash: string
  /** Enough of the key to recognise it. */
  readonly hint: string
  /** The key under AES-256-GCM, where the host configured `keySecret`; else null. */
  readonly sealed: string | null
}

/** A registered device at rest. Timestamps are ISO 8601, UTC, milliseconds. */
export interface StoredDevice {
  readonly id: string
  /** `userId` of the session that registered it. */
  readonly owner: string
  readonly name: string
  readonly type: DeviceType
  readonly platform: DevicePlatform
  readonly metadata: DeviceMetadata
  readonly lastSeenAt: string | null
  readonly createdAt: string
  readonly key: StoredKey
  /** Words that users find it by, as they were given: at most 32, each once (C29). */
  readonly labels: readonly string[]
  /** The list of files that it left. Ignored when a device is added. */
  readonly catalog?: StoredCatalog
}

/** Which devices are meant: those for which every condition holds. */
export type DeviceCondition = Readonly<DeviceFilterView>

/** Heartbeats that make a device `online`: those from `from` to `until`, both included (C2). */
export interface OnlineWindow {
  /** ISO 8601, UTC, milliseconds. */
  readonly from: string
  /** ISO 8601, UTC, milliseconds. */
  readonly until: string
}

/** Which of a device's keys a hash belongs to. */
export interface DeviceByKey {
  readonly device: StoredDevice
  readonly match: 'current' | 'previous'
  /** Whether a previous key still works besides the current one (C15). */
  readonly hasPreviousKey: boolean
}

/** A change of a device; labels are replaced, or some are added and others removed. */
export type DeviceWrite = DeviceChanges | LabelChanges

/** Labels that a device is to have, and not to have. Of a change that would give it more than 32, nothing is made. */
export interface LabelChanges {
  readonly addLabels: readonly string[]
  readonly removeLabels: readonly string[]
}

/** What became of a change. */
export interface DeviceUpdate {
  /** The device afterwards. */
  readonly device: StoredDevice
  /** False when everything was so before: then nothing was written, the audit included. */
  readonly changed: boolean
}

/** One coalesced heartbeat (C3). */
export interface HeartbeatWrite {
  readonly deviceId: string
  readonly lastSeenAt: string
  /** Keys to merge into the stored metadata; absent when nothing changed. */
  readonly metadata?: DeviceMetadata
  /**
   * Set if this may be the first heartbeat after a silence. The store records a gap if its last heartbeat of the device is
   * older than `silentBefore`: from that one to `at`.
   */
  readonly returned?: DeviceReconnect
}

/** A heartbeat that may end a silence. */
export interface DeviceReconnect {
  readonly at: string
  readonly silentBefore: string
}

/**
 * Where devices and their keys live.
 *
 * Implementations must pass `cloudStoreConformance` of `@homeward/cloud-core/testing`. Every method is atomic,
 * may be called concurrently, and gives up with `signal.reason` when its signal aborts before the change is made.
 */
export interface DeviceStore {
  /** Adds a device, once. */
  insertDevice(
    device: StoredDevice,
    once: IdempotencyRecord | undefined,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<CreateOutcome>

  /** The device whose current key, or previous key that is valid at `now`, has this hash. */
  findDeviceByKeyHash(hash: string, now: string, signal?: AbortSignal): Promise<DeviceByKey | undefined>

  /** The device, when it belongs to `owner`. */
  findDevice(owner: string, deviceId: string, signal?: AbortSignal): Promise<StoredDevice | undefined>

  /**
   * Writes a batch of heartbeats. `lastSeenAt` never goes backwards, unless the stored one lies behind `latest`: a clock
   * wrote it that has been put back since. Metadata is merged by `mergeMetadata`. Devices that are gone are passed over.
   * Gaps are written in the same transaction; heartbeats without `returned` add no row.
   */
  writeHeartbeats(batch: readonly HeartbeatWrite[], latest: string, signal?: AbortSignal): Promise<void>

  /**
   * Changes a device. Fields that are left out stay as they are; where all are as they were, nothing is written.
   *
   * @returns the device afterwards and whether it changed, or undefined when the owner has no such device.
   */
  updateDevice(
    owner: string,
    deviceId: string,
    changes: DeviceWrite,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<DeviceUpdate | undefined>

  /**
   * Devices of one owner that a filter matches, newest first. `text` is compared as `foldText` of both sides says, with the
   * name, the id and each of the metadata's values (C29).
   *
   * @param online Which heartbeats make a device `online`, for a filter by `status`.
   */
  listDevices(
    owner: string,
    filter: DeviceCondition,
    page: PageRequest,
    online: OnlineWindow,
    signal?: AbortSignal,
  ): Promise<Page<StoredDevice>>

  /** How many devices of one owner a filter matches; see {@link listDevices}. */
  countDevices(
    owner: string,
    filter: DeviceCondition,
    online: OnlineWindow,
    signal?: AbortSignal,
  ): Promise<number>

  /**
   * Removes a device with its searches, its upload requests and its last-seen time: for its owner at once. Of a device with
   * very many of them the rest goes by `removeSome`.
   *
   * @returns undefined if the owner has no such device; else the files that it held, as far as their rows are gone. They are
   * noted for removal.
   */
  deleteDevice(
    owner: string,
    deviceId: string,
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<{ blobIds: readonly string[] } | undefined>

  /**
   * Makes `key` the current key. The key in use until now stays valid until `previousUntil`. When the current key
   * was never used (a previous one is still there), the current one is dropped and the previous one stays.
   *
   * @returns hashes that no longer work, or undefined when the owner has no such device.
   */
  rotateKey(
    rotation: { owner: string; deviceId: string; key: StoredKey; previousUntil: string; now: string },
    audit?: readonly NewAuditEntry[],
    signal?: AbortSignal,
  ): Promise<{ droppedHashes: readonly string[] } | undefined>

  /**
   * Ends the previous key, because the current one was used.
   *
   * @returns the hash that no longer works, or undefined when there was none or `currentHash` is not the current key.
   */
  retirePreviousKey(deviceId: string, currentHash: string, signal?: AbortSignal): Promise<string | undefined>
}
