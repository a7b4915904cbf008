import * as z from 'zod/mini'
import { clearable, headerSecret, secretText, webAddress } from './values.ts'

/** What a header carries as it is (RFC 9110, section 5.5), without blanks, which end a token there. */
const token = z
  .string()
  .check(
    z.trim(),
    z.maxLength(2000),
    z.regex(/^[\x21-\x7e]*$/, 'must be printable ASCII without spaces, because it is sent in a header'),
  )

interface SettingRow {
  readonly schema: z.ZodMiniType<string, string>
  /** Whether the value is never given back. */
  readonly secret: boolean
}

const secret: SettingRow = { schema: secretText, secret: true }
const modelKey: SettingRow = { schema: headerSecret, secret: true }
/** The same for what is sent in the header `Authorization`. */
const accessToken: SettingRow = { schema: token, secret: true }
const plain: SettingRow = { schema: secretText, secret: false }
const address: SettingRow = { schema: webAddress, secret: false }
const onOff: SettingRow = { schema: z.enum(['on', 'off']), secret: false }
const access: SettingRow = { schema: z.enum(['pairing', 'allowlist', 'open']), secret: false }
const groupAccess: SettingRow = { schema: z.enum(['allowlist', 'open', 'off']), secret: false }

/** Tokens of a context window. Settings are text. */
const tokenCount = z.string().check(
  z.trim(),
  z.regex(/^\d{3,9}$/, 'must be an integer'),
  z.refine((text) => Number(text) >= 256, 'must be at least 256'),
)

/** `provider/model id`. */
const modelName = z
  .string()
  .check(
    z.trim(),
    z.maxLength(300),
    z.regex(/^[^\s/]+\/\S+$/, 'must be "provider/model", such as "openai/gpt-4o-mini-transcribe"'),
  )

/** Host names separated by commas. */
const hostNames = z.string().check(
  z.trim(),
  z.maxLength(10_000),
  z.refine(
    (text) =>
      text
        .split(',')
        .every((name) => /^(?:\*|[a-z0-9._-]{1,253}|(?=.*:.*:)[0-9a-f:.]{2,45})$/i.test(name.trim())),
    'must be host names without ports, separated by commas, such as "docs.example.com, 192.168.0.7", or "*"',
  ),
)

/** Messaging platforms by documented channel name. */
export const channelPlatforms = {
  channel_a: 'telegram',
  channel_b: 'slack',
  channel_c: 'discord',
  channel_d: 'bridge',
  channel_e: 'viber',
} as const
/** Documented name of a channel. */
export type ChannelId = keyof typeof channelPlatforms

/** Every key of `config.json`. */
export const settingRows = {
  openai_api_key: modelKey,
  anthropic_api_key: modelKey,
  google_api_key: modelKey,
  openrouter_api_key: modelKey,
  openai_api: { schema: z.enum(['responses', 'chat']), secret: false },
  context_window_tokens: { schema: tokenCount, secret: false },
  /** Model that converts voice messages to text. If missing, a voice message goes to the agent's model as a file. */
  transcription_model: { schema: modelName, secret: false },
  /**
   * Hosts that the tool `web_fetch` may fetch from. `*` allows every public host; a private host must be listed by
   * name.
   */
  web_fetch_hosts: { schema: hostNames, secret: false },
  /** Hosts with private addresses that webhooks may be sent to. */
  webhook_hosts: { schema: hostNames, secret: false },
  /** Public address of the server, such as `https://home.example`. Links and trigger addresses start with it. */
  public_url: address,
  /** Whether OpenTelemetry spans contain prompts and answers. */
  telemetry_content: onOff,
  registry_url: address,
  store_base: address,
  license_token: secret,
  agents_dir: plain,
  api_token: accessToken,
  channel_a_bot_token: secret,
  channel_b_bot_token: secret,
  channel_b_signing_secret: secret,
  channel_c_bot_token: secret,
  channel_c_public_key: plain,
  channel_c_command: plain,
  channel_d_bridge_url: address,
  channel_d_bridge_secret: secret,
  channel_e_auth_token: secret,
  channel_a_default_agent_id: plain,
  channel_b_default_agent_id: plain,
  channel_c_default_agent_id: plain,
  channel_d_default_agent_id: plain,
  channel_e_default_agent_id: plain,
  channel_a_api_base: address,
  channel_b_api_base: address,
  channel_c_api_base: address,
  channel_d_api_base: address,
  channel_e_api_base: address,
  channel_a_webhook_verify: onOff,
  channel_b_webhook_verify: onOff,
  channel_c_webhook_verify: onOff,
  channel_d_webhook_verify: onOff,
  channel_e_webhook_verify: onOff,
  channel_a_access: access,
  channel_b_access: access,
  channel_c_access: access,
  channel_d_access: access,
  channel_e_access: access,
  channel_a_allowed_senders: plain,
  channel_b_allowed_senders: plain,
  channel_c_allowed_senders: plain,
  channel_d_allowed_senders: plain,
  channel_e_allowed_senders: plain,
  channel_a_group_access: groupAccess,
  channel_b_group_access: groupAccess,
  channel_c_group_access: groupAccess,
  channel_d_group_access: groupAccess,
  channel_e_group_access: groupAccess,
  channel_a_allowed_groups: plain,
  channel_b_allowed_groups: plain,
  channel_c_allowed_groups: plain,
  channel_d_allowed_groups: plain,
  channel_e_allowed_groups: plain,
} as const satisfies Record<string, SettingRow>

