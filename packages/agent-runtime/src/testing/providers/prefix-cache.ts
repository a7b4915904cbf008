import type { Json } from '@homeward/contract/agent-platform'
import { isFields, type Fields } from './checks.ts'
import type { MockProviderUsage } from './mock-provider.ts'

/** A piece of a prompt that a provider caches whole. */
interface Block {
  readonly text: string
  readonly isMarked: boolean
}

/** A mock of a provider's prompt cache. */
export interface PrefixCache {
  /** Pass it as `usage` of a mock provider. */
  readonly usage: (body: Json) => MockProviderUsage
  /** Usage of each request, oldest first. */
  readonly requests: readonly MockProviderUsage[]
  /**
   * Share of tokens read from the cache, relative to the tokens of earlier requests. 1 if no token was sent twice at
   * full price.
   */
  share(): number
}

/** Smaller prefixes are not cached. */
const fewestTokens = 1024
/** Blocks before a mark in which Anthropic looks for an earlier mark. */
const lookBack = 20
/** OpenAI caches prefixes in steps of so many tokens. */
const stepTokens = 128

const tokensOf = (text: string) => Math.ceil(text.length / 4)

/**
 * Computes from request bodies which tokens a provider would read from its cache.
 *
 * - `marks`: Anthropic, also through OpenRouter. Prefixes up to a mark are written. Each mark finds one that an
 *   earlier request wrote, at most 20 blocks before it.
 * - `prefixes`: OpenAI. The longest prefix of an earlier request with the same `prompt_cache_key` is read, in steps
 *   of 128 tokens from 1,024 on.
 *
 * @example
 * const cache = createPrefixCache('marks')
 * const anthropic = createMockAnthropicProvider({ usage: cache.usage })
 */
export function createPrefixCache(kind: 'marks' | 'prefixes'): PrefixCache {
  const requests: MockProviderUsage[] = []
  const measure = kind === 'marks' ? byMarks() : byPrefixes()
  return {
    requests,
    usage(body) {
      const used = measure(body as Fields) // stand-ins get objects
      requests.push(used)
      return used
    },
    share() {
      const read = requests.reduce((sum, { cacheRead }) => sum + cacheRead, 0)
      const before = requests.slice(0, -1).reduce((sum, { input }) => sum + input, 0)
      return before === 0 ? 0 : read / before
    },
  }
}

function byMarks(): (body: Fields) => MockProviderUsage {
  const written = new Set<string>()
  return (body) => {
    const blocks = toBlocks(body)
    const prefixes: string[] = []
    for (const { text } of blocks) prefixes.push((prefixes.at(-1) ?? '') + text)
    const marks = blocks.flatMap(({ isMarked }, index) => (isMarked ? [index] : []))
    const found = marks.flatMap((mark) => {
      const near = prefixes.slice(Math.max(0, mark - lookBack + 1), mark + 1)
      return near.findLast((prefix) => written.has(prefix)) ?? []
    })
    const cacheRead = Math.max(0, ...found.map(tokensOf))
    const marked = marks
      .map((mark) => prefixes[mark] ?? '')
      .filter((prefix) => tokensOf(prefix) >= fewestTokens)
    for (const prefix of marked) written.add(prefix)
    const cacheWrite = Math.max(0, tokensOf(marked.at(-1) ?? '') - cacheRead)
    return { input: tokensOf(prefixes.at(-1) ?? ''), output: 3, cacheRead, cacheWrite }
  }
}

function byPrefixes(): (body: Fields) => MockProviderUsage {
  const sent = new Map<string, string[]>()
  return (body) => {
    const text = toBlocks(body)
      .map((block) => block.text)
      .join('')
    const key = JSON.stringify(body['prompt_cache_key'] ?? null)
    const earlier = sent.get(key) ?? []
    const tokens = Math.max(0, ...earlier.map((other) => Math.floor(commonLength(text, other) / 4)))
    sent.set(key, [...earlier, text])
    const cacheRead = tokens < fewestTokens ? 0 : tokens - (tokens % stepTokens)
    return { input: tokensOf(text), output: 3, cacheRead, cacheWrite: 0 }
  }
}

function commonLength(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return length
}

/** Tools, system and messages, in the order in which providers read them. */
function toBlocks({ tools, system, messages, input }: Fields): Block[] {
  return [tools, system, messages, input].flatMap((list) => {
    const items = Array.isArray(list) ? list : list === undefined ? [] : [list]
    return items.flatMap(toParts)
  })
}

function toParts(item: Json): Block[] {
  if (!isFields(item) || !Array.isArray(item['content'])) return [toBlock(item)]
  const { content, ...rest } = item
  return (content as readonly Json[]).map((part) => toBlock({ ...rest, part }))
}

function toBlock(value: Json): Block {
  const text = JSON.stringify(value, (key, inner: unknown) => (key === 'cache_control' ? undefined : inner))
  return { text, isMarked: JSON.stringify(value).includes('"cache_control":{') }
}
