import type { JournalEvent } from '@homeward/contract/agent-platform'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { all, compileStatement, each, first, tell } from '@homeward/kit/sql'
import type { JournalFilter, NewJournalEvent } from '../ports/journal.ts'
import type { JournalPlans, JournalRow } from '../sql/journal/journal-plans.ts'
import {
  compileJournalInsert,
  createJournalPlans,
  prunedAtOnce,
  toEvent,
} from '../sql/journal/journal-plans.ts'
import type { Plan } from '../sql/plan.ts'
import { toRunKey } from '../sql/runs/run-key.ts'
import type { RuntimeTables } from '../sql/schema.ts'

/** Numbers of the journal that share an entry of the index of a run. */
const blockSize = 128
/** Entries of that index that are remembered. */
const maxRemembered = 10_000

/** Events in one statement, the most first; a rest of fewer than the last one is one statement too. */
const groupSizes = [64, 16] as const

/** The verbs of `Journal` as plans, over an index of runs that costs next to nothing to write. */
export interface SqliteJournalPlans extends JournalPlans {
  /**
   * Writes what the plans of a transaction have appended, together: each statement costs more than a row does. To be run
   * before the transaction is committed.
   */
  writeEvents(): Plan<void>
  /** To be called when a transaction was given up. */
  forget(): void
}

/**
 * An entry in an index for each event of a run would double what a step costs to write. Here the journal is cut into
 * blocks, and only the first event of a run in a block has an entry: whoever reads a run's events reads its blocks.
 */
export function createSqliteJournalPlans(db: Kysely<RuntimeTables>): SqliteJournalPlans {
  const plans = createJournalPlans(db)
  const statements = createStatements(db)
  /** By the number of events: each commit asks for one. */
  const inserts: (ReturnType<typeof compileJournalInsert> | undefined)[] = []
  /** The newest block in which a run has an entry, for those that were written last. */
  const marked = new Map<string, number>()
  /** Those of the transaction under way that are not written yet. */
  let pending: NewJournalEvent[] = []

  function* addEvents(events: readonly NewJournalEvent[]): Plan<void> {
    for (const event of events) pending.push(event)
    if (events.length > 0) yield* tell({ topic: 'journal' })
  }

  function* writeEvents(): Plan<void> {
    if (pending.length === 0) return
    const events = pending
    pending = []
    for (let start = 0; start < events.length;) {
      const left = events.length - start
      const size = groupSizes.find((most) => most <= left) ?? left
      const group = start === 0 && size === left ? events : events.slice(start, start + size)
      start += size
      const { kind, sql: text, bind } = (inserts[size] ??= compileJournalInsert(db, size, toValues))
      const [, last] = yield { kind, sql: text, parameterLists: [bind(group)], counts: true }
      yield* mark(group, Number(last) - group.length + 1)
    }
  }

  function* mark(events: readonly NewJournalEvent[], firstSeq: number): Plan<void> {
    let seq = firstSeq - 1
    for (const { runId } of events) {
      seq += 1
      if (runId === undefined) continue
      const block = Math.floor(seq / blockSize)
      if (marked.get(runId) === block) continue
      if (marked.size >= maxRemembered) marked.clear()
      marked.set(runId, block)
      yield* all(statements.mark, { seq, runKey: toRunKey(runId) })
    }
  }

  function* listOfRun(filter: JournalFilter & { readonly runId: string }): Plan<JournalEvent[]> {
    const { runId, since, limit } = filter
    const isForward = since !== undefined
    const found: JournalEvent[] = []
    const runKey = toRunKey(runId)
    // What is written between the reads is for the next one: a reader goes on behind the greatest number it gets.
    const last = yield* plans.lastEventSeq()
    let place = isForward ? since + 1 : Number.MAX_SAFE_INTEGER
    while (found.length < limit) {
      const entry = yield* first(isForward ? statements.nextEntry : statements.previousEntry, {
        runKey,
        place: isForward ? startOf(place) : place,
      })
      if (entry === undefined) break
      const start = startOf(entry.seq)
      const range = { from: Math.max(start, isForward ? place : 0), to: start + blockSize, runId }
      const events = (yield* all(statements.block, range))
        .map(toEvent)
        .filter((event) => event.seq <= last && isOfType(event, filter))
      found.push(...(isForward ? events : events.toReversed()))
      place = isForward ? start + blockSize : start
    }
    const cut = found.slice(0, limit)
    return isForward ? cut : cut.toReversed()
  }

  return {
    ...plans,
    addEvents,
    writeEvents,
    forget() {
      marked.clear()
      pending = []
    },
    *appendEvents(events) {
      yield* addEvents(events)
      yield* writeEvents() // their numbers are asked for
      return yield* plans.lastEventSeq()
    },
    *listEvents(filter) {
      const { runId } = filter
      return yield* runId === undefined ? plans.listEvents(filter) : listOfRun({ ...filter, runId })
    },
    *pruneJournal(limits) {
      yield* writeEvents()
      const more = yield* plans.pruneJournal(limits)
      // Entries may have gone with their events: also of the block that is being written, and by another process.
      marked.clear()
      yield* each(statements.mark, withoutEntry(yield* all(statements.oldest, {})))
      return more
    },
  }
}

