import type { StoredModelProvider } from '@homeward/contract/agent-platform'
import type { FetchOption } from '@homeward/kit/http'
import type { ModelProviderSettings } from '../settings/model-provider-settings.ts'
import type { RuntimeSettings } from '../settings/runtime-settings.ts'
import type { Model, ModelProvider, ProvidedModel } from '../ports/model.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { fitModel } from './fit/fit-model.ts'
import { hostRules } from './fit/wire-rules.ts'
import {
  baseUrlOf,
  hostedProviders,
  isOwnUrl,
  keyOf,
  loadConfigured,
  type HostedConnection,
  type HostedProvider,
} from './hosted-providers.ts'
import type { Models, ResolvedModel } from './models.ts'
import { parseModelName, type ModelName } from './parse-model-name.ts'

/** What {@link createModels} is built from. */
export interface ModelsOptions {
  /** Where the keys of the hosted providers are. */
  readonly settings: Pick<RuntimeSettings, 'read'>
  /** Environment variables: base URLs, and keys, which win over the settings. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Providers that the operator configured. @default none */
  readonly configured?: Pick<ModelProviderSettings, 'read'>
  /** The host's own providers by name. One of a hosted provider's name takes its place. */
  readonly providers?: Readonly<Record<string, ModelProvider>>
  /** What the hosted providers are called with: a `fetch`, or an instance of ofetch. @default the global `fetch`, without its limits on time */
  readonly fetch?: FetchOption
}

/**
 * Finds models by name: the host's providers, the hosted ones, the built-in `test`, and those that the operator configured.
 *
 * Keys are read anew for each model, so a changed setting counts from the next run on.
 *
 * @example
 * const models = createModels({ settings, environment: process.env })
 * const { model } = await models.resolve('anthropic/claude-sonnet-4-5', undefined)
 */
export function createModels(options: ModelsOptions): Models {
  const { providers = {}, configured } = options
  const builtIn = [...Object.keys(hostedProviders), 'test', ...Object.keys(providers)]
  const known = () => [...new Set([...builtIn, ...(configured?.read().byName.keys() ?? [])])]

  async function build(name: ModelName): Promise<BuiltModel> {
    const own = Object.hasOwn(providers, name.provider) ? providers[name.provider] : undefined
    if (own) return { model: await buildOwn(own, name) }
    if (name.provider === 'test') {
      const { createTestModel } = await import('./test-models.ts')
      return { model: fitModel(createTestModel(name.modelId), hostRules('test')) }
    }
    const hosted = Object.hasOwn(hostedProviders, name.provider) ? hostedProviders[name.provider] : undefined
    if (hosted) return buildHosted(hosted, name.modelId, options)
    const entries = configured?.read()
    const entry = entries?.byName.get(name.provider)
    if (entry) return { model: await buildConfigured(name, entry, options) }
    const problem = entries?.problems.get(name.provider)
    if (problem) throw new RuntimeError('model_not_configured', problem)
    throw unknownProvider(name.provider, known())
  }

  return {
    async resolve(name, provider, signal): Promise<ResolvedModel> {
      signal?.throwIfAborted()
      const parsed = parseModelName(name, provider, known())
      const built = await build(parsed)
      signal?.throwIfAborted()
      return { ...built, name: `${parsed.provider}/${parsed.modelId}` }
    },
  }
}

type BuiltModel = Omit<ResolvedModel, 'name'>

async function buildOwn(provider: ModelProvider, name: ModelName): Promise<Model> {
  const failed = `Choosing the model failed: the app's provider "${name.provider}" did not return the model "${name.modelId}"`
  let model: ProvidedModel
  try {
    model = await provider(name.modelId)
  } catch (cause) {
    if (RuntimeError.is(cause)) throw cause
    throw new RuntimeError('model_not_configured', `${failed}. Correct the function in "models".`, { cause })
  }
  const wrong = whatIsNoModel(model)
  if (wrong) throw new RuntimeError('model_not_configured', `${failed}: ${wrong}`)
  // of v4 only what v3 has is used
  return fitModel(model as Model, hostRules(name.provider, (model as Model).provider))
}

/** A host without types can give anything; a package of an older AI SDK gives what streams in another shape. */
function whatIsNoModel(model: unknown): string | undefined {
  if (typeof model !== 'object' || model === null || !('doStream' in model))
    return 'the function must return an object with doStream, such as a model of the AI SDK'
  const version = 'specificationVersion' in model ? model.specificationVersion : 'v4'
  if (version === 'v4' || version === 'v3') return undefined
  return `the model must have specification v4 or v3, got ${String(version)}. Install a newer version of its package`
}

