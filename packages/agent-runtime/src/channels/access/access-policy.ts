import type {
  ChannelAccess,
  ChannelGroupAccess,
  SettingKey,
  Settings,
} from '@homeward/contract/agent-platform'
import type { Channel } from '../../ports/channel.ts'

/** Who may write to a channel, as the settings say. */
export interface AccessPolicy {
  readonly access: ChannelAccess
  readonly groupAccess: ChannelGroupAccess
  /** Platform ids. */
  readonly allowedSenders: ReadonlySet<string>
  readonly allowedGroups: ReadonlySet<string>
}

/** Reads the policy of a channel. A channel of your app's own has no settings; it says itself who may write. */
export function toAccessPolicy(
  { id, access = 'pairing', groupAccess = 'allowlist' }: Pick<Channel, 'id' | 'access' | 'groupAccess'>,
  settings: Settings,
): AccessPolicy {
  const valueOf = (name: string) => settings[`${id}_${name}` as SettingKey] // undefined for a name that is not a setting
  return {
    // the schemas of both settings accept these values only
    access: (valueOf('access') ?? access) as ChannelAccess,
    groupAccess: (valueOf('group_access') ?? groupAccess) as ChannelGroupAccess,
    allowedSenders: toIds(valueOf('allowed_senders')),
    allowedGroups: toIds(valueOf('allowed_groups')),
  }
}

function toIds(list = ''): ReadonlySet<string> {
  return new Set(
    list
      .split(',')
      .map((id) => id.trim())
      .filter((id) => id !== ''),
  )
}
