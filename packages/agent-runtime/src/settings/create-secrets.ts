import type { Settings } from '@homeward/contract/agent-platform'
import { isSecretName } from '../secrets/secret-names.ts'
import type { Environment } from './environment-settings.ts'
import type { OpenSettings } from './create-settings.ts'
import { secretsOf } from './settings-view.ts'

/** Shorter ones are no secrets, and would tear holes into ordinary text. */
const minLength = 8

/**
 * Every text that must not come out of the runtime: secrets of the settings, of the environment, and of what the host
 * adds. Gives the same array for as long as nothing has changed.
 */
export function createSecrets(
  settings: Pick<OpenSettings, 'read' | 'modelProviders'>,
  environment: Environment,
): () => Promise<readonly string[]> {
  const secretsIn = createSecretsIn(environment)
  return async () => secretsIn(await settings.read(), settings.modelProviders.read().secrets)
}

/** The same for settings, and keys of model providers, that are at hand. */
export function createSecretsIn(
  environment: Environment,
): (settings: Settings, providerKeys: readonly string[]) => readonly string[] {
  let fixed: readonly string[] | undefined
  let known: { readonly from: readonly unknown[]; readonly secrets: readonly string[] } | undefined

  return (settings, providerKeys) => {
    fixed ??= Object.entries(environment).flatMap(([name, value]) => {
      return value !== undefined && value.length >= minLength && isSecretName(name) ? [value] : []
    })
    if (known?.from[0] !== settings || known.from[1] !== providerKeys) {
      const secrets = [...new Set([...secretsOf(settings), ...providerKeys, ...fixed])]
      known = { from: [settings, providerKeys], secrets }
    }
    return known.secrets
  }
}
