import type { ChannelId, Settings } from '@homeward/contract/agent-platform'
import type { Channel, ChannelContext } from '../ports/channel.ts'

/** Builds a channel from settings that have all it needs. */
export type CreateChannel = (settings: Settings, context: ChannelContext) => Channel

/** The channels of the interface, each loaded when it is set up. */
export const platformChannels: Readonly<Record<ChannelId, () => Promise<CreateChannel>>> = {
  channel_a: async () => (await import('./telegram/create-telegram-channel.ts')).createTelegramChannel,
  channel_b: async () => (await import('./slack/create-slack-channel.ts')).createSlackChannel,
  channel_c: async () => (await import('./discord/create-discord-channel.ts')).createDiscordChannel,
  channel_d: async () => (await import('./bridge/create-bridge-channel.ts')).createBridgeChannel,
  channel_e: async () => (await import('./viber/create-viber-channel.ts')).createViberChannel,
}
