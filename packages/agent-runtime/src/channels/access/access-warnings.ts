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
  const pending = count('pending')
  const isClosed =
    access !== 'open' &&
    groupAccess !== 'open' &&
    allowedSenders.size + allowedGroups.size + count('allowed') === 0
  // a channel of your app's own has no settings
  const isPlatform = Object.hasOwn(channelPlatforms, id)
  const fix = (setting: string, rest: string) => (isPlatform ? ` ${id}_${setting} is open. ${rest}` : '')
  const letIn =
    access === 'pairing'
      ? 'Write to it yourself, and enter the code that you get.'
      : 'Allow senders by their ids.'
  return [
    ...(access === 'open'
      ? [`Anybody can use this agent.${fix('access', 'Set it to pairing or allowlist.')}`]
      : []),
    ...(groupAccess === 'open'
      ? [
          `Anybody can use this agent in a group of their own: ${id}_group_access is open. Set it to allowlist.`,
        ]
      : []),
    ...(isClosed ? [`Nobody may write to this agent yet: access is ${access}. ${letIn}`] : []),
    ...(pending > 0
      ? [`Senders that wait to be let in: ${pending}. See GET /api/channels/${id}/senders.`]
      : []),
  ]
}
