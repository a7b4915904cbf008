import type { NewJournalEvent } from '../store/ports/journal.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import type { Redactor } from '../secrets/redact.ts'

/** What the verbs of channels need of the door before the journal. */
export interface ChannelDoor {
  emit(events: readonly NewJournalEvent[]): void
  clean(events: readonly NewJournalEvent[]): Promise<readonly NewJournalEvent[]>
  redactor(): Promise<Redactor>
}

/** The verbs of channels that write into the journal, behind the door. */
export function journaledChannels(
  store: RuntimeStore,
  { clean, emit, redactor }: ChannelDoor,
): Pick<RuntimeStore, 'acceptMessages' | 'saveDelivery'> {
  return {
    async acceptMessages(batch, signal) {
      const acceptances = await Promise.all(
        batch.acceptances.map(async (one) => ({ ...one, journal: await clean(one.journal) })),
      )
      const accepted = await store.acceptMessages({ ...batch, acceptances }, signal)
      acceptances.forEach(({ journal }, index) => {
        if (accepted?.[index]) emit(journal)
      })
      return accepted
    },
    async saveDelivery({ outcome, ...write }, signal) {
      const journal = await clean(write.journal)
      const { text } = await redactor()
      // what a platform said is shown to people
      const isFailure = outcome?.kind === 'ended' && outcome.failure !== undefined
      const shown = isFailure
        ? { ...outcome, failure: { ...outcome.failure, message: text(outcome.failure.message) } }
        : outcome
      const saved = await store.saveDelivery({ ...write, journal, ...(shown && { outcome: shown }) }, signal)
      if (saved) emit(journal)
      return saved
    },
  }
}
