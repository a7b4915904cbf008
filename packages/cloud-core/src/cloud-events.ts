import type { AuditEntry, UploadStatus } from '@homeward/contract/device-cloud'

/** Facts that a host can listen to. Payloads never hold keys, results or file contents. */
export interface CloudEvents {
  /** A device was registered. */
  'device:registered': (event: { deviceId: string; userId: string }) => void
  /** The first heartbeat after a device was offline. */
  'device:online': (event: { deviceId: string; userId: string; at: string }) => void
  /** A device got a new API key. */
  'device:key-rotated': (event: { deviceId: string; userId: string }) => void
  /** A device was deleted with everything that belonged to it. */
  'device:deleted': (event: { deviceId: string; userId: string }) => void
  /** A search waits for its device. */
  'search:created': (event: { searchId: string; deviceId: string; userId: string }) => void
  /** A device reported; the first report only. */
  'search:settled': (event: {
    searchId: string
    deviceId: string
    userId: string
    status: 'completed' | 'failed'
  }) => void
  /** A device is asked for a file. */
  'upload:created': (event: { requestId: string; deviceId: string; userId: string }) => void
  /** An upload request ended. */
  'upload:settled': (event: {
    requestId: string
    deviceId: string
    userId: string
    status: UploadStatus
  }) => void
  /** A user did something, or was refused; the entry is written already (C24). */
  'audit:recorded': (event: AuditEntry) => void
}
