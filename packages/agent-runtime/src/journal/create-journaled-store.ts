import type { NewJournalEvent } from '../store/ports/journal.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import type { ScheduleFire } from '../store/ports/schedule-store.ts'
import type { StoredTask, ToTaskEvent } from '../store/ports/task-store.ts'
import { createRedactors, type Redactor } from '../secrets/redact.ts'
import type { ChannelDoor } from './journaled-channels.ts'
import { journaledChannels } from './journaled-channels.ts'
import { redactEvent } from './redact-event.ts'
import type { EventBus } from './runtime-events.ts'
import { verbsOf } from './verbs-of.ts'

/** What {@link createJournaledStore} is built from. */
export interface JournaledStoreOptions {
  readonly store: RuntimeStore
  readonly bus: Pick<EventBus, 'emit'>
  /** Texts that must not be written into the journal. */
  readonly secrets: () => readonly string[] | Promise<readonly string[]>
}

/** A store whose journal is free of secrets. */
export interface JournaledStore extends RuntimeStore {
  /** Takes secrets out of fires ahead: what comes back need not be looked at again while the secrets stay the same. */
  cleanFires(fires: readonly ScheduleFire[]): Promise<readonly ScheduleFire[]>
}

/** Takes secrets out of events, and tells listeners of those that were written. */
interface Door extends ChannelDoor {
  /** The same for fires. */
  cleanFires(fires: readonly ScheduleFire[]): Promise<readonly ScheduleFire[]>
  /** The same for an event that the store makes of a task, in the midst of a write. */
  forTasks(toEvent: ToTaskEvent | undefined): Promise<TaskEvents>
}

interface TaskEvents {
  /** Goes to the store. */
  readonly toEvent: ToTaskEvent | undefined
  /** Tells of the tasks that a write has changed. */
  emit(tasks: readonly StoredTask[]): void
}

/**
 * Puts one door before the journal (A14): whatever is written into it, with a run's step or alone, passes here. Secrets
 * are taken out before a row is written, and listeners are told once it is.
 */
export function createJournaledStore({ store, bus, secrets }: JournaledStoreOptions): JournaledStore {
  const door = createDoor(bus, secrets)
  return {
    ...verbsOf(store),
    ...runVerbs(store, door),
    ...taskVerbs(store, door),
    ...journaledChannels(store, door),
    cleanFires: door.cleanFires,
    async fireSchedules(fires, signal) {
      const cleaned = await door.cleanFires(fires)
      const outcomes = await store.fireSchedules(cleaned, signal)
      for (const [index, { journal, onSkip }] of cleaned.entries()) {
        const outcome = outcomes[index]
        if (outcome === 'fired' || outcome === 'noted') door.emit(journal)
        if (outcome === 'skipped') door.emit(onSkip)
      }
      return outcomes
    },
    async appendEvents(events, signal) {
      const journal = await door.clean(events)
      const seq = await store.appendEvents(journal, signal)
      door.emit(journal)
      return seq
    },
  }
}

function createDoor(bus: Pick<EventBus, 'emit'>, secrets: JournaledStoreOptions['secrets']): Door {
  const redactorOf = createRedactors()
  const cleanedBy = new WeakMap<ScheduleFire, Redactor>()
  return {
    emit: (events) => bus.emit(events),
    redactor: async () => redactorOf(await secrets()),
    async clean(events) {
      return events.length === 0 ? events : cleanAll(events, redactorOf(await secrets()))
    },
    async cleanFires(fires) {
      const redactor = redactorOf(await secrets())
      const clean = (events: readonly NewJournalEvent[]) =>
        events.map((event) => redactEvent(event, redactor))
      return fires.map((fire) => {
        if (cleanedBy.get(fire) === redactor) return fire
        const cleaned = { ...fire, journal: clean(fire.journal), onSkip: clean(fire.onSkip) }
        cleanedBy.set(cleaned, redactor)
        return cleaned
      })
    },
    async forTasks(toEvent) {
      const made = new Map<string, NewJournalEvent>()
      const emit: TaskEvents['emit'] = (tasks) => {
        bus.emit(tasks.flatMap(({ id }) => made.get(id) ?? []))
      }
      if (!toEvent) return { toEvent, emit }
      const redactor = redactorOf(await secrets())
      // A write may be tried again: what it made last counts.
      const toClean: ToTaskEvent = (task) => {
        const event = toEvent(task)
        if (!event) return undefined
        const clean = redactEvent(event, redactor)
        made.set(task.id, clean)
        return clean
      }
      return { toEvent: toClean, emit }
    },
  }
}

