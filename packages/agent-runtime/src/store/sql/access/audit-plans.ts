import type { JsonObject } from '@homeward/contract/agent-platform'
import { all, buildOnce, change, compileStatement } from '@homeward/kit/sql'
import type { Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import type { AuditFilter, AuditOutcome, NewAuditEntry } from '../../ports/audit-store.ts'
import type { Page, PageRequest } from '../../ports/page.ts'
import type { RetentionLimits } from '../../ports/retention.ts'
import { numberPositionOf, toPage } from '../../cursor.ts'
import { fromJson } from '../json.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'
import type { AuditTable } from './access-tables.ts'

/** How many old entries one write removes at the most. */
const prunedAtOnce = 512

type AuditRow = Selectable<AuditTable>

/** The verbs of `AuditStore` as plans. */
export function createAuditPlans(db: Kysely<RuntimeTables>) {
  const statements = buildOnce(db, createAuditStatements)

  function* appendAudit(entry: NewAuditEntry): Plan<void> {
    yield* change(statements.insert, { ...entry, details: toJson(entry.details) })
  }

  return {
    appendAudit,

    *settleAudit(outcome: AuditOutcome): Plan<void> {
      const { id, target, outcome: how, details } = outcome
      yield* change(statements.settle, { id, target, outcome: how, details: toJson(details) })
    },

    *listAudit(filter: AuditFilter, page: PageRequest): Plan<Page<NewAuditEntry>> {
      const before = numberPositionOf(page) ?? Number.MAX_SAFE_INTEGER
      const { actor = '', action = '', target = '', from = startOfTime, to = endOfTime } = filter
      const args = { actor, action, target, from, to, before, limit: page.limit + 1 }
      const rows = yield* all(statements.list, args)
      return toPage(rows, page.limit, toEntry, ({ seq }) => [seq])
    },

    /** Removes entries from before a time, and those that are too many. @returns whether there may be more. */
    *pruneAudit({ auditBefore, auditEntries }: RetentionLimits): Plan<boolean> {
      const old = auditBefore === undefined ? 0 : yield* change(statements.prune, { before: auditBefore })
      if (auditEntries === undefined) return old === prunedAtOnce
      const surplus = yield* change(statements.pruneSurplus, { kept: auditEntries })
      return old === prunedAtOnce || surplus === prunedAtOnce
    },
  }
}

/** See {@link createAuditPlans}. */
export type AuditPlans = ReturnType<typeof createAuditPlans>

/**
 * The plan of a change with the entry of the audit that belongs to it: both are written, or neither.
 * A plan that changes nothing gives `false` or `undefined`.
 */
export function createAudited({ appendAudit }: Pick<AuditPlans, 'appendAudit'>) {
  return <Args extends readonly unknown[], Result>(plan: (...args: Args) => Plan<Result>) =>
    function* (...given: readonly [...Args, NewAuditEntry | undefined]): Plan<Result> {
      const entry = given.at(-1) as NewAuditEntry | undefined // the last, as the type says
      const result = yield* plan(...(given.slice(0, -1) as unknown as Args)) // the others
      if (entry !== undefined && result !== false && result !== undefined) yield* appendAudit(entry)
      return result
    }
}

/** Later and earlier than any time. */
const [startOfTime, endOfTime] = ['', '~']

function createAuditStatements(db: Kysely<RuntimeTables>) {
  return {
    insert: compileStatement<Omit<AuditRow, 'seq'>, unknown>('write', (entry) =>
      db.insertInto('audit').values({
        id: entry.id,
        at: entry.at,
        actor: entry.actor,
        action: entry.action,
        target: entry.target,
        outcome: entry.outcome,
        details: entry.details,
      }),
    ),
    settle: compileStatement<SettleArgs, unknown>('write', ({ id, target, outcome, details }) =>
      db.updateTable('audit').set({ target, outcome, details }).where('id', '=', id),
    ),
    // absent filters match: the audit is small, and read by people
    list: compileStatement<ListArgs, AuditRow>('read', ({ actor, action, target, from, to, before, limit }) =>
      db
        .selectFrom('audit')
        .selectAll()
        .where('seq', '<', before)
        .where(sql<boolean>`(${actor} = '' or actor = ${actor})`)
        .where(sql<boolean>`(${action} = '' or action = ${action})`)
        .where(sql<boolean>`(${target} = '' or target = ${target})`)
        .where('at', '>=', from)
        .where('at', '<', to)
        .orderBy('seq', 'desc')
        .limit(limit),
    ),
    // limits are literals: of a parameter Postgres would fear the worst, and read the whole table
    prune: compileStatement<{ before: string }, unknown>('write', ({ before }) =>
      db
        .deleteFrom('audit')
        .where(
          'seq',
          'in',
          sql<number>`(select seq from audit where at < ${before} order by at limit ${sql.lit(prunedAtOnce)})`,
        ),
    ),
    pruneSurplus: compileStatement<{ kept: number }, unknown>('write', ({ kept }) =>
      db.deleteFrom('audit').where(
        'seq',
        'in',
        sql<number>`(select seq from audit where seq <= (select max(seq) from audit) - ${kept}
          order by seq limit ${sql.lit(prunedAtOnce)})`,
      ),
    ),
  }
}

type SettleArgs = Pick<AuditRow, 'id' | 'target' | 'outcome' | 'details'>

interface ListArgs {
  readonly actor: string
  readonly action: string
  readonly target: string
  readonly from: string
  readonly to: string
  readonly before: number
  readonly limit: number
}

const toJson = (details: JsonObject | undefined) => (details === undefined ? null : JSON.stringify(details))

function toEntry(row: AuditRow): NewAuditEntry {
  const { id, at, actor, action, target, outcome, details } = row
  return {
    id,
    at,
    actor,
    action,
    target,
    outcome,
    ...(details !== null && { details: fromJson<JsonObject>(details) }),
  }
}
