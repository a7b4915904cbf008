import type { StoredTask } from '../store/ports/task-store.ts'
import { fromJson } from '../store/sql/json.ts'
import { isReady } from '../store/sql/tasks/task-changes.ts'
import { isSerial, toSubjectKey } from '../store/sql/tasks/task-row.ts'
import type { OrderedRows } from './ordered-rows.ts'
import { createOrderedRows } from './ordered-rows.ts'

/** An agent or a graph that ever had a task: a queue of its own. */
export interface LaneRecord {
  readonly id: number
  /** Ready, the first to be taken first; those that must not run beside another scheduled one apart. */
  readonly free: OrderedRows<TaskRecord>
  readonly serial: OrderedRows<TaskRecord>
  /** Those that run, parked ones left out. */
  readonly running: Set<TaskRecord>
  /** Scheduled ones that run, parked ones too. */
  readonly runningScheduled: Set<TaskRecord>
  /** Scheduled ones that have not ended. */
  readonly openScheduled: Set<TaskRecord>
  /** Grows with each turn. */
  served: number
}

/** A task as it is kept in memory. */
export interface TaskRecord {
  readonly seq: number
  readonly id: string
  readonly lane: LaneRecord
  readonly subject: string
  readonly priority: number
  readonly isSerial: boolean
  readonly isScheduled: boolean
  readonly serialKey: string | undefined
  /** Queued behind another one of its serial key. */
  isHeld: boolean
  runAt: string
  status: StoredTask['status']
  parked: boolean
  leaseUntil: string | undefined
  runId: string | undefined
  isReady: boolean
  /** JSON of the whole task. */
  json: string
}

/** All tasks of a store in memory. */
export interface TaskRecords {
  readonly byId: Map<string, TaskRecord>
  readonly byKey: Map<string, TaskRecord>
  /** Those that have not ended, by their serial key. */
  readonly bySerialKey: Map<string, Set<TaskRecord>>
  /** In the order in which they were kept. */
  readonly bySeq: OrderedRows<TaskRecord>
  readonly lanes: Map<string, LaneRecord>
  /** Lanes with something ready, the one that has waited longest first. */
  readonly readyLanes: OrderedRows<LaneRecord>
  /** Queued ones whose time has not come, as far as was looked; the earliest first. */
  readonly waiting: OrderedRows<TaskRecord>
  readonly leased: Set<TaskRecord>
  readonly parked: Set<TaskRecord>
  /** Ids of those that have ended, in the order they did. */
  readonly ended: Set<string>
  lastSeq: number
  lastServed: number
}

/** No tasks. */
export function createTaskRecords(): TaskRecords {
  return {
    byId: new Map(),
    byKey: new Map(),
    bySerialKey: new Map(),
    bySeq: createOrderedRows((a, b) => a.seq - b.seq),
    lanes: new Map(),
    readyLanes: createOrderedRows((a, b) => a.served - b.served || a.id - b.id),
    waiting: createOrderedRows((a, b) => (a.runAt < b.runAt ? -1 : a.runAt > b.runAt ? 1 : a.seq - b.seq)),
    leased: new Set(),
    parked: new Set(),
    ended: new Set(),
    lastSeq: 0,
    lastServed: 0,
  }
}

/** The task of a record, of which every caller gets one of its own. */
export function toTask({ json }: TaskRecord): StoredTask {
  return fromJson<StoredTask>(json)
}

/** Keeps a new task. */
export function addRecord(records: TaskRecords, task: StoredTask): TaskRecord {
  const subject = toSubjectKey(task.subject)
  const lane = records.lanes.get(subject) ?? addLane(records, subject)
  const record: TaskRecord = {
    seq: (records.lastSeq += 1),
    id: task.id,
    lane,
    subject,
    priority: task.priority,
    isSerial: isSerial(task),
    isScheduled: task.scheduled !== undefined,
    serialKey: task.serialKey,
    isHeld: false,
    ...stateOf(task, task.createdAt),
  }
  records.byId.set(record.id, record)
  records.bySeq.add(record)
  if (task.idempotencyKey !== undefined) records.byKey.set(task.idempotencyKey, record)
  joinSerial(records, record)
  link(records, record)
  return record
}

/** Keeps what has become of a task. */
export function changeRecord(records: TaskRecords, record: TaskRecord, task: StoredTask, now: string): void {
  unlink(records, record)
  const hadEnded = hasEnded(record)
  Object.assign(record, stateOf(task, now))
  if (hadEnded && !hasEnded(record)) joinSerial(records, record)
  link(records, record)
  if (!hadEnded && hasEnded(record)) leaveSerial(records, record, now)
}

