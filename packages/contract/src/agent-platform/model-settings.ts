import { isDeeperThan } from '@homeward/kit'
import * as z from 'zod/mini'
import { JsonObject } from '../json-value.ts'
import { maxJsonDepth, orAbsent, shortText, Slug, tooDeep } from './values.ts'

/** Most bytes of `provider_options`, as JSON. */
const maxOptionBytes = 16_384

/**
 * Parts of option names that carry headers, keys or addresses, without case and punctuation. Providers are connected by
 * the platform's settings alone.
 */
const connectionName =
  /header|apikey|baseurl|authorization|authtoken|accesstoken|bearer|password|secret|credential|cookie/

/**
 * Names of a request's own parts: a compatible server would take them in place of what the platform sends. MCP servers that the
 * provider calls would bring in results that nobody marks as untrusted.
 */
const requestParts = new Set(
  'model messages input tools toolchoice stream streamoptions mcpservers'.split(' '),
)

const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, '')

/** Where an option stands that must not be given; undefined when there is none. */
function forbiddenPath(options: unknown, path: readonly string[] = []): readonly string[] | undefined {
  if (typeof options !== 'object' || options === null) return undefined
  for (const [name, value] of Object.entries(options)) {
    const here = [...path, name]
    const isPart = path.length === 1 && requestParts.has(plain(name))
    if (!Array.isArray(options) && path.length > 0 && (isPart || connectionName.test(plain(name))))
      return here
    const below = forbiddenPath(value, here)
    if (below) return below
  }
  return undefined
}

/** The size is checked before the form: a large body would hold up everybody else. */
const checkedOptions = z.transform((given: unknown, { issues }) => {
  const refuse = (message: string, path: readonly string[] = []) =>
    issues.push({ code: 'custom', message, input: given, path: [...path] })
  if (isDeeperThan(given, maxJsonDepth)) {
    refuse(tooDeep)
    return given
  }
  try {
    const bytes = new TextEncoder().encode(JSON.stringify(given) ?? '').length
    if (bytes > maxOptionBytes) refuse(`must have at most ${maxOptionBytes} bytes as JSON`)
    else {
      const path = forbiddenPath(given)
      if (path)
        refuse('must be omitted: headers, keys, addresses and parts of the request are not allowed', path)
    }
  } catch {
    // not JSON: the schema below rejects it
  }
  return given
})

/** Options of provider packages in the AI SDK, by provider name. */
export const ProviderOptions = z.pipe(
  checkedOptions,
  z.record(Slug, JsonObject),
  // the transform takes anything; the type says what may be given
) as unknown as z.ZodMiniType<Record<string, JsonObject>, Record<string, JsonObject>>
export type ProviderOptions = z.infer<typeof ProviderOptions>

// Line breaks are common here; half a surrogate pair is rejected by every provider.
const StopText = z
  .string()
  .check(z.minLength(1), z.maxLength(500), z.regex(/^[^\p{Cs}]*$/u, 'must not hold broken Unicode'))

/** Reasoning effort of a model. */
export const Reasoning = z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh'])
export type Reasoning = z.infer<typeof Reasoning>

/**
 * Settings for model calls. An absent setting is not sent, so the provider's default applies. Not every model
 * supports every setting: see `warnings` of the result.
 */
export const ModelSettings = z.object({
  /** From 0 to 2. Many reasoning models reject it. */
  temperature: orAbsent(z.number().check(z.gte(0), z.lte(2))),
  /** From 0 to 1. */
  top_p: orAbsent(z.number().check(z.gte(0), z.lte(1))),
  top_k: orAbsent(z.int().check(z.gte(1), z.lte(1_000_000))),
  seed: orAbsent(z.int()),
  /** Strings that end the model's output: at most 16, each of at most 500 characters. */
  stop: orAbsent(z.array(StopText).check(z.maxLength(16))),
  reasoning: orAbsent(Reasoning),
  /**
   * Options of the provider's package in the AI SDK, such as `{"openai": {"serviceTier": "flex"}}`: at most 16 KiB of
   * JSON, without headers and keys. They override the other settings.
   */
  provider_options: orAbsent(ProviderOptions),
})
export type ModelSettings = z.infer<typeof ModelSettings>

/** A model to use if the previous one fails. */
export const FallbackModel = z.union([
  shortText(200),
  z.object({ model: shortText(200), model_settings: orAbsent(ModelSettings) }),
])
export type FallbackModel = z.infer<typeof FallbackModel>
