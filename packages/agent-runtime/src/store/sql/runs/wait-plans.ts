import type { Json, WaitKind, WaitStatus } from '@homeward/contract/agent-platform'
import type { Compilable, Generated, Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import {
  all,
  compileStatement,
  each,
  first,
  type Statement,
  emit,
  rememberStatements,
} from '@homeward/kit/sql'
import { numberPositionOf, toPage } from '../../cursor.ts'
import type { Page, PageRequest } from '../../ports/page.ts'
import type { DueWaits, StoredWait, WaitFilter, WaitOutcome, WaitSettlement } from '../../ports/wait.ts'
import { fromJson } from '../json.ts'
import type { JournalPlans } from '../journal/journal-plans.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'
import { places, toGroups } from '../to-groups.ts'
import { createRememberedPlans } from './remembered-plans.ts'
import type { SignalPlans } from './signal-plans.ts'

/** What runs wait for, or have waited for, in the order of `seq`. */
export interface WaitsTable {
  seq: Generated<number>
  run_id: string
  id: string
  kind: WaitKind
  status: WaitStatus
  agent_id: string | null
  graph_id: string | null
  user_id: string | null
  call_id: string | null
  tool: string | null
  /** JSON. */
  args: string | null
  call_hash: string | null
  event: string | null
  /** JSON of what else is asked: see {@link Asked}. */
  asked: string | null
  expires_at: string | null
  created_at: string
  /** JSON. */
  data: string | null
  reason: string | null
  settled_at: string | null
  settled_by: string | null
  /** 1 once it was looked at for an announcement in a chat, else 0. */
  announced: number
}

/** A wait as it is read. */
export type WaitRow = Selectable<WaitsTable>

/** What no statement looks at. */
type Asked = Pick<StoredWait, 'key' | 'message' | 'schema' | 'match' | 'url' | 'to'>

/** The verbs on waits, and on decisions that are remembered, as plans. */
export function createWaitPlans(
  db: Kysely<RuntimeTables>,
  { addEvents, hasSignal, countReceiver }: JournalPlans & Pick<SignalPlans, 'hasSignal' | 'countReceiver'>,
) {
  const { rememberCall, ...remembered } = createRememberedPlans(db)
  const statements = createStatements(db)
  const listOf = rememberStatements(({ count }: { readonly count: number }) => compileListOf(db, count))
  const list = rememberStatements((shape: Shape) => compileList(db, shape))
  return {
    ...remembered,
    *settleWait(settlement: WaitSettlement): Plan<WaitOutcome> {
      const { runId, waitId: id, status, data, reason = null, settledAt, settledBy = null } = settlement
      const answer = data === undefined ? null : JSON.stringify(data)
      const args = { runId, id, status, data: answer, reason, settledAt, settledBy }
      const settled = (yield* hasSignal(settlement)) ? undefined : yield* first(statements.settle, args)
      if (settled === undefined) {
        const row = yield* first(statements.find, { runId, id })
        return row === undefined ? { outcome: 'unknown' } : { outcome: 'already', wait: toWait(row) }
      }
      if (settlement.remember) yield* rememberCall(settlement.remember)
      if (settlement.signal) yield* countReceiver(settlement.signal)
      yield* addEvents(settlement.journal)
      const open = (yield* first(statements.countOpen, { runId }))?.open ?? 0
      yield* emit({ topic: 'run', runId })
      return { outcome: 'settled', wait: toWait(settled), open }
    },

    *listWaits(filter: WaitFilter, page: PageRequest): Plan<Page<StoredWait>> {
      const before = numberPositionOf(page) ?? Number.MAX_SAFE_INTEGER
      const given = Object.entries(filterColumns).map(([name, column]) => {
        const value = filter[name as keyof WaitFilter]
        return [column, value] as const
      })
      const shape = Object.fromEntries(given.map(([column, value]) => [column, value !== undefined]))
      const values = Object.fromEntries(given.map(([column, value]) => [column, value ?? ''])) as FilterValues
      const rows = yield* all(list(shape), { ...values, before, limit: page.limit + 1 })
      return toPage(rows, page.limit, toWait, ({ seq }) => [seq])
    },

    *listWaitsOf(runIds: readonly string[]): Plan<StoredWait[]> {
      const rows: WaitRow[] = []
      for (const ids of toGroups(runIds)) rows.push(...(yield* all(listOf({ count: ids.length }), ids)))
      return rows.map(toWait)
    },

    *listDueWaits(now: string, limit: number): Plan<DueWaits> {
      const rows = yield* all(statements.listEnding, { limit: limit + 1 })
      const isDue = ({ expires_at: at }: WaitRow) => at !== null && at <= now
      const due = rows.filter(isDue).slice(0, limit)
      const next = rows[due.length]?.expires_at
      return { due: due.map(toWait), ...(typeof next === 'string' && { nextAt: next }) }
    },

    /** Adds waits that are open. */
    *openWaits(waits: readonly StoredWait[]): Plan<void> {
      yield* each(statements.insert, waits.map(toRow))
    },

    /** Cancels what is still open, because the run has ended. */
    *cancelWaits(runId: string, settledAt: string): Plan<void> {
      yield* all(statements.cancel, { runId, settledAt })
    },
  }
}

/** See {@link createWaitPlans}. */
export type WaitPlans = ReturnType<typeof createWaitPlans>

const filterColumns = {
  id: 'id',
  status: 'status',
  kind: 'kind',
  agentId: 'agent_id',
  runId: 'run_id',
  userId: 'user_id',
} as const satisfies Record<keyof WaitFilter, keyof WaitsTable>

/** Which columns a list is narrowed by. */
type Shape = Readonly<Record<string, boolean>>

/** A value for each column; which of them count depends on the shape. */
type FilterValues = Readonly<Record<(typeof filterColumns)[keyof WaitFilter], string>>

type ListArgs = FilterValues & { readonly before: number; readonly limit: number }

function compileList(db: Kysely<RuntimeTables>, shape: Shape) {
  return compileStatement<ListArgs, WaitRow>('read', (args) => {
    let query = db.selectFrom('waits').selectAll().where('seq', '<', args.before)
    for (const column of Object.values(filterColumns))
      if (shape[column]) query = query.where(sql<boolean>`${sql.ref(column)} = ${args[column]}`)
    return query.orderBy('seq', 'desc').limit(args.limit)
  })
}

/** Waits of so many runs. */
function compileListOf(db: Kysely<RuntimeTables>, count: number): Statement<readonly string[], WaitRow> {
  const query = db.selectFrom('waits').selectAll().where('run_id', 'in', places(count)).orderBy('seq')
  return { kind: 'read', sql: query.compile().sql, bind: (ids) => ids }
}

type SettleArgs = {
  runId: string
  id: string
  status: WaitStatus
  data: string | null
  reason: string | null
  settledAt: string
  settledBy: string | null
}

function createStatements(db: Kysely<RuntimeTables>) {
  const open = sql.lit('open' as const)
  return {
    listEnding: compileStatement<{ limit: number }, WaitRow>('read', ({ limit }) =>
      db
        .selectFrom('waits')
        .selectAll()
        .where('status', '=', open)
        .where('expires_at', 'is not', null)
        .orderBy('expires_at')
        .orderBy('seq')
        .limit(limit),
    ),
    find: compileStatement<{ runId: string; id: string }, WaitRow>('read', ({ runId, id }) =>
      db.selectFrom('waits').selectAll().where('run_id', '=', runId).where('id', '=', id),
    ),
    countOpen: compileStatement<{ runId: string }, { open: number }>('read', ({ runId }) =>
      db
        .selectFrom('waits')
        .select((eb) => eb.fn.countAll<number>().as('open'))
        .where('run_id', '=', runId)
        .where('status', '=', open),
    ),
    insert: compileStatement<Omit<WaitRow, 'seq'>, unknown>('write', (row) =>
      db.insertInto('waits').values({
        run_id: row.run_id,
        id: row.id,
        kind: row.kind,
        status: row.status,
        agent_id: row.agent_id,
        graph_id: row.graph_id,
        user_id: row.user_id,
        call_id: row.call_id,
        tool: row.tool,
        args: row.args,
        call_hash: row.call_hash,
        event: row.event,
        asked: row.asked,
        expires_at: row.expires_at,
        created_at: row.created_at,
        data: row.data,
        reason: row.reason,
        settled_at: row.settled_at,
        settled_by: row.settled_by,
        announced: row.announced,
      }),
    ),
    settle: compileStatement<SettleArgs, WaitRow>('write', (args) =>
      db
        .updateTable('waits')
        .set({
          status: args.status,
          data: args.data,
          reason: args.reason,
          settled_at: args.settledAt,
          settled_by: args.settledBy,
        })
        .where('run_id', '=', args.runId)
        .where('id', '=', args.id)
        .where('status', '=', open)
        .returningAll(),
    ),
    cancel: compileStatement<{ runId: string; settledAt: string }, unknown>('write', ({ runId, settledAt }) =>
      db
        .updateTable('waits')
        .set({ status: sql.lit('cancelled' as const), reason: sql.lit(endedBefore), settled_at: settledAt })
        .where('run_id', '=', runId)
        .where('status', '=', open),
    ),
  }
}

/** Why waits are cancelled. */
const endedBefore = 'The run ended before anyone decided.'

function toRow(wait: StoredWait): Omit<WaitRow, 'seq'> {
  const { key, message, schema, match, url, to } = wait
  const asked: Asked = {
    ...(key !== undefined && { key }),
    ...(message !== undefined && { message }),
    ...(schema && { schema }),
    ...(match && { match }),
    ...(url !== undefined && { url }),
    ...(to && { to }),
  }
  return {
    run_id: wait.runId,
    id: wait.id,
    kind: wait.kind,
    status: wait.status,
    agent_id: wait.agentId ?? null,
    graph_id: wait.graphId ?? null,
    user_id: wait.userId ?? null,
    call_id: wait.callId ?? null,
    tool: wait.tool ?? null,
    args: wait.args === undefined ? null : JSON.stringify(wait.args),
    call_hash: wait.callHash ?? null,
    event: wait.event ?? null,
    asked: Object.keys(asked).length === 0 ? null : JSON.stringify(asked),
    expires_at: wait.expiresAt ?? null,
    created_at: wait.createdAt,
    data: wait.data === undefined ? null : JSON.stringify(wait.data),
    reason: wait.reason ?? null,
    settled_at: wait.settledAt ?? null,
    settled_by: wait.settledBy ?? null,
    announced: 0,
  }
}

/** A wait from its row. */
export function toWait(row: WaitRow): StoredWait {
  return {
    id: row.id,
    runId: row.run_id,
    kind: row.kind,
    status: row.status,
    ...(row.agent_id !== null && { agentId: row.agent_id }),
    ...(row.graph_id !== null && { graphId: row.graph_id }),
    ...(row.user_id !== null && { userId: row.user_id }),
    ...(row.call_id !== null && { callId: row.call_id }),
    ...(row.tool !== null && { tool: row.tool }),
    ...(row.args !== null && { args: fromJson<Json>(row.args) }),
    ...(row.call_hash !== null && { callHash: row.call_hash }),
    ...(row.event !== null && { event: row.event }),
    ...(row.asked !== null && fromJson<Asked>(row.asked)),
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
    createdAt: row.created_at,
    ...(row.data !== null && { data: fromJson<Json>(row.data) }),
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.settled_at !== null && { settledAt: row.settled_at }),
    ...(row.settled_by !== null && { settledBy: row.settled_by }),
  }
}

