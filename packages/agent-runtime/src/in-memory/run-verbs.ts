import type { RunResult } from '@homeward/contract/agent-platform'
import type { NewJournalEvent } from '../ports/journal.ts'
import type { ModelMessage } from '../ports/message.ts'
import type { Page, PageRequest } from '../ports/page.ts'
import type {
  NewRun,
  RunEventBatch,
  RunFilter,
  RunFinish,
  RunProgress,
  RunStepWrite,
  StoredApproval,
  StoredRun,
} from '../ports/run-store.ts'
import { timePositionOf, toPage } from '../paging/cursor.ts'
import { RuntimeError } from '../runtime-error.ts'
import { endedBeforeDecision, newProgress } from '../sql/run-row.ts'
import { appendMessages, assertNewMessages } from './conversation-verbs.ts'
import { appendEvents } from './journal-verbs.ts'
import type { OrderOf } from './sorted-rows.ts'
import { addSorted, findPlace, removeSorted } from './sorted-rows.ts'
import type { RunRecord, Tables } from './tables.ts'
import { fromJson } from '../sql/json.ts'

const byTime: OrderOf<RunRecord> = ({ createdAt, id }) => [createdAt, id]

/** {@link RunStore.insertRun}, in memory. */
export function insertRun(
  tables: Tables,
  run: NewRun,
  journal: readonly NewJournalEvent[],
): { readonly run: StoredRun; readonly created: boolean } {
  const { id, agentId, conversationId, idempotencyKey, createdAt } = run
  const known = idempotencyKey === undefined ? undefined : tables.runsByKey.get(idempotencyKey)
  if (known !== undefined) return { run: toRun(known), created: false }
  if (tables.runs.has(id)) {
    throw new RuntimeError('conflict', 'Starting a run failed: its id is in use already. Make a new one.')
  }
  const record: RunRecord = {
    id,
    agentId,
    conversationId,
    idempotencyKey,
    createdAt,
    json: JSON.stringify(run),
    status: 'running',
    progress: JSON.stringify(newProgress),
    result: undefined,
    finishedAt: undefined,
    steps: [],
    approvals: new Map(),
  }
  tables.runs.set(id, record)
  addSorted(tables.runsByTime, byTime, record)
  if (idempotencyKey !== undefined) tables.runsByKey.set(idempotencyKey, record)
  appendEvents(tables, journal)
  return { run: toRun(record), created: true }
}

/** {@link RunStore.saveRunStep}, in memory. */
export function saveRunStep(tables: Tables, step: RunStepWrite): boolean {
  const record = tables.runs.get(step.runId)
  if (record?.status !== 'running') return false
  if (step.waitFor !== undefined) {
    const { approvals, result } = step.waitFor
    assertNewApprovals(record, approvals)
    for (const approval of approvals) record.approvals.set(approval.id, structuredClone(approval))
    record.status = 'waiting'
    record.result = JSON.stringify(result)
  }
  addStep(tables, record, step)
  return true
}

/** {@link RunStore.finishRun}, in memory. */
export function finishRun(tables: Tables, finish: RunFinish): boolean {
  const record = tables.runs.get(finish.runId)
  if (record === undefined || isEnded(record)) return false
  if (finish.conversation !== undefined) {
    assertNewMessages(tables, finish.conversation)
    appendMessages(tables, finish.conversation)
  }
  record.status = finish.status
  record.result = JSON.stringify(finish.result)
  record.finishedAt = finish.finishedAt
  for (const [id, approval] of record.approvals) {
    if (approval.status !== 'pending') continue
    record.approvals.set(id, { ...approval, ...endedBeforeDecision, decidedAt: finish.finishedAt })
  }
  addStep(tables, record, finish)
  tables.finishedRuns.add(record.id)
  forgetOldest(tables)
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
  const steps = tables.runs.get(runId)?.steps ?? []
  return steps.flatMap(({ messages }) => fromJson<ModelMessage[]>(messages))
}

/** {@link RunStore.listRunEvents}, in memory. */
export function listRunEvents(tables: Tables, runId: string, sinceSeq: number): RunEventBatch[] {
  const steps = tables.runs.get(runId)?.steps ?? []
  return steps
    .filter(({ firstSeq, lastSeq }) => lastSeq >= firstSeq && lastSeq > sinceSeq)
    .map(({ firstSeq, events }) => ({ firstSeq, events: fromJson<RunEventBatch['events']>(events) }))
}

function assertNewApprovals(record: RunRecord, approvals: readonly StoredApproval[]): void {
  const ids = new Set(approvals.map(({ id }) => id))
  if (ids.size === approvals.length && approvals.every(({ id }) => !record.approvals.has(id))) return
  throw new RuntimeError(
    'conflict',
    'Saving a step failed: the id of an approval is in use already. Make a new one.',
  )
}

function addStep(
  tables: Tables,
  record: RunRecord,
  { messages, progress, stream, journal }: Pick<RunStepWrite, 'messages' | 'progress' | 'stream' | 'journal'>,
): void {
  record.progress = JSON.stringify(progress)
  record.steps.push({
    messages: JSON.stringify(messages),
    firstSeq: stream.firstSeq,
    lastSeq: stream.firstSeq + stream.events.length - 1,
    events: JSON.stringify(stream.events),
  })
  appendEvents(tables, journal)
}

function forgetOldest(tables: Tables): void {
  if (tables.finishedRuns.size <= tables.bounds.finishedRuns) return
  for (const id of tables.finishedRuns) {
    const record = tables.runs.get(id)
    tables.finishedRuns.delete(id)
    tables.runs.delete(id)
    if (record !== undefined) {
      removeSorted(tables.runsByTime, byTime, record)
      if (record.idempotencyKey !== undefined) tables.runsByKey.delete(record.idempotencyKey)
    }
    if (tables.finishedRuns.size <= tables.bounds.finishedRuns) return
  }
}

function isEnded({ status }: RunRecord): boolean {
  return status !== 'running' && status !== 'waiting'
}

function isMatch(record: RunRecord, { agentId, conversationId, status }: RunFilter): boolean {
  return (
    (agentId === undefined || record.agentId === agentId) &&
    (conversationId === undefined || record.conversationId === conversationId) &&
    (status === undefined || record.status === status)
  )
}

function toRun({ json, status, progress, result, finishedAt }: RunRecord): StoredRun {
  return {
    ...fromJson<NewRun>(json),
    status,
    progress: fromJson<RunProgress>(progress),
    ...(result !== undefined && { result: fromJson<RunResult>(result) }),
    ...(finishedAt !== undefined && { finishedAt }),
  }
}
