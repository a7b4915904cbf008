import type { ChannelId, SettingKey } from '@homeward/contract/agent-platform'

/** How people call the channels. */
export const channelNames: Readonly<Record<ChannelId, string>> = {
  channel_a: 'Telegram',
  channel_b: 'Slack',
  channel_c: 'Discord',
  channel_d: 'Signal, WhatsApp and others',
  channel_e: 'Viber',
}

/** How a setting is called, and what to know about it. */
interface SettingText {
  readonly label: string
  readonly description?: string
  readonly placeholder?: string
}

const apiBase = {
  label: 'Address of the platform',
  description: 'Only to use a server other than the default.',
}
const verify = {
  label: 'Signature check',
  description: 'If off, anyone can send messages in the name of others. For tests only.',
}
const defaultAgent = {
  label: 'Agent that answers',
  description: 'Without an agent, messages are stored but not answered.',
}

const access = {
  label: 'Private messages',
  description: 'With pairing, unknown people get a code that you enter on the page of the channel.',
}
const allowedSenders = {
  label: 'Allowed people',
  description: 'Platform ids, separated by commas, in addition to those that you allow on this page.',
}
const groupAccess = {
  label: 'Groups in which the agent answers',
  description: 'Every member of an allowed group can ask.',
}
const allowedGroups = {
  label: 'Allowed groups',
  description: 'Platform ids, separated by commas, in addition to those that you allow on this page.',
}

/** Every setting there is: leaving one out does not compile. */
export const settingTexts: Readonly<Record<SettingKey, SettingText>> = {
  openai_api_key: { label: 'OpenAI API key', description: 'For models that start with openai/' },
  anthropic_api_key: { label: 'Anthropic API key', description: 'For models that start with anthropic/' },
  google_api_key: { label: 'Google API key', description: 'For models that start with google/' },
  openrouter_api_key: { label: 'OpenRouter API key', description: 'For models that start with openrouter/' },
  openai_api: {
    label: 'API of OpenAI',
    description: "By default, Responses, or Chat Completions if the base URL is not OpenAI's.",
  },
  context_window_tokens: {
    label: 'Context window in tokens',
    description: 'For models with an unknown window, such as models on your own machine.',
    placeholder: '8192',
  },
  transcription_model: {
    label: 'Model for voice messages',
    description:
      "Transcribes voice messages of the channels. By default, the agent's model gets the sound as a file.",
    placeholder: 'openai/gpt-4o-mini-transcribe',
  },
  web_fetch_hosts: {
    label: 'Hosts for web pages',
    description:
      'Agents can fetch pages from these hosts with the tool web_fetch. Separate names by commas; * means every public host. By default, no host is allowed and agents do not have the tool.',
    placeholder: 'docs.example.com',
  },
  webhook_hosts: {
    label: 'Private hosts of webhooks',
    description:
      'Webhooks can be sent to these hosts even if their addresses are private. Separate names by commas. By default, no private host is allowed.',
    placeholder: 'hooks.internal, 127.0.0.1',
  },
  public_url: {
    label: 'Public address',
    description: 'Address at which other programs reach this server. Addresses of triggers start with it.',
    placeholder: 'https://home.example.com',
  },
  telemetry_content: {
    label: 'Prompts in OpenTelemetry spans',
    description: 'If on, spans of model calls hold prompts and answers, without secrets.',
  },
  registry_url: {
    label: 'Registry',
    description: 'Address of the list of skills in the store.',
    placeholder: 'https://skills.example.com/registry.json',
  },
  store_base: {
    label: 'Store',
    description: 'Address of the website of the store.',
    placeholder: 'https://skills.example.com',
  },
  license_token: {
    label: 'License',
    description: 'For paid skills. Sent only to the store.',
  },
  agents_dir: {
    label: 'Folder of agents',
    description: 'Stores agents as files in this folder instead of in the database.',
  },
  api_token: {
    label: 'Access token',
    description:
      'Once set, every program needs the token to call this server. This page uses it immediately.',
  },
  channel_a_bot_token: { label: 'Bot token', description: 'From @BotFather.' },
  channel_b_bot_token: { label: 'Bot token', description: 'Starts with xoxb-.' },
  channel_b_signing_secret: { label: 'Signing secret', description: 'Under Basic Information of the app.' },
  channel_c_bot_token: { label: 'Bot token', description: 'Under Bot of the application.' },
  channel_c_public_key: { label: 'Public key', description: 'Under General Information of the application.' },
  channel_c_command: {
    label: 'Command',
    description: 'Name of the command for asking the agent.',
    placeholder: 'ask',
  },
  channel_d_bridge_url: { label: 'Address of the bridge', placeholder: 'http://127.0.0.1:8080/v2' },
  channel_d_bridge_secret: {
    label: 'Secret of the bridge',
    description: 'Shared secret with which server and bridge authenticate.',
  },
  channel_e_auth_token: { label: 'Authentication token', description: 'From the Viber admin panel.' },
  channel_a_default_agent_id: defaultAgent,
  channel_b_default_agent_id: defaultAgent,
  channel_c_default_agent_id: defaultAgent,
  channel_d_default_agent_id: defaultAgent,
  channel_e_default_agent_id: defaultAgent,
  channel_a_api_base: apiBase,
  channel_b_api_base: apiBase,
  channel_c_api_base: apiBase,
  channel_d_api_base: apiBase,
  channel_e_api_base: apiBase,
  channel_a_webhook_verify: verify,
  channel_b_webhook_verify: verify,
  channel_c_webhook_verify: verify,
  channel_d_webhook_verify: verify,
  channel_e_webhook_verify: verify,
  channel_a_access: access,
  channel_b_access: access,
  channel_c_access: access,
  channel_d_access: access,
  channel_e_access: access,
  channel_a_allowed_senders: allowedSenders,
  channel_b_allowed_senders: allowedSenders,
  channel_c_allowed_senders: allowedSenders,
  channel_d_allowed_senders: allowedSenders,
  channel_e_allowed_senders: allowedSenders,
  channel_a_group_access: groupAccess,
  channel_b_group_access: groupAccess,
  channel_c_group_access: groupAccess,
  channel_d_group_access: groupAccess,
  channel_e_group_access: groupAccess,
  channel_a_allowed_groups: allowedGroups,
  channel_b_allowed_groups: allowedGroups,
  channel_c_allowed_groups: allowedGroups,
  channel_d_allowed_groups: allowedGroups,
  channel_e_allowed_groups: allowedGroups,
}

