import type { Settings } from '@homeward/contract/agent-platform'
import type { Model } from '../ports/model.ts'
import { RuntimeError } from '../ports/runtime-error.ts'

/** What the package of a hosted provider needs to build a model. */
export interface HostedConnection {
  readonly apiKey: string
  readonly baseURL: string
  readonly fetch: typeof fetch
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
   * Loads the optional peer that speaks to it, and gives what builds its models.
   *
   * @throws {RuntimeError} `model_not_configured` when the package is not installed.
   */
  load(connection: HostedConnection): Promise<(modelId: string) => Model>
}

/**
 * The hosted providers, by the name that stands before the `/` of a model. Each imports its package in a `try` of its own, by
 * which bundlers know a package that may be missing.
 */
export const hostedProviders: Readonly<Record<string, HostedProvider>> = {
  openai: {
    title: 'OpenAI',
    setting: 'openai_api_key',
    keyVariable: 'OPENAI_API_KEY',
    baseUrlVariable: 'OPENAI_BASE_URL',
    defaultBaseUrl: 'https://api.openai.com/v1',
    async load(connection) {
      try {
        const { createOpenAI } = await import('@ai-sdk/openai')
        // Chat Completions, not Responses: it is what every OpenAI-compatible server behind OPENAI_BASE_URL speaks,
        // it streams tool calls, and it keeps no state at the provider that a stored conversation could lose.
        return (modelId) => createOpenAI(connection).chat(modelId)
      } catch (cause) {
        throw notLoaded('OpenAI', '@ai-sdk/openai', cause)
      }
    },
  },
  anthropic: {
    title: 'Anthropic',
    setting: 'anthropic_api_key',
    keyVariable: 'ANTHROPIC_API_KEY',
    baseUrlVariable: 'ANTHROPIC_BASE_URL',
    defaultBaseUrl: 'https://api.anthropic.com/v1',
    async load(connection) {
      try {
        const { createAnthropic } = await import('@ai-sdk/anthropic')
        return createAnthropic(connection)
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
    async load(connection) {
      try {
        const { createGoogle } = await import('@ai-sdk/google')
        return createGoogle(connection)
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
    async load(connection) {
      try {
        const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
        const create = createOpenAICompatible({ name: 'openrouter', includeUsage: true, ...connection })
        return (modelId) => create(modelId === 'auto' ? autoRouter : modelId)
      } catch (cause) {
        throw notLoaded('OpenRouter', '@ai-sdk/openai-compatible', cause)
      }
    },
  },
}

/** What chooses a model for each request: its id has the provider's own name (https://openrouter.ai/docs/model-routing). */
const autoRouter = 'openrouter/auto'

function notLoaded(title: string, packageName: string, cause: unknown): unknown {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return cause
  return new RuntimeError(
    'model_not_configured',
    `Choosing the model: ${title} needs the package ${packageName}; install it with "npm install ${packageName}"`,
    { cause },
  )
}

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
