import type { FileReference } from '../../../ports/file.ts'
import type {
  DeliveryFailure,
  NewChannelMessage,
  StoredChannelMessage,
  StoredOutboundPart,
} from '../../ports/channel-store.ts'
import { isOpenMessage } from './channel-changes.ts'
import type { ChannelMessageChange, ChannelMessageRow, ChannelPartRow } from './channel-statements.ts'
import { fromJson } from '../json.ts'

/** A message from its row. */
export function toStoredChannelMessage(
  row: ChannelMessageRow,
  parts: readonly StoredOutboundPart[],
): StoredChannelMessage {
  const { lease_owner: owner, lease_until: until, next_at: nextAt, failure } = row
  return {
    ...fromJson<NewChannelMessage>(row.message),
    status: row.status,
    parts,
    tries: row.tries,
    ...(nextAt !== null && { nextAt }),
    ...(failure !== null && { failure: fromJson<DeliveryFailure>(failure) }),
    ...(owner !== null && until !== null && { lease: { owner, until } }),
    updatedAt: row.updated_at,
  }
}

/** What changed of a message, for its row. */
export function toChannelRowChange(seq: number, message: StoredChannelMessage): ChannelMessageChange {
  return {
    seq,
    status: message.status,
    open: isOpenMessage(message) ? 1 : 0,
    tries: message.tries,
    next_at: message.nextAt ?? null,
    lease_owner: message.lease?.owner ?? null,
    lease_until: message.lease?.until ?? null,
    updated_at: message.updatedAt,
    failure: message.failure === undefined ? null : JSON.stringify(message.failure),
  }
}

/** A part from its row. */
export function toOutPart(row: ChannelPartRow): StoredOutboundPart {
  return {
    text: row.text,
    plain: row.plain,
    state: row.state,
    isPlain: row.is_plain === 1,
    ...(row.platform_id !== null && { platformId: row.platform_id }),
    ...(row.file !== null && { file: fromJson<FileReference>(row.file) }),
  }
}

/** The row of a part. */
export function toPartRow(seq: number, number: number, part: StoredOutboundPart): ChannelPartRow {
  return {
    message_seq: seq,
    number,
    state: part.state,
    is_plain: part.isPlain ? 1 : 0,
    platform_id: part.platformId ?? null,
    text: part.text,
    plain: part.plain,
    file: part.file === undefined ? null : JSON.stringify(part.file),
  }
}
