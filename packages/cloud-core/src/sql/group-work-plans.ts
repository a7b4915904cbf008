import type { Kysely } from 'kysely'
import { all, compileStatement, each, first, emit } from '@homeward/kit/sql'
import type { ClaimedGroup, GroupExtension, GroupLease } from '../ports/group-store.ts'
import type { CloudPlanParts } from './cloud-plans.ts'
import { type GroupRow, latestGroupLease, toClaimedGroup, toRestColumns } from './group-row.ts'
import type { createGroupStatements } from './group-statements.ts'
import type { Plan } from './plan.ts'
import type { CloudTables } from './schema.ts'
import { actorOf, parseScope, selectionOf, toSearchRow } from './search-row.ts'
import { createSearchStatements } from './search-statements.ts'
import { toUploadRow } from './upload-row.ts'
import { createUploadStatements } from './upload-statements.ts'

type Work = GroupExtension['work'][number]

/** The verbs of `GroupStore` by which the rows of large groups are made, as plans. */
export function createGroupWorkPlans(
  db: Kysely<CloudTables>,
  statements: ReturnType<typeof createGroupStatements>,
  { dialect: { locks } }: Pick<CloudPlanParts, 'dialect'>,
) {
  const insertSearch = createSearchStatements(db, locks).insert
  const insertUpload = createUploadStatements(db, locks).insert
  const findDevice = compileStatement<{ owner: string; deviceId: string }, { id: string }>(
    'read',
    ({ owner, deviceId }) =>
      db.selectFrom('devices').select('id').where('id', '=', deviceId).where('owner', '=', owner),
  )

  /** Adds what the group asks of these devices. */
  function* insertWork(group: GroupRow, work: readonly Work[]): Plan<void> {
    if (work.length === 0) return
    const rows = work.map((row) => toWork(group, row))
    if (group.kind === 'search')
      yield* each(
        insertSearch,
        rows.map((row) => toSearchRow(group.owner, row)),
      )
    else
      yield* each(
        insertUpload,
        rows.map((row) => toUploadRow(group.owner, row)),
      )
    yield* emit({ topic: 'work', deviceIds: work.map(({ deviceId }) => deviceId) })
  }

  return {
    *claimGroup({
      leaseId,
      now,
      leaseUntil,
    }: GroupLease): Plan<{ group: ClaimedGroup } | { retryAt: string } | undefined> {
      const row = yield* first(statements.findFree, { now, latest: latestGroupLease(now), limit: 1 })
      if (row !== undefined) {
        yield* all(statements.lease, { id: row.id, leaseId, leaseUntil })
        return { group: toClaimedGroup(row) }
      }
      const busy = yield* first(statements.findBusy, { limit: 1 })
      return busy && { retryAt: busy.leaseUntil ?? now }
    },

    *extendGroup(extension: GroupExtension): Plan<readonly Work[] | undefined> {
      const { id, leaseId, leaseUntil, work, rest } = extension
      const group = yield* first(statements.findLeased, { id, leaseId })
      if (group === undefined) return undefined
      const { owner } = group
      const found = yield* each(
        findDevice,
        work.map(({ deviceId }) => ({ owner, deviceId })),
      )
      const known = new Set(found.map((device) => device.id))
      const made = work.filter(({ deviceId }) => known.has(deviceId))
      yield* insertWork(group, made)
      const lease = rest === null ? { leaseId: null, leaseUntil: null } : { leaseId, leaseUntil }
      yield* all(statements.setRest, { id, ...toRestColumns(rest), ...lease })
      return made
    },
  }
}

/** What a group asks of one device: a search, and an upload request as well. */
export function toWork(group: GroupRow, { id, deviceId, refused }: Work) {
  return {
    ...(refused !== undefined && { refused }),
    id,
    deviceId,
    groupId: group.id,
    query: group.query,
    scope: parseScope(group.scope),
    ...selectionOf(group),
    ...actorOf(group),
    filePath: group.query,
    destination: 'cloud' as const,
    createdAt: group.createdAt,
    expiresAt: group.expiresAt,
  }
}
