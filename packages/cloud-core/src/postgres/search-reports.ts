import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { all, compileStatement } from '@homeward/kit/sql'
import {
  classify,
  type Connections,
  runPlan,
  type RunStep,
  toInDoubtFailure,
  toPostgresFailure,
  useConnection,
} from '@homeward/kit/postgres'
import type { CloudStore } from '../ports/cloud-store.ts'
import type { SettleOutcome } from '../ports/search-store.ts'
import type { CloudTables } from '../sql/schema.ts'
import { resultsStateOf, toResultsText, toSettled } from '../sql/search-row.ts'
import { createReadTogether } from './read-together.ts'

type Report = Parameters<CloudStore['settleSearch']>[0]
type SettleSearch = CloudStore['settleSearch']

/** At most so many reports in one statement: each may bring its results. */
const maxTogether = 64

interface SearchReportsOptions {
  readonly db: Kysely<CloudTables>
  readonly pool: Connections['pool']
  readonly runStep: RunStep
  /** Statements at the same time. */
  readonly lanes: number
  /** Writes one report, and says why it settles nothing. */
  readonly settleAlone: SettleSearch
}

/**
 * Settles searches: all reports that come at the same moment, or while all lanes are busy, in one statement. So the counts of
 * their group are changed once, and its row is locked for no more than a commit. A report that settled nothing is made again,
 * alone, and hears why.
 */
export function createSearchReports({
  db,
  pool,
  runStep,
  lanes,
  settleAlone,
}: SearchReportsOptions): SettleSearch {
  const statement = compileSettleAll(db)

  const settleAll = async (reports: readonly Report[]): Promise<readonly (SettleOutcome | undefined)[]> => {
    // Of several that report the same search one goes along.
    const placeOf = new Map(reports.map(({ id }, place) => [id, place]))
    const sent = reports.filter(({ id }, place) => placeOf.get(id) === place)
    let isSent = false
    try {
      const rows = await useConnection(pool, (client) => {
        isSent = true
        return runPlan(
          all(statement, toArgs(sent)),
          (step) => runStep(client, step),
          () => {},
        )
      })
      const settled = new Map(rows.map((row) => [placeOf.get(row.id), toSettled(row)]))
      return reports.map((_, place) => settled.get(place))
    } catch (error) {
      // One of several took the others along.
      if (classify(error) !== 'connection') return reports.map(() => undefined)
      // Any of them may be stored.
      throw isSent ? toInDoubtFailure(error) : toPostgresFailure(error, 'Writing to Postgres')
    }
  }
  const together = createReadTogether(settleAll, lanes, maxTogether)

  return async (report, signal) => (await together.ask(report, signal)) ?? (await settleAlone(report, signal))
}

interface SettleAllArgs {
  ids: readonly string[]
  deviceIds: readonly string[]
  statuses: readonly string[]
  results: readonly (string | null)[]
  blobIds: readonly (string | null)[]
  states: readonly number[]
  files: readonly number[]
  errors: readonly (string | null)[]
  times: readonly string[]
  selected: readonly number[]
}

function toArgs(reports: readonly Report[]): SettleAllArgs {
  const outcomes = reports.map(({ outcome }) => outcome)
  return {
    ids: reports.map(({ id }) => id),
    deviceIds: reports.map(({ deviceId }) => deviceId),
    statuses: outcomes.map(({ status }) => status),
    results: outcomes.map(({ results }) => toResultsText(results)),
    blobIds: outcomes.map(({ resultsBlobId = null }) => resultsBlobId),
    states: outcomes.map(resultsStateOf),
    files: outcomes.map(({ filesFound = 0 }) => filesFound),
    errors: outcomes.map(({ error }) => error),
    times: reports.map(({ now }) => now),
    selected: reports.map(({ isSelected = false }) => (isSelected ? 1 : 0)),
  }
}

function compileSettleAll(db: Kysely<CloudTables>) {
  return compileStatement<SettleAllArgs, { id: string; groupId: string | null }>('write', (args) => ({
    compile: () =>
      sql<{ id: string; groupId: string | null }>`update searches set status = report.status,
          results = report.results, results_blob_id = report.blob_id, results_state = report.state,
          files_found = report.files, error = report.error, completed_at = report.now
        from unnest(${args.ids}::text[], ${args.deviceIds}::text[], ${args.statuses}::text[], ${args.results}::text[],
            ${args.blobIds}::text[], ${args.states}::bigint[], ${args.files}::bigint[], ${args.errors}::text[],
            ${args.times}::text[], ${args.selected}::bigint[])
          as report (id, device_id, status, results, blob_id, state, files, error, now, selected)
        where searches.id = report.id and searches.device_id = report.device_id and searches.status = 'pending'
          and searches.expires_at > report.now and (searches.selection is null or report.selected = 1)
        returning searches.id, searches.group_id as "groupId"`.compile(db),
  }))
}
