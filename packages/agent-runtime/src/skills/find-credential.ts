import type { JsonObject, Settings } from '@homeward/contract/agent-platform'
import { secretsOf } from '../settings/settings-view.ts'
import { isPlatformKey, isReservedVariable } from '../settings/reserved-environment.ts'

/** Where credentials of skills are. */
interface CredentialSources {
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
  const value = givenValue(name, { environment, config })
  if (value === '' || platformSecrets(environment, settings).has(value.trim())) return undefined
  return value
}

/**
 * What stands under the name of a credential, without a look at whose it is.
 *
 * @returns the empty text when there is nothing, and for the names of the platform's own variables.
 */
export function givenValue(
  name: string,
  { environment, config }: Pick<CredentialSources, 'environment' | 'config'>,
): string {
  if (isReservedVariable(name)) return ''
  const own = ownValue(config, name) ?? ownValue(config, name.toLowerCase())
  return (
    ownValue(environment, name) || (typeof own === 'string' || typeof own === 'number' ? String(own) : '')
  )
}

/** A skill may call its credential `constructor`, which every object has one of. */
function ownValue<Value>(from: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(from, name) ? from[name] : undefined
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
