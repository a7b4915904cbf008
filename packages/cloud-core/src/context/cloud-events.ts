import { createSafeEmitter } from '@homeward/kit'
import type { EventEmitter } from 'eventemitter3'
import type { AuditEntry, UploadStatus, WorkOutcome } from '@homeward/contract/device-cloud'

/** Events of the cloud for your app. Event data never contains keys, results or file contents. */
export interface DeviceCloudEventMap {
  /** A device was registered. */
  'device:registered': (event: { deviceId: string; userId: string }) => void
  /** A user changed the name, the type or the labels of a device. */
  'device:updated': (event: { deviceId: string; userId: string }) => void
  /** The first heartbeat after a device was offline. */
  'device:online': (event: { deviceId: string; userId: string; at: string }) => void
  /**
   * A device has sent no heartbeat for `onlineWindowMs`.
   *
   * Emitted once per outage of the device, by one of all processes. Not emitted within `onlineWindowMs` after a start
   * or an outage of the store.
   */
  'device:offline': (event: { deviceId: string; userId: string; at: string; lastSeenAt: string }) => void
  /**
   * More of an owner's devices than `offlineShare` are now offline; `share` is from 0 to 1. Emitted at most once an
   * hour per owner, by one process.
   */
  'fleet:offline-share': (event: { userId: string; share: number; at: string }) => void
  /** A device got a new API key. */
  'device:key-rotated': (event: { deviceId: string; userId: string }) => void
  /** A device and all its data were deleted. */
  'device:deleted': (event: { deviceId: string; userId: string }) => void
  /** A search waits for its device. */
  'search:created': (event: { searchId: string; deviceId: string; userId: string }) => void
  /**
   * A search ended, once: by the first report, or with the given `outcome`. An expired search is noticed within a
   * minute.
   */
  'search:settled': (event: {
    searchId: string
    deviceId: string
    userId: string
    status: 'completed' | 'failed'
    outcome: WorkOutcome
  }) => void
  /**
   * All searches of a group ended.
   *
   * Emitted once per group by one of all processes, up to 1 s after the last report. If that process ends first, the
   * event is emitted when the group expires.
   */
  'group:settled': (event: { groupId: string; userId: string; outcome: WorkOutcome }) => void
  /** An upload request was created and waits for its device. */
  'upload:created': (event: { requestId: string; deviceId: string; userId: string }) => void
  /** An upload request ended. */
  'upload:settled': (event: {
    requestId: string
    deviceId: string
    userId: string
    status: UploadStatus
    outcome: WorkOutcome
  }) => void
  /** A user's action was recorded, including rejected ones. The entry is already stored. */
  'audit:recorded': (event: AuditEntry) => void
}

/** Tells listeners what happened. */
export interface CloudEventBus {
  /** Where hosts listen. */
  readonly events: EventEmitter<DeviceCloudEventMap>
  /** Tells all who listen. One that throws, or whose promise is rejected, stops nothing: `onError` hears of it. */
  readonly emit: <Name extends keyof DeviceCloudEventMap>(
    name: Name,
    event: Parameters<DeviceCloudEventMap[Name]>[0],
  ) => void
}

/** Builds the bus of one cloud. */
export const createCloudEventBus = (onError: (error: unknown) => void): CloudEventBus =>
  createSafeEmitter<DeviceCloudEventMap>(onError)
