import type { AuditLog } from '../audit/audit-log.ts'
import type { CloudContext } from '../context/cloud-context.ts'
import type { LongPolls } from '../delivery/long-polls.ts'
import type { HeartbeatBuffer } from '../devices/heartbeat-buffer.ts'
import type { CloudMeters } from '../metrics/cloud-meters.ts'
import type { GroupWork } from '../searches/group-work.ts'
import type { SettledGroups } from '../searches/settled-groups.ts'
import type { ChunkSessions } from './chunked/chunk-sessions.ts'
import type { LeftoverFiles } from './leftover-files.ts'
import type { UploadProgress } from './upload-progress.ts'

/** What the operations on uploads share. */
export interface UploadContext extends CloudContext {
  readonly audit: AuditLog
  readonly polls: LongPolls
  readonly heartbeats: HeartbeatBuffer
  readonly groupWork: GroupWork
  readonly settledGroups: SettledGroups
  readonly meters: CloudMeters
  readonly maxUploadBytes: number
  readonly leftovers: LeftoverFiles
  /** How far the uploads are that come to this process. */
  readonly progress: UploadProgress
  /** Uploads that resume; undefined where the cloud does not offer them (C25). */
  readonly chunkSessions: ChunkSessions | undefined
}
