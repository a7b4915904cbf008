import type { ChannelPeer, StoredSender } from '../../ports/channel-sender.ts'
import type { SenderRow } from './sender-statements.ts'

/** A sender from its row. */
export function toStoredSender(row: SenderRow): StoredSender {
  const { kind, name, code, code_until: codeUntil } = row
  return {
    channel: row.channel,
    id: row.id,
    ...(kind !== null && { kind }),
    ...(name !== null && { name }),
    status: row.status,
    ...(code !== null && codeUntil !== null && { code, codeUntil }),
    firstSeenAt: row.first_seen_at,
    lastSeenAt: row.last_seen_at,
  }
}

/** The row of a sender that has just asked to be let in. */
export function toPendingRow(
  { channel, id, kind, name }: ChannelPeer,
  pairing: { readonly code: string; readonly until: string } | undefined,
  now: string,
): SenderRow {
  return {
    channel,
    id,
    kind,
    name: name ?? null,
    status: 'pending',
    code: pairing?.code ?? null,
    code_until: pairing?.until ?? null,
    first_seen_at: now,
    last_seen_at: now,
  }
}
