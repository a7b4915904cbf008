import type {
  ChannelDecision,
  DeliveryWrite,
  NewChannelMessage,
  StoredChannelMessage,
  StoredOutboundPart,
} from '../../ports/channel-store.ts'
import type { Lease } from '../../ports/lease.ts'

// What becomes of a message, for every store alike: what is given is never changed.

/** A message that has just come in. */
export function toNewChannelMessage(message: NewChannelMessage): StoredChannelMessage {
  return { ...message, status: 'waiting', parts: [], tries: 0, updatedAt: message.receivedAt }
}

/** A message whose answer somebody delivers. */
export function toClaimed(message: StoredChannelMessage, lease: Lease, now: string): StoredChannelMessage {
  const { nextAt: _, ...rest } = message
  return { ...rest, status: 'delivering', lease, updatedAt: now }
}

/** A message behind a write of who delivers it. */
export function toWritten(message: StoredChannelMessage, write: DeliveryWrite): StoredChannelMessage {
  const { outbox = [], parts: changes = [], outcome, now } = write
  const kept =
    message.parts.length > 0
      ? message.parts
      : outbox.map((part): StoredOutboundPart => ({ ...part, state: 'pending', isPlain: false }))
  const parts = changes.reduce<readonly StoredOutboundPart[]>(
    (all, { index, ...changed }) => all.map((part, at) => (at === index ? { ...part, ...changed } : part)),
    kept,
  )
  const written = { ...message, parts, updatedAt: now }
  if (outcome === undefined) {
    const isSent = changes.some(({ state }) => state === 'sent')
    return isSent ? { ...written, tries: 0 } : written
  }
  const { lease: _, ...free } = written
  if (outcome.kind === 'later') return { ...free, tries: outcome.tries, nextAt: outcome.at }
  return { ...free, status: outcome.status, tries: 0, ...(outcome.failure && { failure: outcome.failure }) }
}

/** A message that a person has decided about; undefined when there is nothing to decide. */
export function toResolved(
  message: StoredChannelMessage,
  { decision, now }: ChannelDecision,
): StoredChannelMessage | undefined {
  if (message.status !== 'failed' && message.status !== 'uncertain') return undefined
  if (decision === 'discard') return { ...message, status: 'discarded', updatedAt: now }
  const { failure: _, nextAt: __, ...rest } = message
  const parts = message.parts.map((part) =>
    part.state === 'sending' ? { ...part, state: 'pending' as const } : part,
  )
  return { ...rest, status: 'delivering', parts, tries: 0, updatedAt: now }
}

/** Whether its answer is waited for or on its way. */
export function isOpenMessage({ status }: Pick<StoredChannelMessage, 'status'>): boolean {
  return status === 'waiting' || status === 'delivering'
}
