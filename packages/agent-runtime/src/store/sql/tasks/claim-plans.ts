import type { Kysely } from 'kysely'
import { buildOnce, all, change, each, first, rememberStatements } from '@homeward/kit/sql'
import type { StoredTask, TaskClaim } from '../../ports/task-store.ts'
import type { JournalPlans } from '../journal/journal-plans.ts'
import type { Lane } from './lane-statements.ts'
import {
  compileCountNamed,
  compileListReady,
  compileNextLanes,
  compileTake,
  createLaneStatements,
} from './lane-statements.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'
import type { TaskRow } from './task-row.ts'
import { toStoredTask } from './task-row.ts'
import { eventsOf } from './task-events.ts'

/** Most rows that are looked at in one statement; a claim of more runs it again. */
const maxAtOnce = 64

/** A limit that is not smaller, of which there are few: each is a statement of its own. */
function roundUp(limit: number): number {
  return Math.min(maxAtOnce, 2 ** Math.ceil(Math.log2(Math.max(1, limit))))
}

/** The order of a lane. */
const byTurn = (a: TaskRow, b: TaskRow) => b.priority - a.priority || a.turn - b.turn || a.seq - b.seq

/**
 * Taking tasks. Each subject is a lane with its own order, and lanes are served in turn, so what a claim costs grows with
 * the tasks it takes and hardly with those that wait.
 */
export function createClaimPlans(db: Kysely<RuntimeTables>, { addEvents }: JournalPlans) {
  const statements = buildOnce(db, createLaneStatements)
  const nextLanes = rememberStatements(({ limit }: LimitShape) => compileNextLanes(db, limit))
  const listReady = rememberStatements(({ limit }: LimitShape) => compileListReady(db, limit))
  const countNamed = rememberStatements(({ limit }: LimitShape) => compileCountNamed(db, limit))
  const take = rememberStatements(({ limit }: LimitShape) => compileTake(db, limit))

  /** Makes tasks ready whose time has come. */
  function* promoteDue(now: string): Plan<void> {
    const due = yield* all(statements.listDue, { now })
    if (due.length === 0) return
    yield* each(statements.setReady, due)
    const lanes = [...new Set(due.map(({ lane }) => lane))]
    yield* each(
      statements.wake,
      lanes.map((lane) => ({ lane })),
    )
  }

  /** The first of a lane, at most `count`; one that must not run beside another scheduled one only when none does. */
  function* findReady(lane: Lane, count: number): Plan<readonly TaskRow[]> {
    const found = yield* all(listReady({ limit: roundUp(count) }), { lane: lane.id, serial: 0 })
    const rows = found.slice(0, count)
    if (lane.serial === 0) return rows
    const serial = yield* first(listReady({ limit: 1 }), { lane: lane.id, serial: 1 })
    if (serial === undefined) return rows
    const taken = [...rows, serial].toSorted(byTurn).slice(0, count)
    // A scheduled one that goes first is one that runs.
    const before = taken.slice(0, taken.indexOf(serial))
    return before.some(({ scheduled }) => scheduled === 1) ? taken.filter((row) => row !== serial) : taken
  }

  function* serveLane(
    { perSubject, lease, now }: TaskClaim,
    lane: Lane,
    wanted: number,
    served: number,
  ): Plan<readonly TaskRow[]> {
    const rows = yield* findReady(lane, Math.min(wanted, perSubject - lane.running))
    const { owner, until } = lease
    const seqs = rows.map(({ seq }) => seq)
    if (seqs.length > 0) yield* change(take({ limit: seqs.length }), { seqs, owner, until, now })
    yield* change(statements.serve, { lane: lane.id, served })
    return rows
  }

  /** Tasks of the lanes whose turn it is. */
  function* takeNext(claim: TaskClaim, lastServed: number): Plan<readonly TaskRow[]> {
    const { perSubject } = claim
    const rows: TaskRow[] = []
    let served = lastServed
    while (rows.length < claim.limit) {
      const wanted = claim.limit - rows.length
      const found = yield* all(nextLanes({ limit: roundUp(wanted) }), { perSubject })
      const lanes = found.slice(0, wanted)
      if (lanes.length === 0) break
      const perTurn = Math.max(1, Math.floor(wanted / lanes.length))
      for (const lane of lanes) rows.push(...(yield* serveLane(claim, lane, perTurn, (served += 1))))
    }
    return rows
  }

  /** As many tasks of each lane as are named of it. */
  function* takeNamed(
    claim: TaskClaim,
    ids: readonly string[],
    lastServed: number,
  ): Plan<readonly TaskRow[]> {
    const counts = new Map<number, number>()
    for (let from = 0; from < ids.length; from += maxAtOnce) {
      const part = ids.slice(from, from + maxAtOnce)
      const found = yield* all(countNamed({ limit: roundUp(part.length) }), { ids: part })
      for (const { lane, named } of found) counts.set(lane, (counts.get(lane) ?? 0) + named)
    }
    const named = [...counts.keys()].map((lane) => ({ lane, perSubject: claim.perSubject }))
    const lanes = yield* each(statements.find, named)
    const rows: TaskRow[] = []
    let served = lastServed
    for (const lane of lanes) {
      const wanted = Math.min(counts.get(lane.id) ?? 0, claim.limit - rows.length)
      if (wanted > 0) rows.push(...(yield* serveLane(claim, lane, wanted, (served += 1))))
    }
    return rows
  }

  return {
    *claimTasks(claim: TaskClaim): Plan<StoredTask[]> {
      yield* promoteDue(claim.now)
      const last = yield* first(statements.lastServed, {})
      const served = Math.max(last?.idle ?? 0, last?.ready ?? 0)
      const { ticketsFor } = claim
      const rows = yield* ticketsFor ? takeNamed(claim, ticketsFor, served) : takeNext(claim, served)
      const tasks = rows.map((row) => asTaken(toStoredTask(row), claim))
      yield* addEvents(eventsOf(tasks, claim.toEvent))
      return tasks
    },
  }
}

interface LimitShape extends Record<string, number> {
  readonly limit: number
}

/** A task as {@link compileTake} leaves it. */
function asTaken(task: StoredTask, { lease, now }: TaskClaim): StoredTask {
  const { attempt, startedAt = now } = task
  return { ...task, status: 'running', attempt: attempt + 1, lease, updatedAt: now, startedAt }
}
