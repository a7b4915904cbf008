import type { UploadRequest, UploadStatus } from '@homeward/contract/device-cloud'
import type { Kysely } from 'kysely'
import { all, each, first, emit, Undo } from '@homeward/kit/sql'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { NewGroup } from '../ports/group-store.ts'
import type { CreateOutcome, IdempotencyRecord } from '../ports/idempotency-record.ts'
import type { Page, PageRequest } from '../ports/page.ts'
import type {
  LeaseOutcome,
  NewUpload,
  FoundFile,
  StoredUpload,
  UploadConflict,
  UploadFilter,
  UploadLease,
  UploadOutcome,
} from '../ports/upload-store.ts'
import { leaseTimes } from '../uploads/lease-times.ts'
import type { AppendAudit } from './audit-plans.ts'
import type { CloudPlanParts } from './cloud-plans.ts'
import { rememberLists, toListArgs, toListShape } from './list-ranges.ts'
import { toPage } from './page.ts'
import type { Plan } from './plan.ts'
import type { CloudTables } from './schema.ts'
import {
  isHeldByOther,
  supersededBlob,
  toStoredFile,
  toStoredUpload,
  toUploadAlready,
  toUploadCancel,
  toUploadEnd,
  toUploadRequest,
  toUploadRow,
  uploadStatus,
} from './upload-row.ts'
import { compileUploadList, createUploadStatements } from './upload-statements.ts'

type InsertOutcome = CreateOutcome | { readonly kind: 'unknown_device' }
type Unknown = { readonly kind: 'unknown' }
type Canceled = { readonly kind: 'canceled'; readonly deviceId: string; readonly again?: true }
type UploadStatements = ReturnType<typeof createUploadStatements>

/** The verbs of `UploadStore` as plans. */
export function createUploadPlans(db: Kysely<CloudTables>, parts: CloudPlanParts) {
  const { claimOnce, ownsDevices, appendAudit, addGroup, dialect } = parts
  const statements = createUploadStatements(db, dialect.locks)
  return {
    ...dashboardPlans(db, statements, appendAudit),
    ...devicePlans(statements),

    *insertUploads(
      owner: string,
      uploads: readonly NewUpload[],
      once: IdempotencyRecord | undefined,
      audit?: readonly NewAuditEntry[],
      group?: NewGroup,
    ): Plan<InsertOutcome> {
      const repeated = once && (yield* claimOnce(once))
      if (repeated !== undefined) return repeated
      if (!(yield* ownsDevices(owner, uploads))) throw new Undo<InsertOutcome>({ kind: 'unknown_device' })
      yield* addGroup(owner, group)
      yield* appendAudit(audit)
      if (uploads.length === 0) return { kind: 'created' }
      yield* each(
        statements.insert,
        uploads.map((each) => toUploadRow(owner, each)),
      )
      yield* emit({ topic: 'work', deviceIds: [...new Set(uploads.map(({ deviceId }) => deviceId))] })
      return { kind: 'created' }
    },
  }
}

function devicePlans(statements: UploadStatements) {
  return {
    *listPendingUploads(deviceId: string, limit: number, now: string): Plan<UploadRequest[]> {
      return (yield* all(statements.listPending, { deviceId, ...leaseTimes(now), limit })).map(
        toUploadRequest,
      )
    },

    *leaseUpload(lease: UploadLease): Plan<LeaseOutcome> {
      const { maxLeases: limit } = lease
      // Leases of one device that are counted come one after the other. Its row is locked first, as when it is deleted.
      if (limit !== undefined) yield* all(statements.lockDevice, lease)
      const row = yield* first(statements.findToLease, lease)
      if (row === undefined) return { kind: 'unknown' }
      const already = toUploadAlready(row, lease.now)
      if (already !== undefined) return already
      if (isHeldByOther(row, lease)) return { kind: 'held', filePath: row.filePath }
      if (limit !== undefined && uploadStatus(row, lease.now) !== 'uploading') {
        const leased = yield* all(statements.findLeased, { ...lease, ...leaseTimes(lease.now), limit })
        if (leased.length >= limit) return { kind: 'busy' }
      }
      yield* all(statements.lease, lease)
      return { kind: 'leased', filePath: row.filePath, supersededBlobId: supersededBlob(row, lease.blobId) }
    },

    *settleUpload(report: {
      id: string
      deviceId: string
      outcome: UploadOutcome
      now: string
    }): Plan<{ readonly kind: 'settled' } | UploadConflict | Unknown> {
      const { id, deviceId, outcome, now } = report
      const settled = yield* first(statements.settle, {
        ...toUploadEnd(outcome, now),
        ...leaseTimes(now),
        id,
        deviceId,
      })
      if (settled !== undefined) return { kind: 'settled' }
      const row = yield* first(statements.findOnDevice, { id, deviceId })
      return (row === undefined ? undefined : toUploadAlready(row, now)) ?? { kind: 'unknown' }
    },
  }
}

function dashboardPlans(db: Kysely<CloudTables>, statements: UploadStatements, appendAudit: AppendAudit) {
  const listOf = rememberLists((shape, status: UploadStatus | undefined) =>
    compileUploadList(db, shape, status),
  )
  return {
    *cancelUpload(
      owner: string,
      id: string,
      now: string,
      audit?: readonly NewAuditEntry[],
    ): Plan<Canceled | UploadConflict | Unknown> {
      const canceled = yield* first(statements.cancel, {
        ...toUploadCancel(now),
        ...leaseTimes(now),
        id,
        owner,
      })
      if (canceled !== undefined) {
        yield* appendAudit(audit?.map((entry) => ({ ...entry, deviceId: canceled.deviceId })))
        return { kind: 'canceled', deviceId: canceled.deviceId }
      }
      const row = yield* first(statements.findOwn, { id, owner })
      if (row === undefined) return { kind: 'unknown' }
      if (row.status === 'canceled') return { kind: 'canceled', deviceId: row.deviceId, again: true }
      return toUploadAlready(row, now) ?? { kind: 'unknown' }
    },

    *listUploads(
      owner: string,
      filter: UploadFilter,
      page: PageRequest,
      now: string,
    ): Plan<Page<StoredUpload>> {
      const { requestId: id, deviceId, groupId, status } = filter
      const place = { id, deviceId, groupId }
      const statement = listOf(toListShape(place, page.after !== undefined), status)
      const rows = yield* all(statement, toListArgs(owner, place, page, now))
      return toPage(rows, page.limit, (row) => toStoredUpload(row, row.deviceName, now))
    },

    *filterUnusedBlobs(blobIds: readonly string[]): Plan<readonly string[]> {
      const rows = yield* each(
        statements.findBlob,
        blobIds.map((blobId) => ({ blobId })),
      )
      const used = new Set(rows.map((row) => row.blobId))
      return blobIds.filter((id) => !used.has(id))
    },

    *findFile(owner: string, blobId: string): Plan<FoundFile | undefined> {
      const row = yield* first(statements.findByBlob, { owner, blobId })
      const file = row && toStoredFile(row)
      return row && file ? { ...file, deviceId: row.deviceId } : undefined
    },
  }
}
