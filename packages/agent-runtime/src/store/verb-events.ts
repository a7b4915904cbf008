import type { AcceptanceBatch, AcceptanceOutcome } from './ports/channel-acceptance.ts'
import type { DeliveryWrite } from './ports/channel-store.ts'
import type { NewJournalEvent } from './ports/journal.ts'
import type { OccurrenceOutcome, Occurrence } from './ports/schedule-store.ts'
import type { StoredTask, ToTaskEvent } from './ports/task-store.ts'

/** Takes secrets out of what a method writes. */
export interface Redaction {
  /** The same list if there is nothing to take out. */
  events(events: readonly NewJournalEvent[]): readonly NewJournalEvent[]
  /** An event that the store makes of a task, in the middle of a write. */
  taskEvent(toEvent: ToTaskEvent): ToTaskEvent
  text(text: string): string
}

/** Gives the event that a write made of a task, if it made one. */
type TaskEventOf = (task: StoredTask) => NewJournalEvent | readonly NewJournalEvent[]

/** Where the arguments of a method hold events of the journal, and which of them were written. */
export interface VerbEvents<Args, Result> {
  /** The arguments without secrets. */
  redact(args: Args, redaction: Redaction): Args
  /** @param args as the store got them */
  written(args: Args, result: Result, eventOf: TaskEventOf): readonly NewJournalEvent[]
}

interface Journaled {
  readonly journal: readonly NewJournalEvent[]
}

/** Events in the field `journal` of the first argument. */
export function inField<Write extends Journaled, Others extends readonly unknown[], Result>(
  isWritten: (result: Result) => boolean,
): VerbEvents<[write: Write, ...others: Others], Result> {
  return {
    redact: ([write, ...others], redaction) => [withJournal(write, redaction), ...others],
    written: ([{ journal }], result) => (isWritten(result) ? journal : []),
  }
}

/** An event that the store makes of each task that it changes, by the field `toEvent` of the only argument. */
export function ofTasks<Write extends { readonly toEvent?: ToTaskEvent }, Result>(
  tasksOf: (result: Result) => readonly StoredTask[],
): VerbEvents<[write: Write], Result> {
  return {
    redact: ([write], { taskEvent }) => [
      write.toEvent ? { ...write, toEvent: taskEvent(write.toEvent) } : write,
    ],
    written: (_, result, eventOf) => tasksOf(result).flatMap(eventOf),
  }
}

type TaskChange = [id: string, now: string, toEvent: ToTaskEvent | undefined]

/** The same for an argument `toEvent`. */
export function ofTask<Result>(
  tasksOf: (result: Result) => readonly StoredTask[],
): VerbEvents<TaskChange, Result> {
  return {
    redact: ([id, now, toEvent], { taskEvent }) => [id, now, toEvent && taskEvent(toEvent)],
    written: (_, result, eventOf) => tasksOf(result).flatMap(eventOf),
  }
}

/** Events of fires: those of a fire, or those of one that was skipped. */
export const ofFires: VerbEvents<[fires: readonly Occurrence[]], readonly OccurrenceOutcome[]> = {
  redact: ([fires], { events }) => [
    fires.map((fire) => ({ ...fire, journal: events(fire.journal), onSkip: events(fire.onSkip) })),
  ],
  written: ([fires], outcomes) =>
    fires.flatMap(({ journal, onSkip }, index) => {
      const outcome = outcomes[index]
      if (outcome === 'skipped') return onSkip
      return outcome === 'fired' || outcome === 'noted' ? journal : []
    }),
}

/** Events of messages that were accepted, and of tasks that a message has cancelled. */
export const ofAcceptances: VerbEvents<
  [batch: AcceptanceBatch],
  readonly AcceptanceOutcome[] | 'changed' | undefined
> = {
  redact: ([batch], redaction) => [
    {
      ...batch,
      acceptances: batch.acceptances.map((one) => {
        const { cancels, ...cleaned } = withJournal(one, redaction)
        if (cancels?.toEvent === undefined) return cancels ? { ...cleaned, cancels } : cleaned
        return { ...cleaned, cancels: { ...cancels, toEvent: redaction.taskEvent(cancels.toEvent) } }
      }),
    },
  ],
  written: ([{ acceptances }], outcomes, eventOf) => {
    if (outcomes === undefined || outcomes === 'changed') return []
    return acceptances.flatMap(({ journal }, index) => {
      const outcome = outcomes[index]
      if (outcome?.kind !== 'kept') return []
      const { cancellation } = outcome
      return cancellation?.outcome === 'cancelled' ? [eventOf(cancellation.task), ...journal].flat() : journal
    })
  },
}

/** Events of a delivery, and its failure: people see what a platform said. */
export const ofDelivery: VerbEvents<[write: DeliveryWrite], boolean> = {
  redact: ([write], redaction) => {
    const cleaned = withJournal(write, redaction)
    const { outcome } = write
    if (outcome?.kind !== 'ended' || outcome.failure === undefined) return [cleaned]
    const failure = { ...outcome.failure, message: redaction.text(outcome.failure.message) }
    return [{ ...cleaned, outcome: { ...outcome, failure } }]
  },
  written: ([{ journal }], saved) => (saved ? journal : []),
}

function withJournal<Write extends Journaled>(write: Write, { events }: Redaction): Write {
  const journal = events(write.journal)
  return journal === write.journal ? write : { ...write, journal }
}
