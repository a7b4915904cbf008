import type { Kysely } from 'kysely'
import { buildOnce, all, change, first, emit, Undo } from '@homeward/kit/sql'
import type { NewJournalEvent } from '../../ports/journal.ts'
import type { Lease } from '../../ports/lease.ts'
import type { ModelMessage } from '../../../ports/message.ts'
import type { RunBeginning } from '../../ports/new-run.ts'
import type {
  NewRun,
  RunEventBatch,
  RunFinish,
  RunStepWrite,
  RunStore,
  StoredRun,
} from '../../ports/run-store.ts'
import type { WaitPlans } from './wait-plans.ts'
import type { ConversationPlans } from '../conversations/conversation-plans.ts'
import type { Appended } from '../conversations/conversation-statements.ts'
import type { EffectPlans } from './effect-plans.ts'
import type { JournalPlans } from '../journal/journal-plans.ts'
import type { FilePlans } from '../files/file-plans.ts'
import { fromJson } from '../json.ts'
import type { Plan } from '../plan.ts'
import type { RunSpan } from '../../ports/run-trace.ts'
import { createDeliverInputs, type InputPlans } from './input-plans.ts'
import { createRunCountPlans } from './run-count-plans.ts'
import { createRunListPlans } from './run-list-plans.ts'
import { isKept, newProgress, toRun, toStepRow } from './run-row.ts'
import { createRunReads, createRunWrites, createStepStatements } from './run-statements.ts'
import { toRunWords, type RunWords } from './run-row.ts'
import type { RuntimeTables } from '../schema.ts'

/** Plans that those on runs are made of. */
type RunParts = JournalPlans &
  Pick<ConversationPlans, 'appendMessages' | 'appendQuestion'> &
  WaitPlans &
  Pick<EffectPlans, 'forgetEffects'> &
  Pick<FilePlans, 'saveRunFiles'> &
  Pick<InputPlans, 'report'> &
  RunWords & { readonly numbers: StepNumbers }

interface InsertedRun {
  readonly run: StoredRun
  readonly created: boolean
}

/**
 * The verbs of `RunStore` as plans, without those on waits. A step costs one statement, and one more for its
 * events of the journal; when the run waits, one more and one for each wait.
 */
export function createRunPlans(db: Kysely<RuntimeTables>, parts: RunParts) {
  const lists = { ...createRunListPlans(db, parts), ...createRunCountPlans(db, parts) }
  return { ...createWritePlans(db, parts), ...createReadPlans(db), ...lists }
}

function createWritePlans(db: Kysely<RuntimeTables>, parts: RunParts) {
  const statements = {
    ...createRunWrites(db),
    ...buildOnce(db, createStepStatements),
    findByKey: createRunReads(db).findByKey,
  }
  const { numbers } = parts
  const deliverInputs = createDeliverInputs(db)

  function* insertStep(step: RunStepWrite): Plan<boolean> {
    const row = toStepRow(step, step.owner)
    const number = numbers.next(step.runId)
    if (number !== undefined && (yield* change(statements.insertStepAt, { ...row, number })) > 0) return true
    if ((yield* change(statements.insertStep, row)) === 0) return false
    numbers.set(step.runId, (yield* first(statements.lastStep, { id: step.runId }))?.number ?? 0)
    return true
  }

  return {
    *insertRun(
      { contents, begun, question, ...asked }: Parameters<RunStore['insertRun']>[0],
      lease: Lease,
      journal: readonly NewJournalEvent[],
    ): Plan<InsertedRun> {
      const { idempotencyKey: key } = asked
      if (question && key !== undefined) {
        const known = yield* first(statements.findByKey, { key })
        if (known !== undefined) return { run: toRun(known), created: false }
      }
      const run = question ? withQuestion(asked, yield* parts.appendQuestion(question)) : asked
      const row = toNewRow(run, lease)
      while ((yield* change(statements.insert, row)) === 0) {
        const known = yield* first(statements.findByKey, { key: row.idempotency_key ?? '' })
        if (known !== undefined) return { run: toRun(known), created: false }
        // It was old and has gone meanwhile, and its key is free.
      }
      numbers.set(run.id, -1)
      yield* parts.writeRunWords(run.id, toRunWords(run.task))
      if (contents || mayHoldFiles(run)) yield* parts.saveRunFiles(run, contents)
      if (begun) yield* insertStep(toFirstStep(run.id, lease.owner, begun))
      yield* parts.addEvents(journal)
      const fresh = {
        status: 'running',
        progress: begun?.progress ?? newProgress,
        cancelRequested: false,
        lease,
      } as const
      return { run: { ...run, ...fresh }, created: true }
    },

    *saveRunStep(step: RunStepWrite): Plan<boolean> {
      // What it told may have been lost with its answer.
      const { runId, isRepeat } = step
      if (isRepeat && isKept(yield* first(statements.newestStep, { runId }), step)) {
        yield* emit({ topic: 'run', runId })
        return true
      }
      if (!(yield* insertStep(step))) return false
      if (step.messages.some(isInput)) yield* deliverInputs(runId, step.messages)
      if (step.waitFor !== undefined)
        yield* change(statements.wait, { id: step.runId, result: JSON.stringify(step.waitFor.result) })
      if (step.opens !== undefined) yield* parts.openWaits(step.opens)
      yield* parts.addEvents(step.journal)
      yield* emit({ topic: 'run', runId: step.runId })
      return true
    },

    *finishRun(finish: RunFinish): Plan<boolean> {
      const { runId: id, owner, finishedAt } = finish
      const args = toFinishArgs(finish)
      const delivers = finish.messages.some(isInput)
      if (delivers) yield* deliverInputs(id, finish.messages)
      const finished =
        owner === undefined
          ? yield* change(statements.finishWaiting, args)
          : yield* change(statements.finish, { ...args, owner })
      if (finished === 0 && delivers) throw new Undo(false)
      if (finished === 0) return false
      numbers.forget(id)
      yield* change(statements.insertLastStep, toStepRow(finish, ''))
      yield* parts.writeRunWords(id, toRunWords(...finish.searched))
      yield* parts.forgetEffects(id)
      yield* parts.cancelWaits(id, finishedAt)
      if (finish.conversation !== undefined) yield* parts.appendMessages(finish.conversation)
      if (finish.report) yield* parts.report(finish.report)
      yield* parts.addEvents(finish.journal)
      yield* emit({ topic: 'run', runId: id })
      yield* emit({ topic: 'task' })
      return true
    },

    *resumeRun(id: string, { owner, until }: Lease): Plan<boolean> {
      numbers.forget(id)
      return (yield* first(statements.resume, { id, owner, until })) !== undefined
    },
  }
}

