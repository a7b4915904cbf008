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
  while (taken.length < claim.limit) {
    const next = findNext(records, claim.perSubject)
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
    taken.push(running)
  }
  appendEvents(tables, eventsOf(taken, claim.toEvent))
  return taken.map((task) => structuredClone(task))
}

/** The first task of the first lane that may have one taken. */
function findNext({ readyLanes }: TaskRecords, perSubject: number): TaskRecord | undefined {
  for (const lane of readyLanes.rows) {
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
