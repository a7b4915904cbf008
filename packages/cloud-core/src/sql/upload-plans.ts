import type { UploadRequest, UploadStatus } from '@homeward/contract/device-cloud'
import type { Kysely } from 'kysely'
import type { CreateOutcome, Once } from '../ports/once.ts'
import type { Page, PageRequest } from '../ports/page.ts'
import type {
  LeaseOutcome,
  NewUpload,
  StoredFile,
  StoredUpload,
  UploadAlready,
  UploadFilter,
  UploadOutcome,
} from '../ports/upload-store.ts'
import type { ClaimOnce } from './creation-plans.ts'
import { rememberLists, toListArgs, toListShape } from './list-ranges.ts'
import type { OwnsDevices } from './own-devices.ts'
import { toPage } from './page.ts'
import type { Plan } from './plan.ts'
import { all, each, first, Undo } from './plan.ts'
import type { CloudTables } from './schema.ts'
import { sweepAtOnce } from './search-statements.ts'
import {
  supersededBlob,
  toStoredFile,
  toStoredUpload,
  toUploadAlready,
  toUploadCancel,
  toUploadEnd,
  toUploadRequest,
  toUploadRow,
} from './upload-row.ts'
import { compileUploadList, createUploadStatements } from './upload-statements.ts'

type InsertOutcome = CreateOutcome | { readonly kind: 'unknown_device' }
type Unknown = { readonly kind: 'unknown' }
type UploadStatements = ReturnType<typeof createUploadStatements>

/** The verbs of `UploadStore` as plans. */
export function createUploadPlans(db: Kysely<CloudTables>, claimOnce: ClaimOnce, ownsDevices: OwnsDevices) {
  const statements = createUploadStatements(db)
  return {
    ...dashboardPlans(db, statements),
    ...devicePlans(statements),

    *insertUploads(
      owner: string,
      uploads: readonly NewUpload[],
      once: Once | undefined,
    ): Plan<InsertOutcome> {
      const repeated = yield* claimOnce(once)
      if (repeated !== undefined) return repeated
      if (!(yield* ownsDevices(owner, uploads))) throw new Undo<InsertOutcome>({ kind: 'unknown_device' })
      const [upload] = uploads
      if (upload === undefined) return { kind: 'created' }
      yield* all(statements.sweep, { now: upload.createdAt, limit: uploads.length + sweepAtOnce })
      yield* each(
        statements.insert,
        uploads.map((each) => toUploadRow(owner, each)),
      )
      return { kind: 'created' }
    },
  }
}

function devicePlans(statements: UploadStatements) {
  return {
    *listPendingUploads(deviceId: string, limit: number, now: string): Plan<UploadRequest[]> {
      return (yield* all(statements.listPending, { deviceId, now, limit })).map(toUploadRequest)
    },

    *leaseUpload(lease: {
      id: string
      deviceId: string
      blobId: string
      leaseUntil: string
      now: string
    }): Plan<LeaseOutcome> {
      const row = yield* first(statements.findOnDevice, lease)
      if (row === undefined) return { kind: 'unknown' }
      const already = toUploadAlready(row, lease.now)
      if (already !== undefined) return already
      yield* all(statements.lease, lease)
      return { kind: 'leased', filePath: row.filePath, supersededBlobId: supersededBlob(row, lease.blobId) }
    },

    *settleUpload(report: {
      id: string
      deviceId: string
      outcome: UploadOutcome
      now: string
    }): Plan<{ readonly kind: 'settled' } | UploadAlready | Unknown> {
      const { id, deviceId, outcome, now } = report
      const settled = yield* first(statements.settle, { ...toUploadEnd(outcome, now), id, deviceId, now })
      if (settled !== undefined) return { kind: 'settled' }
      const row = yield* first(statements.findOnDevice, { id, deviceId })
      return (row === undefined ? undefined : toUploadAlready(row, now)) ?? { kind: 'unknown' }
    },
  }
}

function dashboardPlans(db: Kysely<CloudTables>, statements: UploadStatements) {
  const listOf = rememberLists((shape, status: UploadStatus | undefined) =>
    compileUploadList(db, shape, status),
  )
  return {
    *cancelUpload(
      owner: string,
      id: string,
      now: string,
    ): Plan<{ readonly kind: 'canceled'; readonly deviceId: string } | UploadAlready | Unknown> {
      const canceled = yield* first(statements.cancel, { ...toUploadCancel(now), id, owner, now })
      if (canceled !== undefined) return { kind: 'canceled', deviceId: canceled.deviceId }
      const row = yield* first(statements.findOwn, { id, owner })
      if (row === undefined) return { kind: 'unknown' }
      if (row.status === 'canceled') return { kind: 'canceled', deviceId: row.deviceId }
      return toUploadAlready(row, now) ?? { kind: 'unknown' }
    },

    *listUploads(
      owner: string,
      filter: UploadFilter,
      page: PageRequest,
      now: string,
    ): Plan<Page<StoredUpload>> {
      const { requestId, deviceId, status } = filter
      const place = {
        ...(requestId !== undefined && { id: requestId }),
        ...(deviceId !== undefined && { deviceId }),
      }
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

    *findFile(owner: string, blobId: string): Plan<StoredFile | undefined> {
      const row = yield* first(statements.findByBlob, { owner, blobId })
      return row === undefined ? undefined : (toStoredFile(row) ?? undefined)
    },
  }
}