/** Makes the table of waits, without its indexes: what older versions stored is copied first. */
function buildWaits({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  return [
    schema
      .createTable('waits')
      .addColumn('seq', 'integer', (column) => column.primaryKey())
      .addColumn('run_id', 'text', (column) => column.notNull().references('runs.id').onDelete('cascade'))
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('agent_id', 'text')
      .addColumn('graph_id', 'text')
      .addColumn('user_id', 'text')
      .addColumn('call_id', 'text')
      .addColumn('tool', 'text')
      .addColumn('args', 'text')
      .addColumn('call_hash', 'text')
      .addColumn('event', 'text')
      .addColumn('asked', 'text')
      .addColumn('expires_at', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('data', 'text')
      .addColumn('reason', 'text')
      .addColumn('settled_at', 'text')
      .addColumn('settled_by', 'text')
      .addColumn('announced', 'integer', (column) => column.notNull().defaultTo(0)),
  ]
}

function buildWaitIndexes({ schema }: Kysely<RuntimeTables>): readonly Compilable[] {
  const isOpen = sql<boolean>`status = 'open'`
  const index = (name: string, ...columns: string[]) => schema.createIndex(name).on('waits').columns(columns)
  return [
    index('waits_id', 'run_id', 'id').unique(),
    index('waits_of_id', 'id'),
    index('waits_due', 'expires_at', 'seq').where(isOpen),
    index('waits_open', 'seq').where(isOpen),
    index('waits_event', 'event', 'seq').where(sql<boolean>`status = 'open' and event is not null`),
    index('waits_unannounced', 'seq').where(sql<boolean>`status = 'open' and announced = 0`),
    index('waits_agent', 'agent_id', 'seq').where(sql<boolean>`agent_id is not null`),
    index('waits_user', 'user_id', 'seq').where(sql<boolean>`user_id is not null`),
  ]
}

/** What differs between the databases in {@link moveApprovals}. */
interface MoveLanguage {
  /** A field of a column of JSON. */
  readonly field: (column: string, field: string) => string
  /** A text as JSON. */
  readonly quote: (column: string) => string
}

/** Makes approvals of older versions waits. */
export function moveApprovals(db: Kysely<RuntimeTables>, { field, quote }: MoveLanguage): readonly string[] {
  const toSql = (statement: Compilable) => statement.compile().sql
  const extra = (name: string, value: string) =>
    `case when ${value} is null then '' else ',"${name}":' || ${value} end`
  return [
    ...buildWaits(db).map(toSql),
    `insert into waits (run_id, id, kind, status, agent_id, graph_id, user_id, call_id, tool, args, call_hash,
        expires_at, created_at, data, reason, settled_at, settled_by, announced)
      select a.run_id, a.id, 'approval',
        case when a.status = 'pending' then 'open'
          when a.status = 'denied' and a.decided_by = 'timeout' then 'expired'
          when a.status = 'denied' and a.decided_by is null and a.reason = '${endedBefore}' then 'cancelled'
          else 'answered' end,
        runs.agent_id, runs.graph_id, ${field('runs.run', 'userId')}, a.call_id, a.tool, a.args, a.call_hash,
        a.expires_at, a.created_at,
        case a.status
          when 'approved' then '{"decision":"approve"' || ${extra('args', 'a.edited_args')} || '}'
          when 'responded' then '{"decision":"respond"' || ${extra('text', quote('a.response'))} || '}'
          when 'denied' then '{"decision":"deny"' || ${extra('reason', quote('a.reason'))} || '}' end,
        a.reason, a.decided_at, a.decided_by, a.announced
      from approvals as a join runs on runs.id = a.run_id order by a.seq`,
    'drop table approvals',
    ...buildWaitIndexes(db).map(toSql),
  ]
}
