import type { Settings } from '@homeward/contract/agent-platform'
import type { Channel } from '../../ports/channel.ts'
import type { ChannelStore } from '../../store/ports/channel-store.ts'
import { toAccessPolicy } from './access-policy.ts'
import { judgeSender, toPeers } from './judge-sender.ts'

/** What {@link isAllowedSender} reads. */
interface AllowedSenderContext {
  readonly store: Pick<ChannelStore, 'findChannelSenders'>
  readonly settings: { read(): Promise<Settings> }
}

/**
 * Whether the operator has allowed this person, by pairing, by a decision or by the list in the settings. Only such a
 * person may decide about approvals. A member of an allowed group, or anybody at an open channel, is not allowed by that.
 */
export async function isAllowedSender(
  { store, settings }: AllowedSenderContext,
  channel: Pick<Channel, 'id' | 'access' | 'groupAccess'>,
  senderId: string,
): Promise<boolean> {
  const { person } = toPeers(channel.id, { sender: { id: senderId } })
  const stored = await store.findChannelSenders(channel.id, [person.id])
  const judgement = judgeSender({ person }, stored, toAccessPolicy(channel, await settings.read()))
  return judgement.kind === 'admitted' && judgement.isTrusted
}
