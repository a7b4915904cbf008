import type { OpenAICompatibleProviderSettings } from '@ai-sdk/openai-compatible'
import { marksField, markedPlaces, toMark } from './fit/prompt-cache.ts'
import { toModelUsage } from './model-answer.ts'

type Fields = Record<string, unknown>

/**
 * The body of a request to OpenRouter with cache marks for a model of Anthropic, if it asks for them. Texts become lists of one
 * part in every message, because only parts can be marked, and a prefix has to look the same in the next request.
 */
export function markBody(body: Fields): Fields {
  const { [marksField]: ttl, ...rest } = body
  if ((ttl !== '5m' && ttl !== '1h') || !Array.isArray(rest['messages'])) return rest
  const mark = { cache_control: toMark(ttl) }
  const messages = (rest['messages'] as Fields[]).map(toParts) // the package writes a list of objects
  const places = markedPlaces(messages.map(({ role }) => String(role)))
  const tools = rest['tools'] as Fields[] | undefined // as above
  return {
    ...rest,
    messages: messages.map((message, index) => (places.has(index) ? markLastPart(message, mark) : message)),
    ...(tools && {
      tools: tools.map((tool, index) => (index === tools.length - 1 ? { ...tool, ...mark } : tool)),
    }),
  }
}

function toParts(message: Fields): Fields {
  const { role, content } = message
  if (role === 'assistant' || typeof content !== 'string') return message
  return { ...message, content: [{ type: 'text', text: content }] }
}

function markLastPart(message: Fields, mark: Fields): Fields {
  const { content } = message
  if (!Array.isArray(content)) return message
  const parts = content as Fields[] // as above
  return {
    ...message,
    content: parts.map((part, index) => (index === parts.length - 1 ? { ...part, ...mark } : part)),
  }
}

/** What the package's own conversion gives, with what was written to a cache. */
export const toUsage: NonNullable<OpenAICompatibleProviderSettings['convertUsage']> = (usage) => {
  const { prompt_tokens: input, completion_tokens: output } = usage ?? {}
  const cacheRead = usage?.prompt_tokens_details?.cached_tokens ?? undefined
  const written = usage?.prompt_tokens_details?.['cache_write_tokens']
  const cacheWrite = typeof written === 'number' ? written : undefined
  const reasoning = usage?.completion_tokens_details?.reasoning_tokens ?? undefined
  return toModelUsage(input ?? undefined, output ?? undefined, { cached: cacheRead, cacheWrite, reasoning })
}
