import type { NewJournalEvent } from '../ports/journal.ts'
import type { RuntimeStore } from '../ports/runtime-store.ts'
import { createRedactors } from '../runs/redact.ts'
import { redactEvent } from './redact-event.ts'
import type { EventBus } from './runtime-events.ts'

/** What {@link createJournaledStore} is built from. */
export interface JournaledStoreOptions {
  readonly store: RuntimeStore
  readonly bus: Pick<EventBus, 'emit'>
  /** Texts that must not be written into the journal. */
  readonly secrets: () => Promise<readonly string[]>
}

/**
 * Puts one door before the journal (A14): whatever is written into it, with a run's step or alone, passes here. Secrets
 * are taken out before a row is written, and listeners are told once it is.
 */
export function createJournaledStore({ store, bus, secrets }: JournaledStoreOptions): RuntimeStore {
  const redactorOf = createRedactors()

  async function clean(events: readonly NewJournalEvent[]): Promise<readonly NewJournalEvent[]> {
    if (events.length === 0) return events
    const redactor = redactorOf(await secrets())
    return events.map((event) => redactEvent(event, redactor))
  }

  return {
    ...verbsOf(store),
    async insertRun(run, events, signal) {
      const journal = await clean(events)
      const inserted = await store.insertRun(run, journal, signal)
      if (inserted.created) bus.emit(journal)
      return inserted
    },
    async saveRunStep(step, signal) {
      const journal = await clean(step.journal)
      const saved = await store.saveRunStep({ ...step, journal }, signal)
      if (saved) bus.emit(journal)
      return saved
    },
    async finishRun(finish, signal) {
      const journal = await clean(finish.journal)
      const finished = await store.finishRun({ ...finish, journal }, signal)
      if (finished) bus.emit(journal)
      return finished
    },
    async decideApproval(verdict, signal) {
      const journal = await clean(verdict.journal)
      const decided = await store.decideApproval({ ...verdict, journal }, signal)
      if (decided.outcome === 'decided') bus.emit(journal)
      return decided
    },
    async appendEvents(events, signal) {
      const journal = await clean(events)
      const seq = await store.appendEvents(journal, signal)
      bus.emit(journal)
      return seq
    },
  }
}

const verbs: Readonly<Record<keyof RuntimeStore, true>> = {
  insertAgent: true,
  replaceAgent: true,
  deleteAgent: true,
  findAgent: true,
  listAgents: true,
  appendMessages: true,
  findConversation: true,
  listConversations: true,
  listMessages: true,
  setConversationTitle: true,
  saveSummary: true,
  deleteConversation: true,
  writeMemory: true,
  searchMemories: true,
  deleteMemory: true,
  insertRun: true,
  saveRunStep: true,
  finishRun: true,
  decideApproval: true,
  resumeRun: true,
  findRun: true,
  listRuns: true,
  listApprovals: true,
  listRunMessages: true,
  listRunEvents: true,
  appendEvents: true,
  listEvents: true,
  close: true,
}

/** A host's store may be an instance of a class, whose methods a spread does not see. */
function verbsOf(store: RuntimeStore): RuntimeStore {
  const methods = (Object.keys(verbs) as (keyof RuntimeStore)[]).map((verb) => {
    return [verb, store[verb].bind(store)] as const
  })
  return Object.fromEntries(methods) as unknown as RuntimeStore // every verb, bound
}