const isInput = (message: ModelMessage) => message.role === 'user' && message.input !== undefined

const withQuestion = (run: NewRun, { messageCount, createdAt }: Appended): NewRun =>
  run.kind === 'agent' ? { ...run, conversationCreatedAt: createdAt, questionSeq: messageCount } : run

const mayHoldFiles = (run: NewRun) => run.kind === 'agent' && Boolean(run.files || run.history)

function toNewRow(run: NewRun, lease: Lease) {
  const isAgent = run.kind === 'agent'
  return {
    id: run.id,
    agent_id: isAgent ? run.agentId : null,
    graph_id: isAgent ? null : run.graph.id,
    parent_run_id: run.parentRunId ?? null,
    conversation_id: isAgent ? run.conversationId : null,
    user_id: run.userId ?? null,
    idempotency_key: run.idempotencyKey ?? null,
    source: run.source,
    created_at: run.createdAt,
    owner: lease.owner,
    lease_until: lease.until,
    run: JSON.stringify(run),
  }
}

/** The step that holds what a run takes over. */
function toFirstStep(runId: string, owner: string, { events = [], ...begun }: RunBeginning): RunStepWrite {
  return { runId, owner, ...begun, stream: { firstSeq: 1, events }, journal: [] }
}

function toFinishArgs({ runId: id, status, finishedAt, progress, result, durationMs }: RunFinish) {
  const { cost } = progress
  const microUsd = cost === undefined || cost.isPartial === true ? null : cost.microUsd
  const texts = { progress: JSON.stringify(progress), result: JSON.stringify(result) }
  return { id, status, finishedAt, ...texts, durationMs, microUsd }
}

function createReadPlans(db: Kysely<RuntimeTables>) {
  const statements = createRunReads(db)
  return {
    *findRun(id: string): Plan<StoredRun | undefined> {
      const row = yield* first(statements.find, { id })
      return row === undefined ? undefined : toRun(row)
    },

    *listRunMessages(id: string): Plan<ModelMessage[]> {
      const rows = yield* all(statements.listMessages, { id })
      return rows.flatMap(({ messages }) => fromJson<ModelMessage[]>(messages))
    },

    *listRunSpans(id: string): Plan<RunSpan[]> {
      const rows = yield* all(statements.listSpans, { id })
      return rows.flatMap(({ spans }) => fromJson<RunSpan[]>(spans))
    },

    *listRunEvents(id: string, since: number): Plan<RunEventBatch[]> {
      const rows = yield* all(statements.listEvents, { id, since })
      return rows.map(({ firstSeq, events }) => ({
        firstSeq,
        events: fromJson<RunEventBatch['events']>(events),
      }))
    },
  }
}

const maxKnown = 10_000

/** Remembers how many steps runs have, so that a step is written without looking. */
export interface StepNumbers {
  /** Number of a run's next step, unless another process has written one meanwhile; undefined when it is not known. */
  next(runId: string): number | undefined
  /** Says which number a run's newest step has. */
  set(runId: string, number: number): void
  forget(runId: string): void
}

/** Knows no run yet. A number that was given and not used leaves a gap, which does no harm. */
export function createStepNumbers(): StepNumbers {
  const newest = new Map<string, number>()
  return {
    next(runId) {
      const number = newest.get(runId)
      if (number === undefined) return undefined
      newest.set(runId, number + 1)
      return number + 1
    },
    set(runId, number) {
      if (newest.size >= maxKnown) newest.clear()
      newest.set(runId, number)
    },
    forget: (runId) => void newest.delete(runId),
  }
}
