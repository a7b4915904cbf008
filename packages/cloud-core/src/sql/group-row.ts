import type { DeviceCondition } from '../ports/device-store.ts'
import type { ClaimedGroup, RemainingDevices, NewGroup, StoredGroup } from '../ports/group-store.ts'
import type { GroupCountsTable } from './group-counts.ts'
import type { GroupsTable } from './group-tables.ts'
import { parseScope, selectionOf, toSelectionText } from './search-row.ts'

/** A group as adapters keep it: flat, `scope`, `selection` and `filter` as JSON text. */
export interface GroupRow {
  id: string
  owner: string
  kind: GroupsTable['kind']
  query: string
  scope: string
  selection: string | null
  actor: string | null
  filter: string | null
  savedSearchId: string | null
  createdAt: string
  expiresAt: string
  unmade: number
  afterCreatedAt: string | null
  afterId: string | null
  task: GroupsTable['task']
  leaseId: string | null
  leaseUntil: string | null
  settledAt: string | null
}

/** A group with the counts of its searches. */
export type ShownGroupRow = GroupRow & Omit<GroupCountsTable, 'group_id'>

/** Columns that say what is still to be made. */
export type RestColumns = Pick<GroupRow, 'unmade' | 'afterCreatedAt' | 'afterId' | 'task'>

/** What a group has still to make. */
export function toRestColumns(rest: RemainingDevices | null): RestColumns {
  return {
    unmade: rest?.unmade ?? 0,
    afterCreatedAt: rest?.after?.createdAt ?? null,
    afterId: rest?.after?.id ?? null,
    task: rest === null ? null : 'make',
  }
}

/** Row of a new group. */
export function toGroupRow(owner: string, group: NewGroup): GroupRow {
  return {
    id: group.id,
    owner,
    kind: group.kind,
    query: group.query,
    scope: JSON.stringify(group.scope),
    selection: toSelectionText(group.selection),
    actor: group.actor ?? null,
    filter: group.filter === null ? null : JSON.stringify(group.filter),
    savedSearchId: group.savedSearchId,
    createdAt: group.createdAt,
    expiresAt: group.expiresAt,
    ...toRestColumns(group.rest),
    leaseId: null,
    leaseUntil: null,
    settledAt: null,
  }
}

/** The group as it stands at `now`: what waits, and what is not made yet, expires with the group. */
export function toStoredGroup(row: ShownGroupRow, now: string): StoredGroup {
  const waiting = row.pending + row.unmade
  const isOver = row.expiresAt <= now
  const pending = isOver ? 0 : waiting
  const failed = row.failed + (isOver ? waiting : 0)
  const total = row.searches + row.unmade
  return {
    id: row.id,
    query: row.query,
    scope: parseScope(row.scope),
    ...selectionOf(row),
    filter: row.filter === null ? null : parseFilter(row.filter),
    savedSearchId: row.savedSearchId,
    createdAt: row.createdAt,
    total,
    counts: { pending, completed: total - pending - failed, failed },
    filesFound: row.files,
  }
}

/** The group as the process sees it that works on it. */
export function toClaimedGroup(row: GroupRow): ClaimedGroup {
  const { afterCreatedAt: createdAt, afterId: id } = row
  return {
    id: row.id,
    owner: row.owner,
    kind: row.kind,
    task: row.task ?? 'make',
    filter: row.filter === null ? {} : parseFilter(row.filter),
    rest: { unmade: row.unmade, after: createdAt === null || id === null ? null : { createdAt, id } },
  }
}

/** A filter as it was written by `JSON.stringify` from a checked one. */
export function parseFilter(text: string): DeviceCondition {
  return JSON.parse(text) as DeviceCondition
}

const longestLeaseMs = 60_000

/** The latest end of a lease that counts at `now`. */
export function latestGroupLease(now: string): string {
  return new Date(Date.parse(now) + longestLeaseMs).toISOString()
}