/** Name of a setting. */
export type SettingKey = keyof typeof settingRows
/** Settings of the operator. Absent keys are not set. */
export type Settings = { readonly [Key in SettingKey]?: string }

/**
 * Converts a setting's platform name to its documented one: `telegram_bot_token` → `channel_a_bot_token`. Other keys
 * stay unchanged.
 */
export function toDocumentedSetting(key: string): string {
  for (const [channel, platform] of Object.entries(channelPlatforms)) {
    if (!key.startsWith(`${platform}_`)) continue
    // two keys of the bridge have its name in their documented form already
    const whole = `${channel}_${key}`
    return Object.hasOwn(settingRows, whole) ? whole : channel + key.slice(platform.length)
  }
  return key
}

/** Converts a platform name to a channel name: `telegram` → `channel_a`. Returns undefined for any other name. */
export function toChannelId(name: string): ChannelId | undefined {
  const found = Object.entries(channelPlatforms).find(([id, platform]) => name === id || name === platform)
  return found?.[0] as ChannelId | undefined // a key of the table it was found in
}

/** Each setting under both of its names. */
const maxKeys = 2 * Object.keys(settingRows).length

/**
 * One setting under both of its names has to have one value: nobody could tell which of two is meant. Keys are counted
 * before they are looked at: hundreds of thousands would hold up everybody else for seconds.
 */
const keysToDocumented = z.transform((given: unknown, { issues }) => {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given
  const count = Object.keys(given).length
  if (count > maxKeys) {
    issues.push({
      code: 'custom',
      message: `must have at most ${maxKeys} keys, got ${count}`,
      input: {},
    })
    return given
  }
  const documented = new Map<string, unknown>()
  for (const [name, value] of Object.entries(given)) {
    const key = toDocumentedSetting(name)
    if (documented.has(key) && documented.get(key) !== value) {
      const message = `is given under two names with different values. Send ${key} only.`
      issues.push({ code: 'custom', message, path: [name], input: name })
    }
    documented.set(key, value)
  }
  return Object.fromEntries(documented)
})

/** `null` and the empty text clear a setting; absent ones keep their value. */
const entry = (row: SettingRow) => clearable(row.schema)

// One entry for each row: the mapped type says what Object.fromEntries cannot.
const patchShape = Object.fromEntries(Object.entries(settingRows).map(([key, row]) => [key, entry(row)])) as {
  [Key in SettingKey]: ReturnType<typeof entry>
}

/** A change of the settings. An unknown key is an error. */
export const SettingsPatch = z.pipe(keysToDocumented, z.strictObject(patchShape))
export type SettingsPatch = z.infer<typeof SettingsPatch>

/**
 * The settings as responses show them: plain values under their key, secrets as `has_<key>` booleans, and
 * `<channel>_configured`, `<provider>_configured`.
 */
export const SettingsView = z.record(z.string(), z.union([z.string(), z.boolean()]))
export type SettingsView = z.infer<typeof SettingsView>