/** Without an entry in the index of its run. */
function toValues({ type, timestamp, runId, data }: NewJournalEvent): readonly unknown[] {
  return [type, null, runId ?? null, timestamp, JSON.stringify(data)]
}

type OldEvent = Pick<JournalRow, 'seq' | 'run_id' | 'run_key'>

/** The first events of runs in blocks in which they have no entry. */
function withoutEntry(events: readonly OldEvent[]) {
  const firsts = new Map<string, { readonly seq: number; readonly runKey: number }>()
  const known = new Set<string>()
  for (const { seq, run_id: runId, run_key: runKey } of events) {
    if (runId === null) continue
    const place = `${startOf(seq)} ${runId}`
    if (runKey !== null) known.add(place)
    if (!firsts.has(place)) firsts.set(place, { seq, runKey: toRunKey(runId) })
  }
  return [...firsts].flatMap(([place, entry]) => (known.has(place) ? [] : [entry]))
}

const startOf = (seq: number) => Math.floor(seq / blockSize) * blockSize

function isOfType(event: JournalEvent, { type, types }: JournalFilter): boolean {
  return (type === undefined || event.type === type) && (types === undefined || types.includes(event.type))
}

function createStatements(db: Kysely<RuntimeTables>) {
  const one = sql.lit(1)
  type Entry = { runKey: number; place: number }
  return {
    mark: compileStatement<{ seq: number; runKey: number }, unknown>('write', ({ seq, runKey }) =>
      db.updateTable('journal').set({ run_key: runKey }).where('seq', '=', seq),
    ),
    nextEntry: compileStatement<Entry, { seq: number }>('read', ({ runKey, place }) =>
      db
        .selectFrom('journal')
        .select('seq')
        .where('run_key', '=', runKey)
        .where('seq', '>=', place)
        .orderBy('seq')
        .limit(one),
    ),
    previousEntry: compileStatement<Entry, { seq: number }>('read', ({ runKey, place }) =>
      db
        .selectFrom('journal')
        .select('seq')
        .where('run_key', '=', runKey)
        .where('seq', '<', place)
        .orderBy('seq', 'desc')
        .limit(one),
    ),
    block: compileStatement<{ from: number; to: number; runId: string }, JournalRow>(
      'read',
      ({ from, to, runId }) =>
        db
          .selectFrom('journal')
          .selectAll()
          .where('seq', '>=', from)
          .where('seq', '<', to)
          .where('run_id', '=', runId)
          .orderBy('seq'),
    ),
    /** All that a prune may have come to, and the rest of its last block. */
    oldest: compileStatement<object, OldEvent>('read', () =>
      db
        .selectFrom('journal')
        .select(['seq', 'run_id', 'run_key'])
        .where('seq', '>', sql.lit(0)) // which leads to the index
        .orderBy('seq')
        .limit(sql.lit(prunedAtOnce + blockSize)),
    ),
  }
}
