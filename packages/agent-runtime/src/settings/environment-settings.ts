import { settingRows, type SettingKey, type Settings } from '@homeward/contract/agent-platform'
import type { Logger } from '../ports/logger.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { checkSetting } from './check-setting.ts'
import { variablesOf } from './setting-variables.ts'

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Settings that the environment gives: `OPENAI_API_KEY`, `API_TOKEN`, `CHANNEL_A_BOT_TOKEN`, or by the name of the
 * platform `TELEGRAM_BOT_TOKEN` (A1, A13). An empty variable is not set; one with a value that cannot be used is
 * reported and not used.
 *
 * @throws {RuntimeError} `storage_error` when the access token cannot be used: without it everybody would be let in.
 */
export function readEnvironment(environment: Environment, logger: Logger): Settings {
  const found: { [Key in SettingKey]?: string } = {}
  for (const key of Object.keys(settingRows) as SettingKey[]) {
    for (const name of variablesOf(key)) {
      const value = environment[name]
      if (value === undefined || value.trim() === '' || found[key] !== undefined) continue
      const checked = checkSetting(key, value)
      if ('value' in checked) found[key] = checked.value
      else if (key === 'api_token') throw unusableToken(name, checked.problem)
      else
        logger.warn(
          `Reading the environment: ${name} ${checked.problem}. The variable is ignored until its value is corrected.`,
        )
    }
  }
  return found
}

const unusableToken = (name: string, problem: string) =>
  new RuntimeError('storage_error', `Reading the environment failed: ${name} ${problem}. Correct its value.`)
