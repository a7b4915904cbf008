import type { AuditedCall, AuditLog } from '../audit/audit-log.ts'
import { toTimestamp } from '../context/time.ts'
import type { DeviceFinder } from '../devices/find-devices.ts'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { NewGroup } from '../ports/group-store.ts'
import type { StoredSavedSearch } from '../ports/saved-search-store.ts'

const ttlMs = 24 * 60 * 60 * 1000

/** What a run of a saved search is made from. */
interface RunSetup {
  readonly saved: StoredSavedSearch
  readonly finder: DeviceFinder
  readonly audit: AuditLog
  readonly createId: () => string
  readonly nowMs: number
  /** Who runs it. */
  readonly call: AuditedCall
}

/** The group of a run, whose rows are all still to be made, and its entry of the audit. */
export async function prepareRun({
  saved,
  finder,
  audit,
  createId,
  nowMs,
  call,
}: RunSetup): Promise<{ readonly group: NewGroup; readonly audit: readonly NewAuditEntry[] }> {
  const { owner, filter, query, scope, selection, name } = saved
  const count = await finder.count(owner, filter)
  const group: NewGroup = {
    id: createId(),
    kind: 'search',
    query,
    scope,
    ...(selection && { selection }),
    ...(call.actor && { actor: call.actor }),
    filter,
    savedSearchId: saved.id,
    createdAt: toTimestamp(nowMs),
    expiresAt: toTimestamp(nowMs + ttlMs),
    rest: count === 0 ? null : { unmade: count, after: null },
  }
  const subject = { subjectId: group.id, name, devices: { count, ids: [], filter } }
  return { group, audit: [audit.entryOf(call, 'search:created', subject)] }
}
