import type { AuditLog } from '../audit/audit-log.ts'
import type { CatalogAnswers } from '../catalogs/catalog-answers.ts'
import type { CloudContext } from '../context/cloud-context.ts'
import type { LongPolls } from '../delivery/long-polls.ts'
import type { HeartbeatBuffer } from '../devices/heartbeat-buffer.ts'
import type { Cleaning } from '../retention/cleaning.ts'
import type { GroupWork } from './group-work.ts'
import type { ResultFiles } from './result-files.ts'
import type { SettledGroups } from './settled-groups.ts'

/** What the operations on searches share, also those on saved ones. */
export interface SearchContext extends CloudContext {
  readonly audit: AuditLog
  readonly polls: LongPolls
  readonly cleaning: Cleaning
  readonly heartbeats: HeartbeatBuffer
  /** Where large results of searches live. */
  readonly resultFiles: ResultFiles
  /** Makes the rows of large groups, ends those of removed ones, and runs saved searches that are due (C32). */
  readonly groupWork: GroupWork
  readonly settledGroups: SettledGroups
  /** What searches get until their device reports; undefined for none. */
  readonly catalogAnswers: CatalogAnswers | undefined
}
