import type { InboundMessage } from '../../ports/channel.ts'
import type { ChannelPeer, StoredSender } from '../../store/ports/channel-sender.ts'
import { toShortId } from '../short-id.ts'
import type { AccessPolicy } from './access-policy.ts'

/** Whether a message reaches the agent. */
export type Judgement =
  /** `isTrusted`: the operator has allowed the person, not only the group or everybody. */
  | { readonly kind: 'admitted'; readonly isTrusted: boolean }
  | { readonly kind: 'refused' }
  /** Nobody has decided about this person or group yet. */
  | { readonly kind: 'unknown'; readonly peer: ChannelPeer; readonly getsCode: boolean }

/** The person who wrote a message, and the group in which it was written. */
export interface MessagePeers {
  readonly person: ChannelPeer
  readonly group?: ChannelPeer
}

/** Names the senders of a message as they are stored. */
export function toPeers(
  channel: string,
  { sender, group }: Pick<InboundMessage, 'sender' | 'group'>,
): MessagePeers {
  const toPeer = (kind: ChannelPeer['kind'], { id, name }: InboundMessage['sender']): ChannelPeer => ({
    channel,
    id: toShortId(id),
    kind,
    ...(name && { name: name.slice(0, 200).toWellFormed() }),
  })
  return { person: toPeer('person', sender), ...(group && { group: toPeer('group', group) }) }
}

/**
 * Decides about a message. Blocked senders are refused in every mode. In a group the group decides, not the person.
 *
 * @param stored the senders of the message that are stored
 */
export function judgeSender(
  { person, group }: MessagePeers,
  stored: readonly StoredSender[],
  policy: AccessPolicy,
): Judgement {
  const isBlocked = stored.some(({ status }) => status === 'blocked')
  if (isBlocked || (group && policy.groupAccess === 'off')) return { kind: 'refused' }
  // who writes in the name of a group has its id: what was decided about that id is about the group
  const isGroupItself = group?.id === person.id && stored.every(({ kind }) => kind === undefined)
  const isTrusted = !isGroupItself && isAllowed(person, stored, policy.allowedSenders)
  if (group) {
    if (policy.groupAccess === 'open' || isAllowed(group, stored, policy.allowedGroups)) {
      return { kind: 'admitted', isTrusted }
    }
    return { kind: 'unknown', peer: group, getsCode: false }
  }
  if (isTrusted || policy.access === 'open') return { kind: 'admitted', isTrusted }
  return { kind: 'unknown', peer: person, getsCode: policy.access === 'pairing' }
}

/** Whether the operator has allowed a person or a group, and nobody has blocked it: such a one may get messages. */
export function isAllowedPeer(
  peer: Pick<ChannelPeer, 'id' | 'kind'>,
  stored: readonly StoredSender[],
  policy: AccessPolicy,
): boolean {
  const list = peer.kind === 'group' ? policy.allowedGroups : policy.allowedSenders
  return !stored.some(({ status }) => status === 'blocked') && isAllowed(peer, stored, list)
}

/** A person with the id of a group is not that group: a bridge may number both. */
function isAllowed(
  peer: Pick<ChannelPeer, 'id' | 'kind'>,
  stored: readonly StoredSender[],
  list: ReadonlySet<string>,
): boolean {
  const isStored = stored.some(
    ({ id, kind = peer.kind, status }) => id === peer.id && kind === peer.kind && status === 'allowed',
  )
  return isStored || list.has(peer.id)
}
