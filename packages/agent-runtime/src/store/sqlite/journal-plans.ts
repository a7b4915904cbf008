import type { JournalEvent } from '@homeward/contract/agent-platform'
import type { Kysely } from 'kysely'
import { emit } from '@homeward/kit/sql'
import type { JournalFilter, NewJournalEvent } from '../ports/journal.ts'
import {
  compileJournalInsert,
  createJournalPlans,
  type JournalPlans,
  toEvent,
} from '../sql/journal/journal-plans.ts'
import type { Plan } from '../sql/plan.ts'
import type { RuntimeTables } from '../sql/schema.ts'
import { createRunIndex } from './run-index.ts'

/** Events in one statement, the most first; a rest of fewer than the last one is one statement too. */
const groupSizes = [64, 16] as const

/** The verbs of `Journal` as plans, over an index of runs that costs next to nothing to write. */
interface SqliteJournalPlans extends JournalPlans {
  /**
   * Writes what the plans of a transaction have appended, together: each statement costs more than a row does. To be run
   * before the transaction is committed.
   */
  writeEvents(): Plan<void>
  /** To be called when a transaction was given up. */
  forget(): void
}

/** See {@link SqliteJournalPlans}. */
export function createSqliteJournalPlans(db: Kysely<RuntimeTables>): SqliteJournalPlans {
  const plans = createJournalPlans(db)
  const runs = createRunIndex(db)
  /** By the number of events: each commit asks for one. */
  const inserts: (ReturnType<typeof compileJournalInsert> | undefined)[] = []
  /** Those of the transaction under way that are not written yet. */
  let pending: NewJournalEvent[] = []

  function* addEvents(events: readonly NewJournalEvent[]): Plan<void> {
    for (const event of events) pending.push(event)
    if (events.length > 0) yield* emit({ topic: 'journal' })
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
      const { kind, sql: text, bind } = (inserts[size] ??= compileJournalInsert(db, size))
      const [, last] = yield { kind, sql: text, parameterLists: [bind(group)], counts: true }
      yield* runs.add(group, Number(last) - group.length + 1)
    }
  }

  function* listOfRun(filter: JournalFilter & { readonly runId: string }): Plan<JournalEvent[]> {
    const { runId, since, limit } = filter
    const found: JournalEvent[] = []
    // What is written between the reads is for the next one: a reader goes on behind the greatest number it gets.
    const last = yield* plans.lastEventSeq()
    if (limit <= 0) return []
    yield* runs.read(runId, since, (rows) => {
      const events = rows.map(toEvent).filter((event) => event.seq <= last && isOfType(event, filter))
      found.push(...(since === undefined ? events.toReversed() : events))
      return found.length < limit
    })
    const cut = found.slice(0, limit)
    return since === undefined ? cut.toReversed() : cut
  }

  return {
    ...plans,
    addEvents,
    writeEvents,
    forget() {
      runs.forget()
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
      yield* runs.mend()
      return more
    },
  }
}

function isOfType(event: JournalEvent, { type, types }: JournalFilter): boolean {
  return (type === undefined || event.type === type) && (types === undefined || types.includes(event.type))
}
