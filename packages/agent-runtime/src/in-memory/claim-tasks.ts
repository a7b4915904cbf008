import type { StoredTask, TaskClaim } from '../store/ports/task-store.ts'
import { eventsOf } from '../store/sql/tasks/task-events.ts'
import { appendEvents } from './journal-verbs.ts'
import type { Tables } from './tables.ts'
import type { LaneRecord, TaskRecord, TaskRecords } from './task-records.ts'
import { changeRecord, promoteDue, toTask } from './task-records.ts'

/** {@link TaskStore.claimTasks}, in memory. */
export function claimTasks(tables: Tables, claim: TaskClaim): StoredTask[] {
  const records = tables.tasks
  promoteDue(records, claim.now)
  const taken: StoredTask[] = []
  const named = claim.ticketsFor && countNamed(records, claim.ticketsFor)
  while (taken.length < claim.limit) {
    const next = findNext(records, claim.perSubject, named)
    if (next === undefined) break
    const task = toTask(next)
    const { lease, now } = claim
    const running: StoredTask = {
      ...task,
      status: 'running',
      attempt: task.attempt + 1,
      lease,
      updatedAt: now,
      startedAt: task.startedAt ?? now,
    }
    changeRecord(records, next, running, now)
    endTurn(records, next.lane)
    named?.set(next.lane, (named.get(next.lane) ?? 0) - 1)
    taken.push(running)
  }
  appendEvents(tables, eventsOf(taken, claim.toEvent))
  return taken.map((task) => structuredClone(task))
}

function countNamed({ byId }: TaskRecords, ids: readonly string[]): Map<LaneRecord, number> {
  const counts = new Map<LaneRecord, number>()
  for (const id of ids) {
    const lane = byId.get(id)?.lane
    if (lane) counts.set(lane, (counts.get(lane) ?? 0) + 1)
  }
  return counts
}

/** The first task of the first lane that may have one taken. */
function findNext(
  { readyLanes }: TaskRecords,
  perSubject: number,
  named: ReadonlyMap<LaneRecord, number> | undefined,
): TaskRecord | undefined {
  for (const lane of readyLanes.rows) {
    if (named && (named.get(lane) ?? 0) <= 0) continue
    if (lane.running.size >= perSubject) continue
    const [free] = lane.free.rows
    const serial = lane.runningScheduled.size === 0 ? lane.serial.rows[0] : undefined
    const next = free && serial ? firstOf(free, serial) : (free ?? serial)
    if (next !== undefined) return next
  }
  return undefined
}

const firstOf = (a: TaskRecord, b: TaskRecord) =>
  a.priority > b.priority || (a.priority === b.priority && a.seq < b.seq) ? a : b

function endTurn(records: TaskRecords, lane: LaneRecord): void {
  const isStillReady = lane.free.rows.length + lane.serial.rows.length > 0
  if (isStillReady) records.readyLanes.remove(lane)
  lane.served = records.lastServed += 1
  if (isStillReady) records.readyLanes.add(lane)
}
