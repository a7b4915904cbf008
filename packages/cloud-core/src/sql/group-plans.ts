import type { Kysely } from 'kysely'
import { all, compileStatement, each, first, emit } from '@homeward/kit/sql'
import { foldText } from '../devices/search-text.ts'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { EndedBatch, EndOutcome, GroupFilter, NewGroup, StoredGroup } from '../ports/group-store.ts'
import type { Page, PageRequest } from '../ports/page.ts'
import type { CloudPlanParts } from './cloud-plans.ts'
import { rememberGroupLists, toGroupListArgs } from './group-lists.ts'
import { toGroupRow, toStoredGroup } from './group-row.ts'
import { createGroupStatements } from './group-statements.ts'
import { createGroupWorkPlans } from './group-work-plans.ts'
import { createSettledGroupPlans } from './settled-group-plans.ts'
import { toPage } from './page.ts'
import type { Plan } from './plan.ts'
import { compileBlobRemovals } from './removal-statements.ts'
import type { CloudTables } from './schema.ts'
import { isSearchPending } from './search-row.ts'
import { type EndingRow, nothingEnded, toBlobIds, toEndedBatch } from './ended-batch.ts'

type Statements = ReturnType<typeof createGroupStatements>

/** The verbs of `GroupStore` as plans. */
export function createGroupPlans(db: Kysely<CloudTables>, parts: CloudPlanParts) {
  const statements = createGroupStatements(db, parts.dialect.locks)
  return {
    ...readPlans(statements, rememberGroupLists(db, parts.dialect)),
    ...endPlans(statements, compileBlobRemovals(db), parts),
    ...createGroupWorkPlans(db, statements, parts),
    ...createSettledGroupPlans(db),
  }
}

/** The part of other verbs that adds their group. */
export function createAddGroup(db: Kysely<CloudTables>, { dialect }: Pick<CloudPlanParts, 'dialect'>) {
  const { insert } = createGroupStatements(db, dialect.locks)
  return function* addGroup(owner: string, group: NewGroup | undefined): Plan<void> {
    if (group === undefined) return
    yield* all(insert, { ...toGroupRow(owner, group), searchText: foldText(group.query) })
    if (group.rest !== null) yield* emit({ topic: 'tasks' })
  }
}

/** See {@link createAddGroup}. */
export type AddGroup = ReturnType<typeof createAddGroup>

/** Tells whether devices all belong to an owner. */
export function createOwnDevicesPlan(db: Kysely<CloudTables>) {
  const find = compileStatement<{ owner: string; deviceId: string }, { id: string }>(
    'read',
    ({ owner, deviceId }) =>
      db.selectFrom('devices').select('id').where('id', '=', deviceId).where('owner', '=', owner),
  )

  return function* ownsDevices(owner: string, work: readonly { readonly deviceId: string }[]): Plan<boolean> {
    const deviceIds = [...new Set(work.map(({ deviceId }) => deviceId))]
    if (deviceIds.length === 0) return true
    const found = yield* each(
      find,
      deviceIds.map((deviceId) => ({ owner, deviceId })),
    )
    return found.length === deviceIds.length
  }
}

/** See {@link createOwnDevicesPlan}. */
export type OwnsDevices = ReturnType<typeof createOwnDevicesPlan>

function readPlans(statements: Statements, listOf: ReturnType<typeof rememberGroupLists>) {
  return {
    *findGroup(owner: string, id: string, now: string): Plan<StoredGroup | undefined> {
      const row = yield* first(statements.find, { owner, id })
      return row && toStoredGroup(row, now)
    },

    *listGroups(owner: string, filter: GroupFilter, page: PageRequest, now: string): Plan<Page<StoredGroup>> {
      const statement = listOf(filter, page.after !== undefined)
      const rows = yield* all(statement, toGroupListArgs(owner, filter, page, now))
      return toPage(rows, page.limit, (row) => toStoredGroup(row, now))
    },
  }
}

function endPlans(
  statements: Statements,
  removals: ReturnType<typeof compileBlobRemovals>,
  { appendAudit }: Pick<CloudPlanParts, 'appendAudit'>,
) {
  function* end(rows: readonly EndingRow[], now: string, isDone: boolean): Plan<EndedBatch> {
    const open = rows.filter((row) => isSearchPending(row, now))
    const over = rows.filter((row) => !isSearchPending(row, now))
    if (open.length > 0)
      yield* each(
        statements.cancelAndLeave,
        open.map((row) => ({ id: row.id, now })),
      )
    if (over.length > 0) yield* each(statements.erase, over)
    yield* removals.note(toBlobIds(over))
    return toEndedBatch(open, over, isDone)
  }

  return {
    *endSearch(
      owner: string,
      id: string,
      now: string,
      audit?: { readonly canceled: NewAuditEntry; readonly erased: NewAuditEntry },
    ): Plan<EndOutcome> {
      const row = yield* first(statements.findToEnd, { owner, id })
      if (row === undefined) return { kind: 'unknown' }
      const { deviceId, groupId } = row
      const kind = isSearchPending(row, now) ? 'canceled' : 'erased'
      if (kind === 'canceled') yield* all(statements.cancel, { id, now })
      else yield* all(statements.erase, { id })
      yield* appendAudit(audit && [{ ...audit[kind], deviceId }])
      const blobIds = kind === 'erased' ? toBlobIds([row]) : []
      yield* removals.note(blobIds)
      return { kind, deviceId, groupId, blobIds }
    },

    *removeGroup(owner: string, id: string, audit?: readonly NewAuditEntry[]): Plan<boolean> {
      if ((yield* first(statements.remove, { owner, id })) === undefined) return false
      yield* appendAudit(audit)
      yield* emit({ topic: 'tasks' })
      return true
    },

    *endGroupSearches(id: string, limit: number, now: string): Plan<EndedBatch> {
      if ((yield* first(statements.findRemoved, { id })) === undefined) return nothingEnded
      const rows = yield* all(statements.listToEnd, { groupId: id, limit })
      const isDone = rows.length < limit
      const ended = yield* end(rows, now, isDone)
      if (isDone) yield* all(statements.forget, { id })
      return ended
    },

    *endSearches(owner: string, ids: readonly string[], now: string): Plan<EndedBatch> {
      if (ids.length === 0) return nothingEnded
      const wanted = ids.toSorted().map((id) => ({ owner, id }))
      return yield* end(yield* each(statements.findToEnd, wanted), now, true)
    },
  }
}