async function buildHosted(
  provider: HostedProvider,
  modelId: string,
  options: ModelsOptions,
): Promise<BuiltModel> {
  const settings = await options.settings.read()
  const apiKey = keyOf(provider, options.environment, settings)
  if (apiKey === undefined) throw missingKey(provider)
  const baseURL = baseUrlOf(provider, options.environment)
  const api = { isOwnUrl: isOwnUrl(baseURL, provider), openaiApi: settings.openai_api }
  const toModel = await provider.load({ ...(await connect(options, baseURL, apiKey)), ...api })
  return { model: toModel(modelId), hosted: provider.hostedTools?.(modelId, api) }
}

async function buildConfigured(
  { provider, modelId }: ModelName,
  { api, base_url: baseURL, api_key: apiKey }: StoredModelProvider,
  options: ModelsOptions,
): Promise<Model> {
  const connection = await connect(options, baseURL, apiKey)
  const isOpenAI = isOwnUrl(baseURL, { defaultBaseUrl: 'https://api.openai.com/v1' })
  const toModel = await loadConfigured(provider, api, { ...connection, isOwnUrl: isOpenAI })
  return toModel(modelId)
}

/** The headers in which the packages send a key. */
const keyHeaders = ['authorization', 'x-api-key', 'x-goog-api-key']

/** What the package of a provider is called with, within our limits. */
export async function connect(
  options: ModelsOptions,
  baseURL: string,
  apiKey: string | undefined,
): Promise<Pick<HostedConnection, 'apiKey' | 'baseURL' | 'fetch'>> {
  const { toFetch } = await import('@homeward/kit/http')
  const call = toFetch(await toProviderFetch(options.fetch))
  // A redirect would take the key along to wherever it points; as an answer it is an error like any other.
  const bounded: typeof fetch = async (input, init) => {
    const address = input instanceof Request ? input.url : String(input) // the packages pass a text
    const headers = new Headers(init?.headers)
    if (!apiKey) for (const name of keyHeaders) headers.delete(name)
    return boundAnswer(
      await call(address, { ...init, headers: Object.fromEntries(headers), redirect: 'manual' }),
    )
  }
  // Without a key, the packages would look for one in the process's own environment.
  return { apiKey: apiKey || 'none', baseURL, fetch: bounded }
}

/** The error for a provider without a key. */
export const missingKey = ({ title, keyVariable, setting }: HostedProvider) =>
  new RuntimeError(
    'model_not_configured',
    `Choosing the model failed: the API key of ${title} is missing. ` +
      `Set ${keyVariable} in the environment, or ${setting} in the settings.`,
  )

function unknownProvider(name: string, known: readonly string[]): RuntimeError {
  const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name
  return new RuntimeError(
    'validation_error',
    `Choosing the model failed: no provider has the name "${shown}". Use one of ${known.join(', ')}, or add the provider.`,
  )
}

/**
 * What providers are called with: no metadata service of a cloud, whatever name leads there and whenever, and no limit on the time
 * to the first byte, because a large model on a small machine may need longer than the five minutes of Node's.
 */
export async function toProviderFetch(given: FetchOption | undefined): Promise<FetchOption> {
  if (given !== undefined) return given
  const { createCheckedFetch, isMetadataAddress } = await import('@homeward/kit/node')
  providerFetch ??= createCheckedFetch((addresses) => {
    const usable = addresses.filter((address) => !isMetadataAddress(address))
    return usable.length > 0 ? usable : 'it points to the metadata service of a cloud'
  })
  return providerFetch
}

let providerFetch: FetchOption | undefined

/** Two million characters, the longest answer of a model, are less than that however they are escaped. */
const maxBytes = 16 * 1024 * 1024

const lineFeed = 0x0a
const carriageReturn = 0x0d

/**
 * A provider's answer that breaks off when an event of it is longer than any that a model sends, or all of it when it is a
 * refusal. What reads an answer holds an event until its end has come, and a refusal until it is whole: a provider that
 * never ends either would fill the memory.
 */
function boundAnswer(answer: Response): Response {
  const { body, status, statusText, headers, ok } = answer
  if (!body) return answer
  return new Response(body.pipeThrough(createBound(ok)), { status, statusText, headers })
}

/** @param hasEvents Whether an empty line begins to count anew: it ends an event. */
function createBound(hasEvents: boolean): TransformStream<Uint8Array, Uint8Array> {
  let heldBytes = 0
  let isLineEmpty = true

  function count(chunk: Uint8Array): void {
    heldBytes += chunk.length
    if (!hasEvents) return
    for (let at = 0; at < chunk.length; at += 1) {
      if (chunk[at] === carriageReturn) continue
      const endsLine = chunk[at] === lineFeed
      if (endsLine && isLineEmpty) heldBytes = chunk.length - at - 1
      isLineEmpty = endsLine
    }
  }

  return new TransformStream({
    transform(chunk, controller) {
      count(chunk)
      if (heldBytes <= maxBytes) controller.enqueue(chunk)
      else
        controller.error(new Error(`the provider sent more than ${maxBytes} bytes without a complete event`))
    },
  })
}
