import type { ProviderApi, Settings } from '@homeward/contract/agent-platform'
import type { Model } from '../ports/model.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { fitModel } from './fit/fit-model.ts'
import { geminiRules, wireRules } from './fit/wire-rules.ts'
import { anthropicTools, googleTools, openaiTools, type HostedTools } from './hosted-tools.ts'
import { loadOpenAIChat, loadOpenAIResponses } from './openai-models.ts'
import { notLoaded } from './not-loaded.ts'

/** What the package of a provider needs to build a model. */
export interface HostedConnection {
  readonly apiKey: string
  readonly baseURL: string
  readonly fetch: typeof fetch
  /** Whether the base URL is the provider's own. */
  readonly isOwnUrl: boolean
  /** Which of its APIs OpenAI is called with. @default Responses if the base URL is OpenAI's own */
  readonly openaiApi?: string | undefined
}

/** A hosted model provider (A21). */
export interface HostedProvider {
  /** Name for people. */
  readonly title: string
  readonly setting: keyof Settings
  readonly keyVariable: string
  readonly baseUrlVariable: string
  /** With the version path, as the provider publishes it. */
  readonly defaultBaseUrl: string
  /**
   * Loads the optional peer that speaks to it, and gives what builds its models. They fit each call to the provider.
   *
   * @throws {RuntimeError} `model_not_configured` when the package is not installed.
   */
  load(connection: HostedConnection): Promise<(modelId: string) => Model>
  /** Tools that it runs itself for a model. @default none */
  hostedTools?(
    modelId: string,
    connection: Pick<HostedConnection, 'isOwnUrl' | 'openaiApi'>,
  ): HostedTools | undefined
}

/** Whether `openai/…` uses the Responses API: as the setting `openai_api` says, else for OpenAI's own base URL only. */
const usesResponses = (openaiApi: string | undefined, isOwnUrl: boolean): boolean =>
  openaiApi === undefined ? isOwnUrl : openaiApi === 'responses'

/** Whether an address is the provider's own, or one of its regions (`eu.api.openai.com`). */
export function isOwnUrl(
  baseUrl: string,
  { defaultBaseUrl }: Pick<HostedProvider, 'defaultBaseUrl'>,
): boolean {
  const { hostname } = new URL(baseUrl)
  const own = new URL(defaultBaseUrl).hostname
  return hostname === own || hostname.endsWith(`.${own}`)
}

/**
 * The API key of a hosted provider: from the environment, else from the settings.
 *
 * @returns undefined if there is none.
 */
export function keyOf(
  { keyVariable, setting }: HostedProvider,
  environment: Readonly<Record<string, string | undefined>>,
  settings: Settings,
): string | undefined {
  return environment[keyVariable]?.trim() || settings[setting]?.trim() || undefined
}

/** OpenAI, and servers that speak like it. */
const openai = {
  title: 'OpenAI',
  setting: 'openai_api_key',
  keyVariable: 'OPENAI_API_KEY',
  baseUrlVariable: 'OPENAI_BASE_URL',
  defaultBaseUrl: 'https://api.openai.com/v1',
} as const

/**
 * The hosted providers, by the name that stands before the `/` of a model. Each imports its package in a `try` of its own, by
 * which bundlers know a package that may be missing.
 */
export const hostedProviders: Readonly<Record<string, HostedProvider>> = {
  openai: {
    ...openai,
    load({ openaiApi, ...connection }) {
      return usesResponses(openaiApi, connection.isOwnUrl)
        ? loadOpenAIResponses(connection)
        : loadOpenAIChat(connection)
    },
    hostedTools: (_, { openaiApi, isOwnUrl: isOwn }) =>
      usesResponses(openaiApi, isOwn) ? openaiTools : undefined,
  },
  'openai-chat': { ...openai, load: (connection) => loadOpenAIChat(connection) },
  anthropic: {
    title: 'Anthropic',
    setting: 'anthropic_api_key',
    keyVariable: 'ANTHROPIC_API_KEY',
    baseUrlVariable: 'ANTHROPIC_BASE_URL',
    defaultBaseUrl: 'https://api.anthropic.com/v1',
    load: loadAnthropic,
    hostedTools: anthropicTools,
  },
  google: {
    title: 'Google',
    setting: 'google_api_key',
    keyVariable: 'GOOGLE_API_KEY',
    baseUrlVariable: 'GOOGLE_BASE_URL',
    defaultBaseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    load: loadGoogle,
    hostedTools: googleTools,
  },
  openrouter: {
    title: 'OpenRouter',
    setting: 'openrouter_api_key',
    keyVariable: 'OPENROUTER_API_KEY',
    baseUrlVariable: 'OPENROUTER_BASE_URL',
    defaultBaseUrl: 'https://openrouter.ai/api/v1',
    async load({ apiKey, baseURL, fetch }) {
      try {
        const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
        const { markBody, toUsage } = await import('./openrouter-cache.ts')
        const { keepReasoningDetails, reasoningDetails } = await import('./reasoning-details.ts')
        const create = createOpenAICompatible({
          name: 'openrouter',
          includeUsage: true,
          supportsStructuredOutputs: true,
          metadataExtractor: reasoningDetails,
          transformRequestBody: markBody,
          convertUsage: toUsage,
          apiKey,
          baseURL,
          fetch,
        })
        return (modelId) => {
          const model = keepReasoningDetails(create(modelId === 'auto' ? autoRouter : modelId))
          const rules = wireRules('openrouter', 'openrouter')
          const isAnthropic = /^~?anthropic\//.test(modelId)
          return fitModel(model, isAnthropic ? { ...rules, cache: 'openrouter' } : rules)
        }
      } catch (cause) {
        throw notLoaded('OpenRouter', '@ai-sdk/openai-compatible', cause)
      }
    },
  },
}

