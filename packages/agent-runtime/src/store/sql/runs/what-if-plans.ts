import type { WhatIfRun } from '@homeward/contract/agent-platform'
import { all, buildOnce, change, compileStatement, first, toCompilable } from '@homeward/kit/sql'
import { type Compilable, type Generated, type Kysely, sql } from 'kysely'
import type { ClaimedWhatIf, NewWhatIf, StoredWhatIf, WhatIfWrite } from '../../ports/what-if-store.ts'
import { fromJson } from '../json.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'

/** What-ifs, in the order of `seq`. */
interface WhatIfsTable {
  seq: Generated<number>
  id: string
  status: StoredWhatIf['status']
  /** Claims since the last run was played. */
  attempts: number
  /** Empty while nobody works on it. */
  owner: string
  lease_until: string
  /** JSON of it as it was started. */
  what_if: string
}

/** Runs that were played, in the order of `place`. */
interface WhatIfRunsTable {
  what_if_id: string
  place: number
  /** JSON. */
  run: string
}

/** The tables of what-ifs. */
export interface WhatIfTables {
  what_ifs: WhatIfsTable
  what_if_runs: WhatIfRunsTable
}

/** Makes the tables of what-ifs. */
export function buildWhatIfTables({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    schema
      .createTable('what_ifs')
      .addColumn('seq', 'integer', (column) => column.primaryKey())
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('lease_until', 'text', (column) => column.notNull())
      .addColumn('what_if', 'text', (column) => column.notNull()),
    schema
      .createTable('what_if_runs')
      .addColumn('what_if_id', 'text', (column) =>
        column.notNull().references('what_ifs.id').onDelete('cascade'),
      )
      .addColumn('place', 'integer', (column) => column.notNull())
      .addColumn('run', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('what_if_runs_pk', ['what_if_id', 'place']),
  ]
}

/** The verbs of `WhatIfStore` as plans. */
export function createWhatIfPlans(db: Kysely<RuntimeTables>) {
  const statements = buildOnce(db, createStatements)

  function* load(row: WhatIfRow): Plan<ClaimedWhatIf> {
    const runs = yield* all(statements.runs, row)
    const { status, attempts, what_if: json } = row
    return {
      ...fromJson<NewWhatIf>(json),
      status,
      attempts,
      runs: runs.map(({ run }) => fromJson<WhatIfRun>(run)),
    }
  }

  return {
    *insertWhatIf(whatIf: NewWhatIf, most: number): Plan<void> {
      yield* change(statements.insert, { id: whatIf.id, whatIf: JSON.stringify(whatIf) })
      yield* change(statements.prune, { most })
    },
    *claimWhatIf(claim: { owner: string; now: string; until: string }): Plan<ClaimedWhatIf | undefined> {
      const row = yield* first(statements.next, claim)
      if (!row) return undefined
      yield* change(statements.claim, { ...claim, id: row.id })
      return yield* load({ ...row, attempts: row.attempts + 1 })
    },
    *saveWhatIf({ id, owner, until, run, status: end }: WhatIfWrite): Plan<boolean> {
      const status = end ?? 'running'
      if ((yield* change(statements.renew, { id, owner, until, status })) === 0) return false
      if (!run) return true
      yield* change(statements.addRun, { id, run: JSON.stringify(run) })
      yield* change(statements.advance, { id })
      return true
    },
    *findWhatIf(id: string): Plan<StoredWhatIf | undefined> {
      const row = yield* first(statements.find, { id })
      if (!row) return undefined
      const { attempts: _, ...whatIf } = yield* load(row)
      return whatIf
    },
  }
}

type WhatIfRow = Pick<WhatIfsTable, 'id' | 'status' | 'attempts' | 'what_if'>

function createStatements(db: Kysely<RuntimeTables>) {
  const rows = () => db.selectFrom('what_ifs').select(['id', 'status', 'attempts', 'what_if'])
  return {
    insert: compileStatement<{ id: string; whatIf: string }, unknown>('write', ({ id, whatIf }) =>
      db.insertInto('what_ifs').values({
        id,
        status: sql.lit('running'),
        attempts: sql.lit(0),
        owner: sql.lit(''),
        lease_until: sql.lit(''),
        what_if: whatIf,
      }),
    ),
    prune: compileStatement<{ most: number }, unknown>('write', ({ most }) =>
      toCompilable(
        db,
        sql`delete from what_ifs where status <> 'running'
          and seq <= (select max(seq) from what_ifs) - cast(${most} as integer)`,
      ),
    ),
    next: compileStatement<{ now: string }, WhatIfRow>('read', ({ now }) =>
      rows().where('status', '=', sql.lit('running')).where('lease_until', '<=', now).orderBy('seq').limit(1),
    ),
    claim: compileStatement<{ id: string; owner: string; until: string }, unknown>(
      'write',
      ({ id, owner, until }) =>
        db
          .updateTable('what_ifs')
          .set({ owner, lease_until: until, attempts: sql<number>`attempts + 1` })
          .where('id', '=', id),
    ),
    renew: compileStatement<
      { id: string; owner: string; until: string; status: StoredWhatIf['status'] },
      unknown
    >('write', ({ id, owner, until, status }) =>
      db
        .updateTable('what_ifs')
        .set({ lease_until: until, status })
        .where('id', '=', id)
        .where('owner', '=', owner)
        .where('status', '=', sql.lit('running')),
    ),
    advance: compileStatement<{ id: string }, unknown>('write', ({ id }) =>
      db
        .updateTable('what_ifs')
        .set({ attempts: sql.lit(1) })
        .where('id', '=', id),
    ),
    addRun: compileStatement<{ id: string; run: string }, unknown>('write', ({ id, run }) =>
      toCompilable(
        db,
        sql`insert into what_if_runs (what_if_id, place, run)
          select cast(${id} as text), coalesce(max(place), -1) + 1, cast(${run} as text)
          from what_if_runs where what_if_id = ${id}`,
      ),
    ),
    find: compileStatement<{ id: string }, WhatIfRow>('read', ({ id }) => rows().where('id', '=', id)),
    runs: compileStatement<{ id: string }, { run: string }>('read', ({ id }) =>
      db.selectFrom('what_if_runs').select('run').where('what_if_id', '=', id).orderBy('place'),
    ),
  }
}
