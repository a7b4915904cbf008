import {
  Slug,
  type ModelList,
  type ModelProviderView,
  type Settings,
  type StoredModelProvider,
} from '@homeward/contract/agent-platform'
import * as z from 'zod/mini'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { ModelProviderSettings } from '../settings/model-provider-settings.ts'
import type { ModelsOptions } from './create-models.ts'
import { apiOf, baseUrlOf, hostedProviders, isTaken, keyOf, type HostedProvider } from './hosted-providers.ts'
import { listModels } from './list-models.ts'
import type { ModelCatalog } from './model-catalog.ts'

/** What {@link createModelCatalog} is built from. */
export interface ModelCatalogOptions extends ModelsOptions {
  readonly configured: ModelProviderSettings
  /** Gets the models of each list. @default nobody does */
  readonly onList?: (models: ModelList['models']) => void
}

/** Lists and changes model providers (A21). */
export function createModelCatalog(options: ModelCatalogOptions): ModelCatalog {
  const { configured, providers = {} } = options

  function assertFree(attempt: string, name: string): void {
    if (!isTaken(name, providers)) return
    const owner = Object.hasOwn(providers, name)
      ? 'belongs to the program that embeds the runtime'
      : 'is built in'
    throw new RuntimeError('conflict', `${attempt} failed: "${name}" ${owner}. Choose another name.`)
  }

  return {
    async list(signal) {
      const list = await listModels(options, signal)
      options.onList?.(list.models)
      return list
    },
    async listProviders() {
      const settings = await options.settings.read()
      const builtIn = Object.entries(hostedProviders).map(([name, hosted]) =>
        toBuiltInView(name, hosted, settings, options.environment),
      )
      const entries = [...configured.read().byName].filter(([name]) => !isTaken(name, providers))
      return [...builtIn, ...entries.map(([name, entry]) => toView(name, entry))]
    },
    async saveProvider(name, input) {
      const attempt = 'Saving the model provider'
      if (!z.safeParse(Slug, name).success) throw invalidName(attempt)
      assertFree(attempt, name)
      return toView(name, await configured.save(name, input))
    },
    async deleteProvider(name) {
      const attempt = 'Deleting the model provider'
      assertFree(attempt, name)
      if (await configured.remove(name)) return
      throw new RuntimeError(
        'not_found',
        `${attempt} failed: no provider has the name "${name.slice(0, 100)}". List the providers to find it.`,
      )
    },
  }
}

const invalidName = (attempt: string) =>
  new RuntimeError(
    'validation_error',
    `${attempt} failed: its name is invalid. Use 1 to 64 letters, digits, "_", "-" or ".", starting with a letter or digit.`,
  )

function toBuiltInView(
  name: string,
  hosted: HostedProvider,
  settings: Settings,
  environment: ModelsOptions['environment'],
): ModelProviderView {
  const baseUrl = usableBaseUrl(hosted, environment)
  return {
    name,
    api: apiOf(name, hosted, baseUrl, settings),
    base_url: baseUrl,
    has_api_key: keyOf(hosted, environment, settings) !== undefined,
    built_in: true,
  }
}

/** The published one instead of one that cannot be used: asking the provider for its models says what is wrong. */
function usableBaseUrl(hosted: HostedProvider, environment: ModelsOptions['environment']): string {
  try {
    return baseUrlOf(hosted, environment)
  } catch {
    return hosted.defaultBaseUrl
  }
}

function toView(
  name: string,
  { api, base_url, api_key: key, models }: StoredModelProvider,
): ModelProviderView {
  return { name, api, base_url, has_api_key: Boolean(key), built_in: false, ...(models && { models }) }
}