/** A text of the server with the labels of settings in place of their names: `Set "Bot token".` */
export const nameSettings = (text: string): string =>
  text.replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) =>
    Object.hasOwn(settingTexts, name) ? `"${settingTexts[name as SettingKey].label}"` : name,
  ) // a key of the table, as was asked

/** Settings that belong together. */
export interface SettingGroup {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly keys: readonly SettingKey[]
}

const general: readonly SettingGroup[] = [
  {
    id: 'models',
    title: 'Model providers',
    description: 'One API key per provider. Without a key, agents can use only the built-in test models.',
    keys: [
      'openai_api_key',
      'anthropic_api_key',
      'google_api_key',
      'openrouter_api_key',
      'openai_api',
      'context_window_tokens',
      'transcription_model',
    ],
  },
  {
    id: 'store',
    title: 'Skill store',
    description: 'Source of skills. The server contacts the store only when someone opens it.',
    keys: ['registry_url', 'store_base', 'license_token'],
  },
  {
    id: 'platform',
    title: 'Platform',
    description: 'Access to the server, storage of agents, and web pages that agents can read.',
    keys: ['api_token', 'public_url', 'agents_dir', 'web_fetch_hosts', 'webhook_hosts', 'telemetry_content'],
  },
]

/** The settings of a channel; the usual ones first. */
export function settingsOfChannel(channel: ChannelId): readonly [first: SettingKey[], more: SettingKey[]] {
  const keys = (Object.keys(settingTexts) as SettingKey[]).filter((key) => key.startsWith(`${channel}_`)) // its own keys
  const isFirst = (key: SettingKey) => /_(token|secret|key|bridge_url|agent_id)$/.test(key)
  return [keys.filter(isFirst), keys.filter((key) => !isFirst(key))]
}

/** All settings, each in one group. */
export const settingGroups: readonly SettingGroup[] = [
  ...general,
  ...(Object.entries(channelNames) as [ChannelId, string][]).map(([channel, name]) => ({
    id: channel,
    title: name,
    description: 'A messaging channel.',
    keys: settingsOfChannel(channel).flat(),
  })), // keys of a table of channels
]
