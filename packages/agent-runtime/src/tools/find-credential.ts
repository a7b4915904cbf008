import type { JsonObject, Settings } from '@homeward/contract/agent-platform'
import { secretsOf } from '../settings/settings-view.ts'
import { isPlatformKey, isReservedVariable } from './exec/reserved-environment.ts'

/** Where credentials of skills are. */
export interface CredentialSources {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The skill's config with its secrets. */
  readonly config: JsonObject
  /** The platform's settings, whose secrets no tool gets under any name. */
  readonly settings: Settings
}

/**
 * A credential of a skill by its name: the environment's variable, else the config's key.
 *
 * @returns undefined when there is none, and for whatever is the platform's own: no stronger one is taken instead.
 */
export function findCredential(
  name: string,
  { environment, config, settings }: CredentialSources,
): string | undefined {
  if (isReservedVariable(name)) return undefined
  const own = config[name] ?? config[name.toLowerCase()]
  const value = environment[name] || (typeof own === 'string' || typeof own === 'number' ? String(own) : '')
  if (value === '' || platformSecrets(environment, settings).has(value.trim())) return undefined
  return value
}

/** Values of the platform's own secrets, without the white space around them: the settings are read without it. */
function platformSecrets(
  environment: Readonly<Record<string, string | undefined>>,
  settings: Settings,
): ReadonlySet<string> {
  const ofEnvironment = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && isPlatformKey(name) ? [value] : [],
  )
  return new Set([...secretsOf(settings), ...ofEnvironment].map((secret) => secret.trim()))
}