/** Waits behind those of its serial key that have not ended. */
function joinSerial({ bySerialKey }: TaskRecords, record: TaskRecord): void {
  const { serialKey } = record
  if (serialKey === undefined) return
  const others = bySerialKey.get(serialKey) ?? new Set()
  bySerialKey.set(serialKey, others)
  record.isHeld = others.size > 0
  if (record.isHeld) record.isReady = false
  others.add(record)
}

/** Lets the next of its serial key go. */
function leaveSerial(records: TaskRecords, record: TaskRecord, now: string): void {
  const { serialKey } = record
  const others = serialKey === undefined ? undefined : records.bySerialKey.get(serialKey)
  if (serialKey === undefined || others === undefined) return
  record.isHeld = false
  others.delete(record)
  if (others.size === 0) records.bySerialKey.delete(serialKey)
  const [next] = [...others].toSorted((a, b) => a.seq - b.seq)
  if (next === undefined || [...others].some(({ isHeld }) => !isHeld)) return
  unlink(records, next)
  next.isHeld = false
  next.isReady = next.runAt <= now
  link(records, next)
}

const hasEnded = ({ status }: TaskRecord) => status === 'completed' || status === 'failed'

/** Makes tasks ready whose time has come. */
export function promoteDue(records: TaskRecords, now: string): void {
  for (let [record] = records.waiting.rows; record && record.runAt <= now; [record] = records.waiting.rows) {
    unlink(records, record)
    record.isReady = true
    link(records, record)
  }
}

/** Forgets a task. */
export function removeRecord(records: TaskRecords, id: string): void {
  const record = records.byId.get(id)
  if (record === undefined) return
  unlink(records, record)
  records.byId.delete(id)
  records.bySeq.remove(record)
  const key = toTask(record).idempotencyKey
  if (key !== undefined) records.byKey.delete(key)
}

function addLane(records: TaskRecords, subject: string): LaneRecord {
  const byTurn = (a: TaskRecord, b: TaskRecord) => b.priority - a.priority || a.seq - b.seq
  const lane: LaneRecord = {
    id: records.lanes.size,
    free: createOrderedRows(byTurn),
    serial: createOrderedRows(byTurn),
    running: new Set(),
    runningScheduled: new Set(),
    openScheduled: new Set(),
    served: 0,
  }
  records.lanes.set(subject, lane)
  return lane
}

function stateOf(task: StoredTask, now: string) {
  return {
    runAt: task.runAt,
    status: task.status,
    parked: task.parked,
    leaseUntil: task.lease?.until,
    runId: task.runId,
    isReady: isReady(task, now),
    json: JSON.stringify(task),
  }
}

/** Puts a record wherever its state belongs. */
function link(records: TaskRecords, record: TaskRecord): void {
  const { lane, status } = record
  if (record.isReady) {
    const wasEmpty = isEmpty(lane)
    readyOf(record).add(record)
    if (wasEmpty) records.readyLanes.add(lane)
  } else if (status === 'queued' && !record.isHeld) records.waiting.add(record)
  if (status === 'running' && !record.parked) lane.running.add(record)
  if (record.leaseUntil !== undefined) records.leased.add(record)
  if (record.parked) records.parked.add(record)
  if (record.isScheduled && status === 'running') lane.runningScheduled.add(record)
  if (record.isScheduled && !hasEnded(record)) lane.openScheduled.add(record)
  if (hasEnded(record)) records.ended.add(record.id)
}

/** Takes a record out of wherever {@link link} put it. */
function unlink(records: TaskRecords, record: TaskRecord): void {
  const { lane } = record
  if (record.isReady) {
    readyOf(record).remove(record)
    if (isEmpty(lane)) records.readyLanes.remove(lane)
  } else if (record.status === 'queued' && !record.isHeld) records.waiting.remove(record)
  lane.running.delete(record)
  lane.runningScheduled.delete(record)
  lane.openScheduled.delete(record)
  records.leased.delete(record)
  records.parked.delete(record)
  records.ended.delete(record.id)
}

const readyOf = ({ lane, isSerial: serial }: TaskRecord) => (serial ? lane.serial : lane.free)

const isEmpty = ({ free, serial }: LaneRecord) => free.rows.length === 0 && serial.rows.length === 0
