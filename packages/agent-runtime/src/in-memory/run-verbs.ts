import type { NewJournalEvent } from '../store/ports/journal.ts'
import type { Lease } from '../store/ports/lease.ts'
import type { ModelMessage } from '../ports/message.ts'
import type { Page, PageRequest } from '../store/ports/page.ts'
import type { StoredApproval } from '../store/ports/approval.ts'
import type {
  NewRun,
  RunEventBatch,
  RunFilter,
  RunFinish,
  RunStepWrite,
  StoredRun,
} from '../store/ports/run-store.ts'
import { timePositionOf, toPage } from '../paging/cursor.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { NewestStep } from '../store/sql/runs/run-row.ts'
import { endedBeforeDecision, isKept, newProgress, toStepRow } from '../store/sql/runs/run-row.ts'
import { forgetRunBudget } from './budget-verbs.ts'
import { addMessages, assertMayAppend } from './conversation-verbs.ts'
import { decodeMessages } from './encoded-messages.ts'
import { appendEvents } from './journal-verbs.ts'
import type { OrderOf } from './sorted-rows.ts'
import { addSorted, findPlace, removeAll } from './sorted-rows.ts'
import { batchesOf, resultOf, toEnded } from './ended-run.ts'
import type { RunRecord, Tables } from './tables.ts'
import { tell, toCopy } from './tables.ts'

const byTime: OrderOf<RunRecord> = ({ createdAt, id }) => [createdAt, id]

/** {@link RunStore.insertRun}, in memory. */
export function insertRun(
  tables: Tables,
  run: NewRun,
  lease: Lease,
  journal: readonly NewJournalEvent[],
): { readonly run: StoredRun; readonly created: boolean } {
  const { id, idempotencyKey, createdAt } = run
  const known = idempotencyKey === undefined ? undefined : tables.runsByKey.get(idempotencyKey)
  if (known !== undefined) return { run: toRun(known), created: false }
  if (tables.runs.has(id)) {
    throw new RuntimeError('conflict', 'Starting a run failed: its id is in use already. Make a new one.')
  }
  const fresh = { status: 'running', progress: newProgress, cancelRequested: false, lease } as const
  const record: RunRecord = {
    ...fresh,
    id,
    createdAt,
    run,
    takeOvers: undefined,
    takenSteps: undefined,
    result: undefined,
    finishedAt: undefined,
    steps: [],
    ended: undefined,
    intents: [],
    outcomes: new Map(),
    approvals: new Map(),
  }
  tables.runs.set(id, record)
  countChild(tables, run, 1)
  addSorted(tables.runsByTime, byTime, record)
  if (idempotencyKey !== undefined) tables.runsByKey.set(idempotencyKey, record)
  appendEvents(tables, journal)
  return { run: { ...run, ...fresh }, created: true }
}

/** {@link RunStore.saveRunStep}, in memory. */
export function saveRunStep(tables: Tables, step: RunStepWrite): boolean {
  if (step.isRepeat && isKept(newestOf(tables.runs.get(step.runId)), step)) return true
  const record = findHeld(tables, step.runId, step.owner)
  if (record === undefined) return false
  if (step.waitFor !== undefined) {
    const { approvals, result } = step.waitFor
    assertNewApprovals(record, approvals)
    for (const approval of approvals) record.approvals.set(approval.id, toCopy(approval))
    record.status = 'waiting'
    record.result = result
    record.lease = undefined
  }
  addStep(tables, record, step)
  tell(tables, { topic: 'run', runId: record.id })
  return true
}

/** {@link RunStore.finishRun}, in memory. */
export function finishRun(tables: Tables, finish: RunFinish): boolean {
  const record = tables.runs.get(finish.runId)
  if (record === undefined || isEnded(record)) return false
  if (finish.owner === undefined ? record.status !== 'waiting' : record.lease?.owner !== finish.owner) {
    return false
  }
  const { conversation } = finish
  if (conversation !== undefined) assertMayAppend(tables, conversation)
  record.status = finish.status
  record.result = undefined
  record.finishedAt = finish.finishedAt
  record.lease = undefined
  for (const [id, approval] of record.approvals) {
    if (approval.status !== 'pending') continue
    record.approvals.set(id, { ...approval, ...endedBeforeDecision, decidedAt: finish.finishedAt })
  }
  addStep(tables, record, finish)
  const messages = record.steps.flatMap((step) => step.messages)
  record.ended = toEnded(record.steps, messages, finish.result)
  record.steps.length = 0
  if (conversation !== undefined) addMessages(tables, conversation, { messages, json: record.ended.messages })
  countChild(tables, record.run, -1)
  tables.finishedRuns.add(record.id)
  forgetOldest(tables)
  tell(tables, { topic: 'run', runId: record.id })
  tell(tables, { topic: 'task' })
  return true
}

/** {@link RunStore.findRun}, in memory. */
export function findRun(tables: Tables, id: string): StoredRun | undefined {
  const record = tables.runs.get(id)
  return record === undefined ? undefined : toRun(record)
}

/** {@link RunStore.listRuns}, in memory. */
export function listRuns(tables: Tables, filter: RunFilter, page: PageRequest): Page<StoredRun> {
  const rows = tables.runsByTime
  const after = timePositionOf(page)
  const found: RunRecord[] = []
  let place = after === undefined ? rows.length : findPlace(rows, byTime, after)
  while (place > 0 && found.length <= page.limit) {
    place -= 1
    const record = rows[place]
    if (record !== undefined && isMatch(record, filter)) found.push(record)
  }
  return toPage(found, page.limit, toRun, byTime)
}

