import type { AuditLog } from '../audit/audit-log.ts'
import type { CloudContext } from '../context/cloud-context.ts'
import type { LongPolls } from '../delivery/long-polls.ts'
import type { HeartbeatBuffer } from '../devices/heartbeat-buffer.ts'
import type { KeyCache } from '../devices/key-cache.ts'
import type { StrangerLimits } from './stranger-limits.ts'
import type { UserCodes } from './user-codes.ts'

/** What the operations on enrollments share. */
export interface EnrollmentContext extends CloudContext {
  readonly audit: AuditLog
  readonly polls: LongPolls
  readonly keys: KeyCache
  readonly heartbeats: HeartbeatBuffer
  readonly userCodes: UserCodes
  readonly strangers: StrangerLimits
  /** Page for the codes of devices that enroll; undefined where it lies beside the API. */
  readonly pairingUrl: string | undefined
}