/** The very same list when there is nothing to take out. */
function cleanAll(events: readonly NewJournalEvent[], redactor: Redactor): readonly NewJournalEvent[] {
  for (const event of events) {
    if (redactEvent(event, redactor) !== event) return events.map((each) => redactEvent(each, redactor))
  }
  return events
}

type RunVerbs = Pick<RuntimeStore, 'insertRun' | 'saveRunStep' | 'finishRun' | 'decideApproval'>

function runVerbs(store: RuntimeStore, { clean, emit }: Door): RunVerbs {
  return {
    async insertRun(run, lease, events, signal) {
      const journal = await clean(events)
      const inserted = await store.insertRun(run, lease, journal, signal)
      if (inserted.created) emit(journal)
      return inserted
    },
    async saveRunStep(step, signal) {
      const journal = await clean(step.journal)
      const saved = await store.saveRunStep({ ...step, journal }, signal)
      if (saved) emit(journal)
      return saved
    },
    async finishRun(finish, signal) {
      const journal = await clean(finish.journal)
      const finished = await store.finishRun({ ...finish, journal }, signal)
      if (finished) emit(journal)
      return finished
    },
    async decideApproval(verdict, signal) {
      const journal = await clean(verdict.journal)
      const decided = await store.decideApproval({ ...verdict, journal }, signal)
      if (decided.outcome === 'decided') emit(journal)
      return decided
    },
  }
}

type TaskVerbs = Pick<
  RuntimeStore,
  'insertTask' | 'claimTasks' | 'settleTask' | 'reclaimTasks' | 'cancelTask' | 'retryTask'
>

function taskVerbs(store: RuntimeStore, door: Door): TaskVerbs {
  return {
    async insertTask(task, events, signal) {
      const journal = await door.clean(events)
      const inserted = await store.insertTask(task, journal, signal)
      if (inserted.created) door.emit(journal)
      return inserted
    },
    async claimTasks(claim, signal) {
      const { emit, ...events } = await door.forTasks(claim.toEvent)
      const tasks = await store.claimTasks(withEvents(claim, events), signal)
      emit(tasks)
      return tasks
    },
    async settleTask(settlement, signal) {
      const { emit, ...events } = await door.forTasks(settlement.toEvent)
      const task = await store.settleTask(withEvents(settlement, events), signal)
      if (task) emit([task])
      return task
    },
    async reclaimTasks(reclaim, signal) {
      const { emit, ...events } = await door.forTasks(reclaim.toEvent)
      const tasks = await store.reclaimTasks(withEvents(reclaim, events), signal)
      emit(tasks)
      return tasks
    },
    async cancelTask(id, now, given, signal) {
      const { emit, toEvent } = await door.forTasks(given)
      const cancelled = await store.cancelTask(id, now, toEvent, signal)
      if (cancelled.outcome === 'cancelled') emit([cancelled.task])
      return cancelled
    },
    async retryTask(id, now, given, signal) {
      const { emit, toEvent } = await door.forTasks(given)
      const task = await store.retryTask(id, now, toEvent, signal)
      if (task) emit([task])
      return task
    },
  }
}

function withEvents<Given extends { readonly toEvent?: ToTaskEvent }>(
  given: Given,
  { toEvent }: { readonly toEvent: ToTaskEvent | undefined },
): Given {
  return toEvent ? { ...given, toEvent } : given
}