/** For APIs whose answers hold arguments as JSON: the packages parse it, and would round long integers. */
async function toExactFetch(call: typeof fetch): Promise<typeof fetch> {
  const { withExactIntegers } = await import('../json/exact-response.ts')
  return async (...request) => withExactIntegers(await call(...request))
}

/** Loads models of the Messages API of Anthropic. */
async function loadAnthropic({ apiKey, baseURL, fetch }: HostedConnection): Promise<(id: string) => Model> {
  try {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    const create = createAnthropic({ apiKey, baseURL, fetch: await toExactFetch(fetch) })
    return (modelId) => fitModel(create(modelId), wireRules('anthropic', 'anthropic'))
  } catch (cause) {
    throw notLoaded('Anthropic', '@ai-sdk/anthropic', cause)
  }
}

/** Loads models of the Gemini API. */
async function loadGoogle({ apiKey, baseURL, fetch }: HostedConnection): Promise<(id: string) => Model> {
  try {
    const { createGoogle } = await import('@ai-sdk/google')
    const create = createGoogle({ apiKey, baseURL, fetch: await toExactFetch(fetch) })
    return (modelId) => fitModel(create(modelId), geminiRules(modelId))
  } catch (cause) {
    throw notLoaded('Google', '@ai-sdk/google', cause)
  }
}

/** Loads models of a provider that an operator configured, by the wire protocol of its API. */
export function loadConfigured(
  name: string,
  api: ProviderApi,
  connection: HostedConnection,
): Promise<(id: string) => Model> {
  if (api === 'anthropic') return loadAnthropic(connection)
  if (api === 'google') return loadGoogle(connection)
  if (api === 'openai-responses') return loadOpenAIResponses(connection)
  // The package reads a name up to its first dot only.
  return loadOpenAIChat(connection, name.replaceAll('.', '_'))
}

/** What chooses a model for each request: its id has the provider's own name (https://openrouter.ai/docs/model-routing). */
const autoRouter = 'openrouter/auto'

/**
 * Base URL of a provider: from the environment, else the published one. Always given to the package, which would
 * otherwise look into the process's own environment.
 *
 * @throws {RuntimeError} `model_not_configured` when the variable holds no usable URL; its value is not repeated.
 */
export function baseUrlOf(
  provider: HostedProvider,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const given = environment[provider.baseUrlVariable]?.trim()
  if (!given) return provider.defaultBaseUrl
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new RuntimeError(
      'model_not_configured',
      `Choosing the model failed: ${provider.baseUrlVariable} must be an http or https URL with the version path, ` +
        `without user name, query and fragment, such as ${provider.defaultBaseUrl}`,
    )
  }
  return given.replace(/\/+$/, '')
}

/** The wire protocol that a hosted provider is called with. */
export function apiOf(
  name: string,
  hosted: HostedProvider,
  baseUrl: string,
  settings: Settings,
): ProviderApi {
  if (name === 'anthropic' || name === 'google') return name
  const isResponses = name === 'openai' && usesResponses(settings.openai_api, isOwnUrl(baseUrl, hosted))
  return isResponses ? 'openai-responses' : 'openai-chat'
}

/** Whether a name belongs to a built-in provider, or to one of the host's own. */
export const isTaken = (name: string, own: Readonly<Record<string, unknown>>): boolean =>
  name === 'test' || Object.hasOwn(hostedProviders, name) || Object.hasOwn(own, name)
