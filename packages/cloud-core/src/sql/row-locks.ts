import type { SelectQueryBuilder } from 'kysely'

/** Makes a query keep the rows that it reads from other transactions. */
type KeepRows = <DB, Table extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Table, Row>,
) => SelectQueryBuilder<DB, Table, Row>

/** How rows that are read in order to decide are kept as they are until the decision is written. */
export interface RowLocks {
  /** For rows that will be changed. */
  readonly toChange: KeepRows
  /** For rows that will be deleted: nothing that refers to them can be added meanwhile either. */
  readonly toDelete: KeepRows
  /** For rows that anybody may change, now or later: those that somebody else has are passed over. */
  readonly whereFree: KeepRows
}

const asItIs: KeepRows = (query) => query

/** For databases whose writing transactions are alone anyway. */
export const noRowLocks: RowLocks = { toChange: asItIs, toDelete: asItIs, whereFree: asItIs }
