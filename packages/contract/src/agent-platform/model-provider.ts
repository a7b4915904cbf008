import * as z from 'zod/mini'
import { clearable, headerSecret, shortText, Slug, webAddress } from './values.ts'

/** The wire protocol of a model provider's API. */
export const ProviderApi = z.enum(['openai-chat', 'openai-responses', 'anthropic', 'google'])
export type ProviderApi = z.infer<typeof ProviderApi>

/** Model ids of a provider, as the provider names them. At most 500. */
const modelIds = z.array(shortText(200)).check(z.maxLength(500))

/** Base URL with the version path. It has no user name, password, query or fragment. */
const baseUrl = webAddress.check(
  z.refine((url) => !/[?#]/.test(url), 'must not have a query or a fragment'),
  z.overwrite((url) => url.replace(/\/+$/, '')),
)

/** Configuration of a model provider. */
export const ModelProviderInput = z.object({
  /** Wire protocol of its API. */
  api: ProviderApi,
  /** Base URL with the version path, such as `http://127.0.0.1:11434/v1`. May be a private address. */
  base_url: baseUrl,
  /** API key, if the provider needs one. Absent keeps the stored key; `null` and the empty string clear it. */
  api_key: clearable(headerSecret),
  /** Model ids to list in addition to those that the provider reports. Absent keeps the stored list, `null` clears it. */
  models: clearable(modelIds),
})
export type ModelProviderInput = z.infer<typeof ModelProviderInput>

/** A model provider as `config.json` stores it under `model_providers`. An unknown key is an error. */
export const StoredModelProvider = z.strictObject({
  api: ProviderApi,
  base_url: baseUrl,
  api_key: z.optional(headerSecret),
  models: z.optional(modelIds),
})
export type StoredModelProvider = z.infer<typeof StoredModelProvider>

/** Models that agents can use, as reported by their providers. */
export const ModelList = z.object({
  models: z.array(
    z.object({
      /** `provider/model-id`, as in an agent's `model`. */
      id: z.string(),
      provider: z.string(),
      /** Context window of the model in tokens, if the provider reports it. */
      context_window: z.optional(z.int()),
    }),
  ),
  /** Providers that could not be reached, with the reason. */
  problems: z.array(z.object({ provider: z.string(), message: z.string() })),
})
export type ModelList = z.infer<typeof ModelList>

/** A model provider as responses show it, without its key. */
export const ModelProviderView = z.object({
  name: Slug,
  api: ProviderApi,
  base_url: z.string(),
  has_api_key: z.boolean(),
  /** Whether the provider is part of the platform. Built-in providers cannot be changed or deleted. */
  built_in: z.boolean(),
  models: z.optional(z.array(z.string())),
})
export type ModelProviderView = z.infer<typeof ModelProviderView>
