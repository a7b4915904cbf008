import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { all, compileStatement, first, type Statement, emit, rememberStatements } from '@homeward/kit/sql'
import type { Lease } from '../../ports/lease.ts'
import type { StoredRun } from '../../ports/run-store.ts'
import type { Plan } from '../plan.ts'
import type { RunRow } from './run-row.ts'
import { toRun } from './run-row.ts'
import { isOfRun, runRowColumns } from './run-statements.ts'
import type { RuntimeTables } from '../schema.ts'
import type { StepNumbers } from './run-plans.ts'
import { places, toGroups } from '../to-groups.ts'

/** Runs of which the lease is over. */
interface RunClaim {
  readonly lease: Lease
  readonly now: string
  readonly limit: number
  readonly id?: string
}

/** The verbs on leases of runs as plans: one statement for up to 512 runs. */
export function createLeasePlans(db: Kysely<RuntimeTables>, numbers: Pick<StepNumbers, 'forget'>) {
  const statements = {
    claim: compileClaim(db, false),
    claimOne: compileClaim(db, true),
    cancel: compileCancel(db),
  }
  const renewOf = rememberStatements(({ count }: { readonly count: number }) => compileRenewal(db, count))
  const releaseOf = rememberStatements(({ count }: { readonly count: number }) => compileRelease(db, count))
  return {
    *renewRuns({ owner, until }: Lease, ids: readonly string[]): Plan<RenewedLeases> {
      const rows: RenewedRow[] = []
      for (const group of toGroups(ids)) {
        rows.push(...(yield* all(renewOf({ count: group.length }), { owner, until, ids: group })))
      }
      return {
        held: rows.map(({ id }) => id),
        cancelRequested: rows.filter((row) => row.cancelRequested === 1).map(({ id }) => id),
      }
    },

    *claimRuns({ lease: { owner, until }, now, limit, id }: RunClaim): Plan<StoredRun[]> {
      const args = { owner, until, now, limit }
      const rows =
        id === undefined
          ? yield* all(statements.claim, { ...args, id: '' })
          : yield* all(statements.claimOne, { ...args, id })
      for (const row of rows) numbers.forget(row.id)
      return rows.toSorted(oldestFirst).map(toRun)
    },

    *releaseRuns(owner: string, ids: readonly string[]): Plan<void> {
      for (const group of toGroups(ids)) {
        for (const { id } of yield* all(releaseOf({ count: group.length }), { owner, ids: group })) {
          yield* emit({ topic: 'run', runId: id })
        }
      }
    },

    *requestRunCancel(id: string): Plan<boolean> {
      const row = yield* first(statements.cancel, { id })
      if (row !== undefined) yield* emit({ topic: 'run', runId: id })
      return row !== undefined
    },
  }
}

interface RenewedLeases {
  readonly held: readonly string[]
  readonly cancelRequested: readonly string[]
}
interface RenewedRow {
  readonly id: string
  readonly cancelRequested: number
}
type ClaimArgs = { owner: string; until: string; now: string; limit: number; id: string }

/** Number of the newest step of the row of `runs` that has messages. */
const newestMessages = sql<number>`coalesce((select steps.seq from run_steps as steps
  where ${isOfRun} and steps.messages <> '[]' order by steps.seq desc limit 1), -1)`

function compileClaim(db: Kysely<RuntimeTables>, one: boolean) {
  return compileStatement<ClaimArgs, RunRow>('write', ({ owner, until, now, limit, id }) => {
    let free = db
      .selectFrom('runs')
      .select('seq')
      .where('status', '=', sql.lit('running'))
      .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', now)]))
      .orderBy('created_at')
      .orderBy('id')
      .limit(limit)
    if (one) free = free.where('id', '=', id)
    // It was not given back, and this very process did not have it all the time.
    const isLeft = sql<boolean>`owner is not null and owner <> ${owner}`
    return db
      .updateTable('runs')
      .set({
        owner,
        lease_until: until,
        take_overs: sql<number>`case when taken_step = ${newestMessages} then take_overs else 0 end
          + case when ${isLeft} then 1 else 0 end`,
        taken_step: newestMessages,
      })
      .where('seq', 'in', free)
      .returning(runRowColumns)
  })
}

/** Stops runs of tasks that are over. */
export function createStopRun(db: Kysely<RuntimeTables>) {
  const statements = { cancel: compileCancel(db), cancelBelow: compileCancelBelow(db), find: compileFind(db) }

  function* stopBelow(id: string): Plan<void> {
    for (const child of yield* all(statements.cancelBelow, { id })) {
      yield* emit({ topic: 'run', runId: child.id })
      yield* stopBelow(child.id)
    }
  }

  /** Asks a run that works to stop, with those below it. @returns what it was before: `still` when it waits or has ended. */
  return function* stopRun(id: string): Plan<'working' | 'still' | 'unknown'> {
    const row = yield* first(statements.cancel, { id })
    if (row === undefined) return (yield* first(statements.find, { id })) === undefined ? 'unknown' : 'still'
    yield* emit({ topic: 'run', runId: id })
    yield* stopBelow(id)
    return 'working'
  }
}

function compileFind(db: Kysely<RuntimeTables>) {
  return compileStatement<{ id: string }, { id: string }>('read', ({ id }) =>
    db.selectFrom('runs').select('id').where('id', '=', id),
  )
}

function compileCancelBelow(db: Kysely<RuntimeTables>) {
  return compileStatement<{ id: string }, { id: string }>('write', ({ id }) =>
    db
      .updateTable('runs')
      .set({ cancel_requested: sql.lit(1) })
      .where('parent_run_id', '=', id)
      .where('status', '=', sql.lit('running'))
      .returning('id'),
  )
}

function compileCancel(db: Kysely<RuntimeTables>) {
  return compileStatement<{ id: string }, { id: string }>('write', ({ id }) =>
    db
      .updateTable('runs')
      .set({ cancel_requested: sql.lit(1) })
      .where('id', '=', id)
      .where('status', '=', sql.lit('running'))
      .returning('id'),
  )
}

function compileRenewal(
  db: Kysely<RuntimeTables>,
  count: number,
): Statement<Lease & { readonly ids: readonly string[] }, RenewedRow> {
  const query = db
    .updateTable('runs')
    .set({ lease_until: '' })
    .where('owner', '=', '')
    .where('status', '=', sql.lit('running'))
    .where('id', 'in', places(count))
    .returning(['id', 'cancel_requested as cancelRequested'])
  return { kind: 'write', sql: query.compile().sql, bind: ({ owner, until, ids }) => [until, owner, ...ids] }
}

function compileRelease(
  db: Kysely<RuntimeTables>,
  count: number,
): Statement<{ readonly owner: string; readonly ids: readonly string[] }, { id: string }> {
  const query = db
    .updateTable('runs')
    .set({ owner: null, lease_until: null })
    .where('owner', '=', '')
    .where('status', '=', sql.lit('running'))
    .where('id', 'in', places(count))
    .returning('id')
  return { kind: 'write', sql: query.compile().sql, bind: ({ owner, ids }) => [null, null, owner, ...ids] }
}

function oldestFirst(a: RunRow, b: RunRow): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1
  return a.id < b.id ? -1 : 1
}
