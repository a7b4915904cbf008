import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { all, buildOnce, compileStatement, each, first } from '@homeward/kit/sql'
import type { NewJournalEvent } from '../ports/journal.ts'
import { type JournalRow, prunedAtOnce } from '../sql/journal/journal-plans.ts'
import type { Plan } from '../sql/plan.ts'
import type { JournalTable, RuntimeTables } from '../sql/schema.ts'

/** Numbers of the journal that share an entry. */
const blockSize = 128
/** Entries that are remembered. */
const maxRemembered = 10_000

interface IndexedTables extends RuntimeTables {
  /** `opens_block` is 1 if the event is the first of its run in a block. */
  journal: JournalTable & { opens_block: number | null }
}

/** Where the events of a run are. */
interface RunIndex {
  /** Enters events that were written. @param firstSeq the number of the first one */
  add(events: readonly NewJournalEvent[], firstSeq: number): Plan<void>
  /** Reads the events of a run, block by block, from a number on or backwards from the newest; `more` says whether to go on. */
  read(runId: string, since: number | undefined, more: (rows: readonly JournalRow[]) => boolean): Plan<void>
  /** Enters what has lost its entry, after events were removed from the oldest on. */
  mend(): Plan<void>
  /** To be called when a transaction was given up. */
  forget(): void
}

/**
 * An entry in an index for each event of a run would double what a step costs to write. So the journal is cut into
 * blocks, and only the first event of a run in a block has an entry: whoever reads a run's events reads its blocks.
 */
export function createRunIndex(db: Kysely<RuntimeTables>): RunIndex {
  const statements = buildOnce(db, createStatements)
  /** The newest block in which a run has an entry, for those that were written last. */
  const entered = new Map<string, number>()

  return {
    *add(events, firstSeq) {
      let seq = firstSeq - 1
      for (const { runId } of events) {
        seq += 1
        if (runId === undefined) continue
        const block = Math.floor(seq / blockSize)
        if (entered.get(runId) === block) continue
        if (entered.size >= maxRemembered) entered.clear()
        entered.set(runId, block)
        yield* all(statements.enter, { seq })
      }
    },

    *read(runId, since, more) {
      const isForward = since !== undefined
      let place = isForward ? since + 1 : Number.MAX_SAFE_INTEGER
      for (;;) {
        const entry = yield* first(isForward ? statements.next : statements.previous, {
          runId,
          place: isForward ? startOf(place) : place,
        })
        if (entry === undefined) return
        const start = startOf(entry.seq)
        const range = { from: Math.max(start, isForward ? place : 0), to: start + blockSize, runId }
        if (!more(yield* all(statements.block, range))) return
        place = isForward ? start + blockSize : start
      }
    },

    *mend() {
      // Entries may have gone with their events: also of the block that is being written, and by another process.
      entered.clear()
      yield* each(statements.enter, withoutEntry(yield* all(statements.oldest, {})))
    },

    forget: () => entered.clear(),
  }
}

interface OldEvent {
  readonly seq: number
  readonly run_id: string | null
  readonly opens_block: number | null
}

/** The first events of runs in blocks in which they have no entry. */
function withoutEntry(events: readonly OldEvent[]): readonly { readonly seq: number }[] {
  const firsts = new Map<string, { readonly seq: number }>()
  const known = new Set<string>()
  for (const { seq, run_id: runId, opens_block: isEntered } of events) {
    if (runId === null) continue
    const place = `${startOf(seq)} ${runId}`
    if (isEntered !== null) known.add(place)
    if (!firsts.has(place)) firsts.set(place, { seq })
  }
  return [...firsts].flatMap(([place, entry]) => (known.has(place) ? [] : [entry]))
}

const startOf = (seq: number) => Math.floor(seq / blockSize) * blockSize

function createStatements(tables: Kysely<RuntimeTables>) {
  const db = tables.withTables<Pick<IndexedTables, 'journal'>>()
  const one = sql.lit(1)
  type Entry = { runId: string; place: number }
  const entries = ({ runId }: Entry) =>
    db
      .selectFrom('journal')
      .select('seq')
      .where('run_id', '=', runId)
      .where('opens_block', '=', one)
      .limit(one)
  return {
    enter: compileStatement<{ seq: number }, unknown>('write', ({ seq }) =>
      db.updateTable('journal').set({ opens_block: 1 }).where('seq', '=', seq),
    ),
    next: compileStatement<Entry, { seq: number }>('read', (entry) =>
      entries(entry).where('seq', '>=', entry.place).orderBy('seq'),
    ),
    previous: compileStatement<Entry, { seq: number }>('read', (entry) =>
      entries(entry).where('seq', '<', entry.place).orderBy('seq', 'desc'),
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
        .select(['seq', 'run_id', 'opens_block'])
        .where('seq', '>', sql.lit(0)) // which leads to the index
        .orderBy('seq')
        .limit(sql.lit(prunedAtOnce + blockSize)),
    ),
  }
}
