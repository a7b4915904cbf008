import { createHash } from 'node:crypto'
import {
  type ChannelId,
  type SettingKey,
  type Settings,
  channelPlatforms,
} from '@homeward/contract/agent-platform'
import type { FetchOption } from '@homeward/kit/http'
import { channelNeeds } from '../settings/settings-view.ts'
import type { Channel, ChannelContext } from '../ports/channel.ts'
import { type AccessPolicy, toAccessPolicy } from './access/access-policy.ts'

/** A channel that is set up. */
export interface ActiveChannel {
  readonly channel: Channel
  /** Agent that answers. */
  readonly agentId: string | undefined
  /** Who may write. */
  readonly policy: AccessPolicy
  /** Names the account that is asked for messages: another token is another source. Holds no secret. */
  readonly source: string
}

/** The channels as the settings say at this moment. */
export interface ChannelSet {
  /** Those that are set up. A channel stays the same object until its settings change. */
  current(): Promise<ReadonlyMap<string, ActiveChannel>>
  /** Whether there is such a channel, set up or not. */
  isKnown(id: string): boolean
}

/** What {@link createChannelSet} is built from. */
export interface ChannelSetOptions {
  readonly settings: { read(): Promise<Settings> }
  /** Channels of the host; one with the id of a platform takes its place. */
  readonly own: readonly Channel[]
  readonly fetch?: FetchOption | undefined
  readonly now: () => number
}

interface Built {
  readonly key: string
  readonly channel: Channel
  readonly source: string
}

/** Settings that the channel itself does not see. */
const besides = new Set(['default_agent_id', 'access', 'allowed_senders', 'group_access', 'allowed_groups'])

export function createChannelSet({ settings, own, fetch, now }: ChannelSetOptions): ChannelSet {
  const ids = (Object.keys(platformChannels) as ChannelId[]).filter((id) => own.every((one) => one.id !== id))
  const built = new Map<ChannelId, Built>()
  let known:
    | { readonly settings: Settings; readonly channels: Promise<ReadonlyMap<string, ActiveChannel>> }
    | undefined

  async function build(id: ChannelId, all: Settings): Promise<Built | undefined> {
    if (missingOf(id, all).length > 0) return undefined
    const key = keyOf(id, all)
    const before = built.get(id)
    if (before?.key === key) return before
    const create = await platformChannels[id]()
    const channel = create(all, {
      apiBase: all[`${id}_api_base`],
      verify: all[`${id}_webhook_verify`] ?? 'on',
      fetch,
      now,
    } as Parameters<typeof create>[1]) // the schema of that setting knows no other values
    const made = { key, channel, source: `${id}:${sha256(key).slice(0, 24)}` }
    built.set(id, made)
    return made
  }

  async function open(all: Settings): Promise<ReadonlyMap<string, ActiveChannel>> {
    const active = new Map<string, ActiveChannel>()
    for (const channel of own) {
      const { id, defaultAgentId } = channel
      const named = all[`${id}_default_agent_id` as SettingKey]
      const policy = toAccessPolicy(channel, all)
      active.set(id, { channel, agentId: named ?? defaultAgentId, policy, source: `${id}:host` })
    }
    for (const id of ids) {
      const made = await build(id, all)
      if (!made) built.delete(id)
      else {
        const { channel, source } = made
        const policy = toAccessPolicy(channel, all)
        active.set(id, { channel, source, policy, agentId: all[`${id}_default_agent_id`] })
      }
    }
    return active
  }

  return {
    isKnown: (id) => Object.hasOwn(channelPlatforms, id) || own.some((one) => one.id === id),
    async current() {
      const all = await settings.read()
      if (known?.settings !== all) {
        // one after the other: two builds at once would make two of a channel
        const before = known?.channels.catch(() => undefined)
        known = { settings: all, channels: Promise.resolve(before).then(() => open(all)) }
      }
      try {
        return await known.channels
      } catch (error) {
        if (known?.settings === all) known = undefined // it may work at the next call
        throw error
      }
    },
  }
}

/** Settings without which a channel cannot be used; none for a channel of the host's own. */
export function missingOf(id: string, settings: Settings): readonly SettingKey[] {
  if (!Object.hasOwn(channelNeeds, id)) return []
  return channelNeeds[id as ChannelId].filter((key) => settings[key] === undefined)
}

function keyOf(id: ChannelId, settings: Settings): string {
  const own = Object.entries(settings).filter(
    ([key]) => key.startsWith(`${id}_`) && !besides.has(key.slice(id.length + 1)),
  )
  return JSON.stringify(own.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Builds a channel from settings that have all it needs. */
type CreateChannel = (settings: Settings, context: ChannelContext) => Channel

/** The channels of the interface, each loaded when it is set up. */
const platformChannels: Readonly<Record<ChannelId, () => Promise<CreateChannel>>> = {
  channel_a: async () => (await import('./telegram/create-telegram-channel.ts')).createTelegramChannel,
  channel_b: async () => (await import('./slack/create-slack-channel.ts')).createSlackChannel,
  channel_c: async () => (await import('./discord/create-discord-channel.ts')).createDiscordChannel,
  channel_d: async () => (await import('./bridge/create-bridge-channel.ts')).createBridgeChannel,
  channel_e: async () => (await import('./viber/create-viber-channel.ts')).createViberChannel,
}
