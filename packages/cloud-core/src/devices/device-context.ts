import type { AuditLog } from '../audit/audit-log.ts'
import type { CloudContext } from '../context/cloud-context.ts'
import type { LongPolls } from '../delivery/long-polls.ts'
import type { Cleaning } from '../retention/cleaning.ts'
import type { HeartbeatBuffer } from './heartbeat-buffer.ts'
import type { KeyCache } from './key-cache.ts'
import type { OfflineWatch } from './offline-watch.ts'

/** What the operations on devices share. */
export interface DeviceContext extends CloudContext {
  readonly audit: AuditLog
  readonly polls: LongPolls
  readonly cleaning: Cleaning
  readonly keys: KeyCache
  /** Devices that one process remembers at a time. */
  readonly maxCachedKeys: number
  readonly heartbeats: HeartbeatBuffer
  readonly heartbeatIntervalSeconds: number | undefined
  readonly offlineWatch: OfflineWatch
}
