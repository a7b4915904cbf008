import {
  SettingsPatch,
  toDocumentedSetting,
  type SettingKey,
  type Settings,
} from '@homeward/contract/agent-platform'
import { describeIssue } from '@homeward/contract/handler'
import * as z from 'zod/mini'
import { isSameOrigin } from '../host-input/is-same-origin.ts'
import { issueSentence } from '../host-input/issue-sentence.ts'
import type { Logger } from '../ports/logger.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { checkSetting, isSettingKey } from './check-setting.ts'
import { createConfigFile, createConfigInMemory, type ConfigContent } from './config-file.ts'
import { readEnvironment, type Environment } from './environment-settings.ts'
import {
  createModelProviderSettings,
  modelProvidersKey,
  type ModelProviderSettings,
} from './model-provider-settings.ts'
import { createPriceSettings, modelPricesKey, type PriceSettings } from './price-settings.ts'
import type { RuntimeSettings } from './runtime-settings.ts'
import { toSettingsView } from './settings-view.ts'

/** What {@link createSettings} is built from. */
interface SettingsOptions {
  /** Path of config.json. @default none: changes stay in memory */
  readonly file?: string | undefined
  /** Environment variables. They win over the file. */
  readonly environment: Environment
  /** Told of keys that nobody knows, once each. */
  readonly logger: Logger
  /** Shortest `api_token` that a change may set, in characters. @default 1 */
  readonly minApiTokenLength?: number | undefined
}

/** Settings, and what they were at the last look. */
export interface OpenSettings extends RuntimeSettings {
  /** Settings as somebody read them last, without another look at the file. */
  lastRead(): Settings
  /** Model providers that the operator configured (A21). */
  readonly modelProviders: ModelProviderSettings
  /** The operator's own prices. */
  readonly prices: PriceSettings
}

/**
 * Opens the settings (A13). Nothing is read before it is asked for.
 *
 * @example
 * const settings = createSettings({ file: '/home/me/.homeward/config.json', environment: process.env, logger })
 * await settings.update({ openai_api_key: 'sk-…', telegram_bot_token: null })
 */
export function createSettings(options: SettingsOptions): OpenSettings {
  const { file, environment, logger, minApiTokenLength = 1 } = options
  const config = file === undefined ? createConfigInMemory() : createConfigFile(file)
  const reported = new Set<string>()
  let environmentSettings: Settings | undefined
  let known: { readonly content: ConfigContent; readonly settings: Settings } | undefined

  function report(key: string): void {
    if (reported.has(key)) return
    reported.add(key)
    logger.warn(
      `Reading config.json: the key "${key.slice(0, 100)}" is unknown and ignored. Check its spelling.`,
    )
  }

  const fixed = () => (environmentSettings ??= readEnvironment(environment, logger))

  function current(): Settings {
    const content = config.read()
    if (known?.content !== content)
      known = { content, settings: { ...toSettings(content, report), ...fixed() } }
    return known.settings
  }

  return {
    read: async () => current(),
    lastRead: () => known?.settings ?? current(),
    view: async () => toSettingsView(current()),
    modelProviders: createModelProviderSettings(config, logger),
    prices: createPriceSettings(config, logger),
    async update(given) {
      const patch = parsePatch(given)
      if ((patch.api_token?.length ?? minApiTokenLength) < minApiTokenLength) {
        const text = `Changing the settings failed: "api_token" must have at least ${minApiTokenLength} characters, because others can reach this server.`
        throw new RuntimeError('validation_error', text)
      }
      await config.change((content) => patched(content, { ...patch, ...leftBehind(content, patch) }))
      return { overridden: changedBy(patch).filter((key) => fixed()[key] !== undefined) }
    },
  }
}

/** Secrets, by the address that they are sent to. */
const sentTo: { readonly [Address in SettingKey]?: readonly SettingKey[] } = {
  registry_url: ['license_token'],
  channel_a_api_base: ['channel_a_bot_token'],
  channel_b_api_base: ['channel_b_bot_token'],
  channel_c_api_base: ['channel_c_bot_token'],
  channel_d_api_base: ['channel_d_bridge_secret'],
  channel_d_bridge_url: ['channel_d_bridge_secret'],
  channel_e_api_base: ['channel_e_auth_token'],
}
/** Without these there is no address yet, and not the one of a platform. */
const withoutDefault: ReadonlySet<string> = new Set(['registry_url', 'channel_d_bridge_url'])

/** Removes stored secrets whose address gets another origin: a new address never gets them unless they come along. */
function leftBehind(content: ConfigContent, patch: SettingsPatch): SettingsPatch {
  const stored = new Map(Object.entries(content).map(([name, value]) => [toDocumentedSetting(name), value]))
  const moved = Object.entries(sentTo).filter(([address]) => {
    const [before, after] = [stored.get(address), patch[address as SettingKey]]
    if (after === undefined || isSameOrigin(before, after)) return false
    return before ? true : after !== null && !withoutDefault.has(address)
  })
  const secrets = moved.flatMap(([, sent]) => sent.filter((secret) => patch[secret] === undefined))
  return Object.fromEntries(secrets.map((secret) => [secret, null]))
}

function patched(before: ConfigContent, patch: SettingsPatch): ConfigContent {
  const content = new Map(Object.entries(before))
  for (const key of content.keys()) {
    // one name for each setting, or the one that is not changed might win
    const documented = toDocumentedSetting(key)
    if (documented !== key && documented in patch) content.delete(key)
  }
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) content.delete(key)
    else if (value !== undefined) content.set(key, value)
  }
  return Object.fromEntries(content)
}

/** Settings that a change says something about. */
const changedBy = (patch: SettingsPatch) =>
  (Object.keys(patch) as SettingKey[]).filter((key) => patch[key] !== undefined) // a strict object has no other keys

function parsePatch(given: unknown): SettingsPatch {
  const parsed = z.safeParse(SettingsPatch, given, { error: describeIssue })
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) => {
    if (issue.code === 'unrecognized_keys')
      return `unknown key ${issue.keys.map((key) => `"${key}"`).join(', ')}`
    return issueSentence(issue, 'the settings')
  })
  throw new RuntimeError(
    'validation_error',
    `Changing the settings failed: ${problems.join('; ').slice(0, 1000)}.`,
  )
}

function toSettings(content: ConfigContent, report: (key: string) => void): Settings {
  const settings: { [Key in SettingKey]?: string } = {}
  for (const [name, value] of Object.entries(content)) {
    if (name === modelProvidersKey || name === modelPricesKey) continue
    const key = toDocumentedSetting(name)
    if (!isSettingKey(key)) report(name)
    else if (value !== null && value !== '') {
      const checked = checkSetting(key, value)
      if ('problem' in checked) {
        throw new RuntimeError(
          'storage_error',
          `Reading config.json failed: "${name}" ${checked.problem}. Correct the value.`,
        )
      }
      settings[key] = checked.value
    }
  }
  return settings
}
