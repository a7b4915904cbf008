import type { Settings } from '@homeward/contract/agent-platform'
import type { Model } from '../ports/model.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { fitModel } from './fit/fit-model.ts'
import { wireRules } from './fit/wire-rules.ts'
import { loadOpenAIChat, loadOpenAIResponses } from './openai-models.ts'
import { notLoaded } from './not-loaded.ts'

/** What the package of a hosted provider needs to build a model. */
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
      const usesResponses = openaiApi === undefined ? connection.isOwnUrl : openaiApi === 'responses'
      return usesResponses ? loadOpenAIResponses(connection) : loadOpenAIChat(connection)
    },
  },
  'openai-chat': { ...openai, load: loadOpenAIChat },
  anthropic: {
    title: 'Anthropic',
    setting: 'anthropic_api_key',
    keyVariable: 'ANTHROPIC_API_KEY',
    baseUrlVariable: 'ANTHROPIC_BASE_URL',
    defaultBaseUrl: 'https://api.anthropic.com/v1',
    async load({ apiKey, baseURL, fetch }) {
      try {
        const { createAnthropic } = await import('@ai-sdk/anthropic')
        const create = createAnthropic({ apiKey, baseURL, fetch })
        return (modelId) => fitModel(create(modelId), wireRules('anthropic', 'anthropic'))
      } catch (cause) {
        throw notLoaded('Anthropic', '@ai-sdk/anthropic', cause)
      }
    },
  },
  google: {
    title: 'Google',
    setting: 'google_api_key',
    keyVariable: 'GOOGLE_API_KEY',
    baseUrlVariable: 'GOOGLE_BASE_URL',
    defaultBaseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    async load({ apiKey, baseURL, fetch }) {
      try {
        const { createGoogle } = await import('@ai-sdk/google')
        const create = createGoogle({ apiKey, baseURL, fetch })
        return (modelId) => fitModel(create(modelId), wireRules('google', 'google'))
      } catch (cause) {
        throw notLoaded('Google', '@ai-sdk/google', cause)
      }
    },
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
        const { keepReasoningDetails, reasoningDetails } = await import('./reasoning-details.ts')
        const create = createOpenAICompatible({
          name: 'openrouter',
          includeUsage: true,
          metadataExtractor: reasoningDetails,
          apiKey,
          baseURL,
          fetch,
        })
        return (modelId) => {
          const model = keepReasoningDetails(create(modelId === 'auto' ? autoRouter : modelId))
          return fitModel(model, wireRules('openrouter', 'openrouter'))
        }
      } catch (cause) {
        throw notLoaded('OpenRouter', '@ai-sdk/openai-compatible', cause)
      }
    },
  },
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
      `Choosing the model: ${provider.baseUrlVariable} has to be an http or https URL with the version path, ` +
        `without a user, a query or a fragment, like ${provider.defaultBaseUrl}`,
    )
  }
  return given.replace(/\/+$/, '')
}
