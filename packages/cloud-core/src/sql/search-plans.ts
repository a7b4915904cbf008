import type { SearchRequest, SearchStatus } from '@homeward/contract/device-cloud'
import type { Kysely } from 'kysely'
import { all, each, first, emit, Undo } from '@homeward/kit/sql'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { NewGroup } from '../ports/group-store.ts'
import type { CreateOutcome, IdempotencyRecord } from '../ports/idempotency-record.ts'
import type { Page, PageRequest } from '../ports/page.ts'
import { nextExpiry } from '../searches/expiry.ts'
import { leaseTimes } from '../uploads/lease-times.ts'
import { createUploadStatements } from './upload-statements.ts'
import type {
  ExpiredWork,
  NewSearch,
  SearchFilter,
  SearchOutcome,
  SettleOutcome,
  StoredSearch,
} from '../ports/search-store.ts'
import type { CloudPlanParts } from './cloud-plans.ts'
import { rememberLists, toListArgs, toListShape } from './list-ranges.ts'
import { toPage } from './page.ts'
import type { Plan } from './plan.ts'
import type { CloudTables } from './schema.ts'
import {
  resultsStateOf,
  toResultsText,
  toSearchAlready,
  toSettled,
  toSearchRequest,
  toSearchRow,
  toSelects,
  toStoredSearch,
} from './search-row.ts'
import { compileSearchList, createSearchStatements } from './search-statements.ts'

type InsertOutcome = CreateOutcome | { readonly kind: 'unknown_device' }

/** The verbs of `SearchStore` as plans. */
export function createSearchPlans(db: Kysely<CloudTables>, parts: CloudPlanParts) {
  const { claimOnce, ownsDevices, appendAudit, addGroup, dialect } = parts
  const statements = createSearchStatements(db, dialect.locks)
  const uploadStatements = createUploadStatements(db, dialect.locks)
  const listOf = rememberLists((shape, status: SearchStatus | undefined) =>
    compileSearchList(db, shape, status),
  )

  return {
    *insertSearches(
      owner: string,
      searches: readonly NewSearch[],
      once: IdempotencyRecord | undefined,
      audit?: readonly NewAuditEntry[],
      group?: NewGroup,
    ): Plan<InsertOutcome> {
      const repeated = once && (yield* claimOnce(once))
      if (repeated !== undefined) return repeated
      if (!(yield* ownsDevices(owner, searches))) throw new Undo<InsertOutcome>({ kind: 'unknown_device' })
      yield* addGroup(owner, group)
      yield* appendAudit(audit)
      if (searches.length === 0) return { kind: 'created' }
      yield* each(
        statements.insert,
        searches.map((each) => toSearchRow(owner, each)),
      )
      yield* emit({ topic: 'work', deviceIds: [...new Set(searches.map(({ deviceId }) => deviceId))] })
      return { kind: 'created' }
    },

    *expireWork(limit: number, now: string): Plan<ExpiredWork> {
      const searches = yield* all(statements.findExpired, { now, limit })
      const uploads = yield* all(uploadStatements.findExpired, { ...leaseTimes(now), limit })
      const ended = {
        searches: searches.length > 0 ? yield* each(statements.expire, searches) : [],
        uploads: uploads.length > 0 ? yield* each(uploadStatements.expire, uploads) : [],
      }
      const next = [
        yield* first(statements.findNext, {}),
        yield* first(uploadStatements.findNext, {}),
      ].flatMap((row) => row?.at ?? [])
      const isRest = Math.max(searches.length, uploads.length) >= limit
      return { ...ended, nextAt: isRest ? now : nextExpiry(next, now) }
    },

    *listPendingSearches(deviceId: string, limit: number, now: string): Plan<SearchRequest[]> {
      return (yield* all(statements.listPending, { deviceId, now, limit })).map(toSearchRequest)
    },

    *settleSearch(report: {
      id: string
      deviceId: string
      outcome: SearchOutcome
      isSelected?: boolean
      now: string
    }): Plan<SettleOutcome> {
      const { id, deviceId, outcome, isSelected = false, now } = report
      const { status, error, resultsBlobId = null, filesFound = 0 } = outcome
      const results = toResultsText(outcome.results)
      const settled = yield* first(isSelected ? statements.settleSelected : statements.settle, {
        id,
        deviceId,
        status,
        results,
        resultsBlobId,
        resultsState: resultsStateOf(outcome),
        filesFound,
        error,
        now,
      })
      if (settled !== undefined) return toSettled(settled)
      const row = yield* first(statements.findOutcome, { id, deviceId })
      if (row === undefined) return { kind: 'unknown' }
      return toSearchAlready(row, now) ?? toSelects(row) ?? { kind: 'unknown' }
    },

    *listSearches(
      owner: string,
      filter: SearchFilter,
      page: PageRequest,
      now: string,
    ): Plan<Page<StoredSearch>> {
      const { queryId: id, deviceId, groupId, status } = filter
      const place = { id, deviceId, groupId }
      const statement = listOf(toListShape(place, page.after !== undefined), status)
      const rows = yield* all(statement, toListArgs(owner, place, page, now))
      return toPage(rows, page.limit, (row) => toStoredSearch(row, row, now))
    },
  }
}
