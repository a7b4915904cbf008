import { currentAct } from '../audit/acting.ts'
import { wrapMethods } from '@homeward/kit/sql'
import { createRedactors, type Redactor } from '../secrets/redact.ts'
import type { NewJournalEvent } from '../store/ports/journal.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import type { StoredTask } from '../store/ports/task-store.ts'
import type { Redaction } from '../store/verb-events.ts'
import { type RuntimeVerbs, type StoreVerb, storeVerbs } from '../store/verbs.ts'
import type { EventBus } from './runtime-events.ts'

/** What {@link createJournaledStore} is built from. */
interface JournaledStoreOptions {
  readonly store: RuntimeStore
  readonly bus: Pick<EventBus, 'emit'>
  /** Texts that must not be written into the journal. */
  readonly secrets: () => readonly string[] | Promise<readonly string[]>
}

/**
 * Puts one door before the journal (A14): whatever is written into it, with a run's step or alone, passes here. Secrets
 * are taken out before a row is written, and listeners are notified after it was. Which arguments hold events is told by
 * the table of methods.
 */
export function createJournaledStore({ store, bus, secrets }: JournaledStoreOptions): RuntimeStore {
  const redactorOf = createRedactors()
  const audited = wrapMethods<RuntimeVerbs, StoreVerb>(store, storeVerbs, async (forward, { row, args }) => {
    const act = row.auditTarget && currentAct()
    if (!row.auditTarget || !act) return forward(args)
    const given = args.slice(0, row.args - 1)
    const result = await forward([...given, { ...act.entry, target: row.auditTarget(...given) }])
    if (result !== false && result !== undefined) act.isWritten = true
    return result
  })
  const verbs = wrapMethods<RuntimeVerbs, StoreVerb>(audited, storeVerbs, async (forward, { row, args }) => {
    const { events } = row
    if (!events) return forward(args)
    const { redaction, eventOf } = createRedaction(redactorOf(await secrets()))
    const clean = events.redact(args, redaction)
    const result = await forward(clean)
    bus.emit(events.written(clean, result, eventOf))
    return result
  })
  return {
    ...verbs,
    subscribe: (listener) => store.subscribe(listener),
    isDurable: store.isDurable,
    close: () => store.close(),
  }
}

/** What is taken out for one call, and the events that its write makes of tasks. */
function createRedaction(redactor: Redactor) {
  const made = new Map<string, NewJournalEvent>()
  const redaction: Redaction = {
    text: redactor.text,
    events: (events) => redactAll(events, redactor),
    // A write may be tried again: what it made last counts.
    taskEvent: (toEvent) => (task) => {
      const event = toEvent(task)
      if (!event) return undefined
      const [clean = event] = redactAll([event], redactor)
      made.set(task.id, clean)
      return clean
    },
  }
  const eventOf = ({ id }: StoredTask) => made.get(id) ?? []
  return { redaction, eventOf }
}

/**
 * The same events without secrets, and without what looks like a key (A14); the very same list when there is nothing to take out.
 * One look for all of them: nearly every event holds neither.
 */
function redactAll(events: readonly NewJournalEvent[], redactor: Redactor): readonly NewJournalEvent[] {
  const data = events.map((event) => event.data)
  const kept = redactor.kept(data)
  return kept === data ? events : events.map((event, index) => ({ ...event, data: kept[index] ?? {} }))
}
