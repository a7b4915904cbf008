import {
  settingRows,
  type ChannelId,
  type SettingKey,
  type Settings,
  type SettingsView,
} from '@homeward/contract/agent-platform'

/** What a channel needs before it can be used. */
export const channelNeeds: Readonly<Record<ChannelId, readonly SettingKey[]>> = {
  channel_a: ['channel_a_bot_token'],
  channel_b: ['channel_b_bot_token', 'channel_b_signing_secret'],
  channel_c: ['channel_c_bot_token', 'channel_c_public_key'],
  channel_d: ['channel_d_bridge_url'],
  channel_e: ['channel_e_auth_token'],
}

const providers = ['openai', 'anthropic', 'google', 'openrouter'] as const

/** Settings as they may be shown: no secret in them (A13). */
export function toSettingsView(settings: Settings): SettingsView {
  const view: SettingsView = {}
  for (const [key, { secret }] of Object.entries(settingRows) as [SettingKey, { secret: boolean }][]) {
    const value = settings[key]
    if (secret) view[`has_${key}`] = value !== undefined
    else if (value !== undefined) view[key] = value
  }
  for (const provider of providers) {
    view[`${provider}_configured`] = settings[`${provider}_api_key`] !== undefined
  }
  for (const [channel, needs] of Object.entries(channelNeeds)) {
    view[`${channel}_configured`] = needs.every((key) => settings[key] !== undefined)
  }
  view['store_configured'] = settings.registry_url !== undefined
  return view
}

/** Values that must never be shown, written down or sent to a model. */
export function secretsOf(settings: Settings): string[] {
  return (Object.entries(settingRows) as [SettingKey, { secret: boolean }][]).flatMap(([key, { secret }]) => {
    const value = settings[key]
    return secret && value !== undefined ? [value] : []
  })
}