/** {@link RunStore.listRunMessages}, in memory. */
export function listRunMessages(tables: Tables, runId: string): ModelMessage[] {
  const record = tables.runs.get(runId)
  if (record?.ended) return decodeMessages(record.ended.messages)
  return toCopy(record?.steps.flatMap(({ messages }) => messages) ?? [])
}

/** {@link RunStore.listRunEvents}, in memory. */
export function listRunEvents(tables: Tables, runId: string, sinceSeq: number): RunEventBatch[] {
  const record = tables.runs.get(runId)
  const batches = record?.ended ? batchesOf(record.ended) : (record?.steps ?? [])
  const wanted = batches.filter(({ firstSeq, lastSeq }) => lastSeq >= firstSeq && lastSeq > sinceSeq)
  const found = wanted.map(({ firstSeq, events }) => ({ firstSeq, events }))
  return record?.ended ? found : toCopy(found)
}

function assertNewApprovals(record: RunRecord, approvals: readonly StoredApproval[]): void {
  const ids = new Set(approvals.map(({ id }) => id))
  if (ids.size === approvals.length && approvals.every(({ id }) => !record.approvals.has(id))) return
  throw new RuntimeError(
    'conflict',
    'Saving a step failed: the id of an approval is in use already. Make a new one.',
  )
}

/** The newest step of a run as a row. */
function newestOf(record: RunRecord | undefined): NewestStep | undefined {
  const stream = record?.steps.at(-1)
  if (!record || !stream) return undefined
  const { id, status, progress, lease } = record
  // that it announces no call is not told from a list without one
  const intents = record.intents.length > 0 ? { intents: record.intents } : {}
  const row = toStepRow({ runId: id, progress, messages: stream.messages, stream, ...intents }, '')
  return { ...row, status, owner: lease?.owner ?? null }
}

type StepParts = Pick<RunStepWrite, 'messages' | 'intents' | 'progress' | 'stream' | 'journal'>

function addStep(tables: Tables, record: RunRecord, step: StepParts): void {
  const { firstSeq, events } = step.stream
  record.progress = step.progress
  record.intents = step.intents ?? []
  if (record.outcomes.size > 0) record.outcomes.clear()
  record.steps.push({
    // The lists may grow behind this write, what is in them does not change.
    messages: step.messages.slice(),
    firstSeq,
    lastSeq: firstSeq + events.length - 1,
    events: events.slice(),
  })
  appendEvents(tables, step.journal)
}

function forgetOldest(tables: Tables): void {
  const { finishedRuns, bounds } = tables
  const surplus = finishedRuns.size - bounds.finishedRuns
  // many at once: all the others are gone through
  if (surplus > bounds.finishedRuns / 16) forgetRuns(tables, [...finishedRuns].slice(0, surplus))
}

/** Forgets runs that have ended, with all that belongs to them. */
export function forgetRuns(tables: Tables, ids: readonly string[]): void {
  const gone = new Set<RunRecord>()
  for (const id of ids) {
    const record = tables.runs.get(id)
    tables.finishedRuns.delete(id)
    tables.runs.delete(id)
    if (record === undefined) continue
    gone.add(record)
    forgetRunBudget(tables, record.run)
    const { idempotencyKey } = record.run
    if (idempotencyKey !== undefined) tables.runsByKey.delete(idempotencyKey)
  }
  if (gone.size > 0) removeAll(tables.runsByTime, gone)
}

/** Counts an open run for the one that started it. */
function countChild({ openChildren }: Tables, { parentRunId }: NewRun, more: 1 | -1): void {
  if (parentRunId === undefined) return
  const count = (openChildren.get(parentRunId) ?? 0) + more
  if (count === 0) openChildren.delete(parentRunId)
  else openChildren.set(parentRunId, count)
}

function isEnded({ status }: RunRecord): boolean {
  return status !== 'running' && status !== 'waiting'
}

function isMatch({ run, status }: RunRecord, filter: RunFilter): boolean {
  const isAgent = run.kind === 'agent'
  const { agentId, graphId, parentRunId, conversationId } = filter
  return (
    (agentId === undefined || (isAgent && run.agentId === agentId)) &&
    (graphId === undefined || (!isAgent && run.graph.id === graphId)) &&
    (parentRunId === undefined || run.parentRunId === parentRunId) &&
    (conversationId === undefined || (isAgent && run.conversationId === conversationId)) &&
    (filter.status === undefined || status === filter.status)
  )
}

/** A run that is running, and the owner's. */
export function findHeld(tables: Tables, id: string, owner: string): RunRecord | undefined {
  const record = tables.runs.get(id)
  return record?.status === 'running' && record.lease?.owner === owner ? record : undefined
}

/** A copy of a run. */
export function toRun({ run, status, progress, result, ended, ...record }: RunRecord): StoredRun {
  const { cancelRequested, lease, takeOvers, finishedAt } = record
  const copy = toCopy({ ...run, status, progress, result, cancelRequested, lease, takeOvers, finishedAt })
  const whole = ended ? { ...copy, result: resultOf(ended) } : copy
  return whole as StoredRun // its result is of its kind
}
