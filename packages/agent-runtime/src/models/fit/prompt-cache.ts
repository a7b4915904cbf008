import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import type { WireRules } from './wire-rules.ts'

/** How the prompt of a call is cached at its provider. */
interface PromptCache {
  /** How long the provider keeps a marked prefix after it was last read. */
  readonly ttl: '5m' | '1h'
  /** Tells the provider which calls share a prefix. Not an id of anything. */
  readonly key: string
}

/** Key under which the runtime gives its own options to this code. Never sent. */
const ownKey = 'homeward'
/** Field of a request to OpenRouter in which the duration is passed to `markBody`, which removes it. */
export const marksField = 'prompt_cache_marks'

/** Call options that ask for caching. */
export const toCacheOptions = ({ ttl, key }: PromptCache): SharedV4ProviderOptions => ({
  [ownKey]: { cacheTtl: ttl, cacheKey: key },
})

/** Not a text, so that it is neither sent nor counted as a part of the prompt. */
const stableLengthKey = Symbol('length of the stable part')

/** A system message that tells how many of its first characters stay the same from run to run. */
export function stableSystemMessage(stable: string, changing: string): LanguageModelV4Message {
  const content = [stable, changing].filter(Boolean).join('\n\n')
  const message = { role: 'system', content, [stableLengthKey]: stable.length } as const
  return message
}

/**
 * Applies the options of {@link toCacheOptions} in the way that the provider reads them, and removes them. Anthropic gets
 * marks; OpenAI gets a key; every other provider gets nothing.
 */
export function applyPromptCache(
  options: LanguageModelV4CallOptions,
  { cache }: Pick<WireRules, 'cache'>,
): LanguageModelV4CallOptions {
  const { [ownKey]: own, ...others } = options.providerOptions ?? {}
  const { cacheTtl: ttl, cacheKey: key } = own ?? {}
  const hasOwnMarks = others['anthropic']?.['cacheControl'] !== undefined
  const isMarked =
    (ttl === '5m' || ttl === '1h') && (cache === 'anthropic' || cache === 'openrouter') && !hasOwnMarks
  const prompt = isMarked ? options.prompt.flatMap(split) : options.prompt
  const { providerOptions: _, ...plainOptions } = options
  const rest = { ...plainOptions, prompt, ...(Object.keys(others).length > 0 && { providerOptions: others }) }
  if (isMarked) {
    if (cache === 'anthropic') return withMarks(rest, ttl)
    return { ...rest, ...withOption(rest, 'openrouter', { [marksField]: ttl }) }
  }
  if (cache !== 'openai' || typeof key !== 'string') return rest
  return { ...rest, ...withOption(rest, 'openai', { promptCacheKey: key, ...others['openai'] }) }
}

/**
 * Where marks stand among messages of these roles: on the system message, on the last message, and on the message that was last
 * one turn ago. Together with the last tool these are four, the most that Anthropic accepts.
 */
export function markedPlaces(roles: readonly string[]): ReadonlySet<number> {
  const last = roles.length - 1
  const before = roles.lastIndexOf('assistant') - 1
  return new Set([roles.indexOf('system'), before, last].filter((place) => place >= 0))
}

/** A mark as the API reads it. */
export const toMark = (ttl: '5m' | '1h') =>
  ttl === '1h' ? ({ type: 'ephemeral', ttl } as const) : ({ type: 'ephemeral' } as const)

function withMarks(options: LanguageModelV4CallOptions, ttl: '5m' | '1h'): LanguageModelV4CallOptions {
  const mark = <T extends { providerOptions?: SharedV4ProviderOptions }>(marked: T): T => ({
    ...marked,
    ...withOption(marked, 'anthropic', { cacheControl: toMark(ttl) }),
  })
  const places = markedPlaces(options.prompt.map(({ role }) => role))
  const prompt = options.prompt.map((message, index) => (places.has(index) ? mark(message) : message))
  const lastTool = options.tools?.findLastIndex(({ type }) => type === 'function')
  const tools = options.tools?.map((tool, index) =>
    index === lastTool && tool.type === 'function' ? mark(tool) : tool,
  )
  return { ...options, prompt, ...(tools && { tools }) }
}

const withOption = (
  { providerOptions }: { readonly providerOptions?: SharedV4ProviderOptions },
  provider: string,
  added: SharedV4ProviderOptions[string],
) => ({ providerOptions: { ...providerOptions, [provider]: { ...providerOptions?.[provider], ...added } } })

/** A system message as two, so that the mark stands before what changes from run to run. */
function split(message: LanguageModelV4Message): LanguageModelV4Prompt {
  const stable: unknown = Reflect.get(message, stableLengthKey)
  if (message.role !== 'system' || typeof stable !== 'number') return [message]
  const [first, second] = [
    message.content.slice(0, stable).trimEnd(),
    message.content.slice(stable).trimStart(),
  ]
  if (!first || !second) return [message]
  return [
    { role: 'system', content: first },
    { role: 'system', content: second },
  ]
}
