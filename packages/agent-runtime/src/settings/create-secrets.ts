import type { Settings } from '@homeward/contract/agent-platform'
import { isSecretName } from '../secrets/secret-names.ts'
import type { Environment } from './environment-settings.ts'
import type { RuntimeSettings } from './runtime-settings.ts'
import { secretsOf } from './settings-view.ts'

/** Shorter ones are no secrets, and would tear holes into ordinary text. */
const minLength = 8

/**
 * Every text that must not come out of the runtime: secrets of the settings, of the environment, and of what the host
 * adds. Gives the same array for as long as nothing has changed.
 */
export function createSecrets(
  settings: Pick<RuntimeSettings, 'read'>,
  environment: Environment,
): () => Promise<readonly string[]> {
  const secretsIn = createSecretsIn(environment)
  return async () => secretsIn(await settings.read())
}

/** The same for settings that are at hand. */
export function createSecretsIn(environment: Environment): (settings: Settings) => readonly string[] {
  let fixed: readonly string[] | undefined
  let known: { readonly settings: Settings; readonly secrets: readonly string[] } | undefined

  return (settings) => {
    fixed ??= Object.entries(environment).flatMap(([name, value]) => {
      return value !== undefined && value.length >= minLength && isSecretName(name) ? [value] : []
    })
    if (known?.settings !== settings) {
      known = { settings, secrets: [...new Set([...secretsOf(settings), ...fixed])] }
    }
    return known.secrets
  }
}
