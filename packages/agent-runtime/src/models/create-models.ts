import type { Settings } from '@homeward/contract/agent-platform'
import type { FetchOption } from '@homeward/kit/http'
import type { RuntimeSettings } from '../settings/runtime-settings.ts'
import type { Model, ModelProvider, ProvidedModel } from '../ports/model.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { boundAnswer } from './bound-answer.ts'
import { fitModel } from './fit/fit-model.ts'
import { hostRules } from './fit/wire-rules.ts'
import { patientFetch } from './patient-fetch.ts'
import { baseUrlOf, hostedProviders, type HostedProvider } from './hosted-providers.ts'
import type { Models, ResolvedModel } from './models.ts'
import { parseModelName, type ModelName } from './parse-model-name.ts'

export type { Models, ResolvedModel } from './models.ts'

/** What {@link createModels} is built from. */
export interface ModelsOptions {
  /** Where the keys of the hosted providers are. */
  readonly settings: Pick<RuntimeSettings, 'read'>
  /** Environment variables: base URLs, and keys, which win over the settings. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The host's own providers by name. One of a hosted provider's name takes its place. */
  readonly providers?: Readonly<Record<string, ModelProvider>>
  /** What the hosted providers are called with: a `fetch`, or an instance of ofetch. @default the global `fetch`, without its limits on time */
  readonly fetch?: FetchOption
}

/**
 * Finds models by name: the host's providers, the four hosted ones, and the built-in `test`.
 *
 * Keys are read anew for each model, so a changed setting counts from the next run on.
 *
 * @example
 * const models = createModels({ settings, environment: process.env })
 * const { model } = await models.resolve('anthropic/claude-sonnet-4-5', undefined)
 */
export function createModels(options: ModelsOptions): Models {
  const { providers = {} } = options
  const known = [...new Set([...Object.keys(hostedProviders), 'test', ...Object.keys(providers)])]

  async function build(name: ModelName): Promise<Model> {
    const own = Object.hasOwn(providers, name.provider) ? providers[name.provider] : undefined
    if (own) return buildOwn(own, name)
    if (name.provider === 'test') {
      const { createTestModel } = await import('./test-models.ts')
      return fitModel(createTestModel(name.modelId), hostRules('test'))
    }
    const hosted = Object.hasOwn(hostedProviders, name.provider) ? hostedProviders[name.provider] : undefined
    if (!hosted) throw unknownProvider(name.provider, known)
    return buildHosted(hosted, name.modelId, options)
  }

  return {
    async resolve(name, provider, signal): Promise<ResolvedModel> {
      signal?.throwIfAborted()
      const parsed = parseModelName(name, provider, known)
      const model = await build(parsed)
      signal?.throwIfAborted()
      return { model, name: `${parsed.provider}/${parsed.modelId}` }
    },
  }
}

async function buildOwn(provider: ModelProvider, name: ModelName): Promise<Model> {
  const failed = `Choosing the model: the host's provider "${name.provider}" could not give "${name.modelId}"`
  let model: ProvidedModel
  try {
    model = await provider(name.modelId)
  } catch (cause) {
    if (RuntimeError.is(cause)) throw cause
    throw new RuntimeError('model_not_configured', failed, { cause })
  }
  const wrong = whatIsNoModel(model)
  if (wrong) throw new RuntimeError('model_not_configured', `${failed}: ${wrong}`)
  // of v4 only what v3 has is used
  return fitModel(model as Model, hostRules(name.provider))
}

/** A host without types can give anything; a package of an older AI SDK gives what streams in another shape. */
function whatIsNoModel(model: unknown): string | undefined {
  if (typeof model !== 'object' || model === null || !('doStream' in model))
    return 'it gave no model; a model is an object with doStream, as the packages of the AI SDK make them'
  const version = 'specificationVersion' in model ? model.specificationVersion : 'v4'
  if (version === 'v4' || version === 'v3') return undefined
  return `its model is of specification ${String(version)}, not v4; install a newer version of the package that made it`
}

async function buildHosted(
  provider: HostedProvider,
  modelId: string,
  options: ModelsOptions,
): Promise<Model> {
  const settings = await options.settings.read()
  const apiKey = findKey(provider, settings, options)
  const baseURL = baseUrlOf(provider, options.environment)
  const { toFetch } = await import('@homeward/kit/http')
  const call = toFetch(options.fetch ?? patientFetch)
  // A redirect would take the key along to wherever it points; as an answer it is an error like any other.
  const bounded: typeof fetch = async (input, init) => {
    const address = input instanceof Request ? input.url : String(input) // the packages pass a text
    return boundAnswer(await call(address, { ...init, redirect: 'manual' }))
  }
  const isOwnUrl = isOwnHost(new URL(baseURL), new URL(provider.defaultBaseUrl))
  const connection = { apiKey, baseURL, fetch: bounded, isOwnUrl, openaiApi: settings.openai_api }
  const toModel = await provider.load(connection)
  return toModel(modelId)
}

/** Whether an address is the provider's own, or one of its regions (`eu.api.openai.com`). */
const isOwnHost = ({ hostname }: URL, own: URL) =>
  hostname === own.hostname || hostname.endsWith(`.${own.hostname}`)

function findKey(provider: HostedProvider, settings: Settings, options: ModelsOptions): string {
  const fromEnvironment = options.environment[provider.keyVariable]?.trim()
  const apiKey = fromEnvironment || settings[provider.setting]?.trim()
  if (apiKey) return apiKey
  throw new RuntimeError(
    'model_not_configured',
    `Choosing the model: there is no API key for ${provider.title}; ` +
      `set ${provider.keyVariable} in the environment or ${provider.setting} in the settings`,
  )
}

function unknownProvider(name: string, known: readonly string[]): RuntimeError {
  const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name
  return new RuntimeError(
    'validation_error',
    `Choosing the model: there is no provider "${shown}"; known are ${known.join(', ')}`,
  )
}
