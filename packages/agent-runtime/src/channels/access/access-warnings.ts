import { channelPlatforms } from '@homeward/contract/agent-platform'
import type { StoredSender } from '../../store/ports/channel-sender.ts'
import type { AccessPolicy } from './access-policy.ts'

/** Says who may write more than the operator may expect, and who waits to be let in. */
export function accessWarnings(
  id: string,
  { access, groupAccess, allowedSenders, allowedGroups }: AccessPolicy,
  senders: readonly StoredSender[],
): string[] {
  const count = (status: StoredSender['status']) =>
    senders.filter((sender) => sender.status === status).length
  const pending = senders.filter(({ id, status }) => status === 'pending' && !allowedSenders.has(id)).length
  const isClosed =
    access !== 'open' &&
    groupAccess !== 'open' &&
    allowedSenders.size + allowedGroups.size + count('allowed') === 0
  // a channel of your app's own has no settings
  const isPlatform = Object.hasOwn(channelPlatforms, id)
  const fix = (setting: string, rest: string) => (isPlatform ? ` ${id}_${setting} is open. ${rest}` : '')
  const letIn =
    access === 'pairing'
      ? 'Send it a message yourself, then enter the code that you get.'
      : 'Allow senders by id.'
  return [
    ...(access === 'open'
      ? [`Anyone can use this agent.${fix('access', 'Set it to pairing or allowlist.')}`]
      : []),
    ...(groupAccess === 'open'
      ? [
          `Anyone can use this agent by adding it to a group: ${id}_group_access is open. Set it to allowlist.`,
        ]
      : []),
    ...(isClosed ? [`No sender is allowed yet: access is ${access}. ${letIn}`] : []),
    ...(pending > 0
      ? [`Senders waiting for approval: ${pending}. See GET /api/channels/${id}/senders.`]
      : []),
  ]
}
