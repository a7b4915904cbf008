import type {
  Delivery,
  DeliveryWrite,
  NewOutPart,
  PartUpdate,
  StoredOutboundPart,
} from '../../store/ports/channel-store.ts'
import type { NewJournalEvent } from '../../store/ports/journal.ts'
import type { Logger } from '../../ports/logger.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import { toFailedEvent, toReplyEvent } from '../channel-events.ts'
import { whileStoreFails } from '../../concurrency/while-store-fails.ts'

/** What delivering needs. */
export interface DeliverContext {
  readonly store: Pick<RuntimeStore, 'findFile' | 'saveDelivery' | 'findChannelMessage'>
  readonly owner: string
  readonly logger: Logger
  readonly now: () => number
  readonly random: () => number
  /** Longest that one send may take, in milliseconds. */
  readonly maxSendMs: number
}

/** Why a delivery is given up: somebody else has it, or the process stops. */
export class DeliveryStopped extends Error {
  override readonly name = 'DeliveryStopped'
  readonly why: 'lost' | 'closed'

  constructor(why: 'lost' | 'closed') {
    super(why === 'lost' ? 'Another process delivers this answer now.' : 'The process is stopping.')
    this.why = why
  }
}

/** A delivery as it was written last. */
export interface DeliveryProgress {
  readonly parts: readonly StoredOutboundPart[]
  /** Keeps the answer. @throws {DeliveryStopped} like the others, when somebody else has the delivery. */
  begin(
    outbox: readonly NewOutPart[],
    changes: readonly PartUpdate[],
    said?: DeliveryWrite['said'],
  ): Promise<void>
  save(changes: readonly PartUpdate[], outcome?: DeliveryWrite['outcome']): Promise<void>
}

/** Follows what is written about a delivery. */
export function createDeliveryProgress(
  context: DeliverContext,
  { message, task }: Delivery,
): DeliveryProgress {
  const { store, owner, now } = context
  let parts = message.parts

  function eventsOf(
    after: readonly StoredOutboundPart[],
    outcome: DeliveryWrite['outcome'],
  ): readonly NewJournalEvent[] {
    if (outcome?.kind !== 'ended') return []
    const told = { timestamp: new Date(now()).toISOString(), runId: task?.runId }
    const kept = { ...message, parts: after }
    if (outcome.status !== 'delivered') {
      return [toFailedEvent(kept, outcome.status, outcome.failure ?? { code: 'failed', message: '' }, told)]
    }
    return [
      toReplyEvent(
        kept,
        after.flatMap(({ platformId }) => platformId ?? []),
        told,
      ),
    ]
  }

  async function write(
    before: readonly StoredOutboundPart[],
    changes: readonly PartUpdate[],
    particulars: Pick<DeliveryWrite, 'outbox' | 'said' | 'outcome'>,
  ): Promise<void> {
    const after = before.map((part, at) => {
      const changed = changes.find(({ index }) => index === at)
      if (!changed) return part
      const { index: _, ...rest } = changed
      return { ...part, ...rest }
    })
    const change: DeliveryWrite = {
      id: message.id,
      owner,
      now: new Date(now()).toISOString(),
      parts: changes,
      ...particulars,
      journal: eventsOf(after, particulars.outcome),
    }
    // what is known of a send must not be lost
    const saved = await whileStoreFails(context, () => store.saveDelivery(change))
    if (!saved) throw new DeliveryStopped('lost')
    parts = after
  }

  return {
    get parts() {
      return parts
    },
    begin: (outbox, changes, said) =>
      write(
        outbox.map((part) => ({ ...part, state: 'pending', isPlain: false })),
        changes,
        { outbox, ...(said && { said }) },
      ),
    save: (changes, outcome) => write(parts, changes, outcome ? { outcome } : {}),
  }
}
