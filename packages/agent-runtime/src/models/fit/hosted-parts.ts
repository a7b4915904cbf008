import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'
import { tellPart } from './tell-in-words.ts'

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number]
type TextPart = Extract<AssistantPart, { type: 'text' }>
type HostedPart = Extract<AssistantPart, { type: 'tool-call' | 'tool-result' }>

/** Key under which the runtime notes whose hosted tool was called. Never sent. */
const ownKey = 'homeward'

/** What is stored with calls and results of a provider's hosted tools, so that they go back to nobody else. */
export const ownHosted = (owner: string): SharedV4ProviderMetadata => ({ [ownKey]: { hosted: owner } })

/** Whether a part is of a tool that the provider ran itself: its results stand in the answer, not after it. */
export const isHosted = (part: AssistantPart): part is HostedPart =>
  part.type === 'tool-result' || (part.type === 'tool-call' && part.providerExecuted === true)

/**
 * Fits calls and results of hosted tools: they go back as they came to the provider that ran them, while it is offered those
 * tools. Another one is told in words, as is whatever has lost its other half.
 */
export function createHostedFit(prompt: LanguageModelV4Prompt, owner: string | undefined) {
  const parts = prompt.flatMap((message) => (message.role === 'assistant' ? message.content : []))
  const hosted = parts.filter(isHosted).filter((part) => isOwn(part, owner))
  const idsOf = (type: HostedPart['type']) =>
    new Set(hosted.flatMap((part) => (part.type === type ? [part.toolCallId] : [])))
  const calls = idsOf('tool-call')
  const results = idsOf('tool-result')
  const last = prompt.at(-1)
  // The provider paused in the middle of its tool calls, and goes on with them.
  const paused = last?.role === 'assistant' && last.content.at(-1)
  const isPaused = paused && isHosted(paused) && isOwn(paused, owner)
  return {
    /** Whether the prompt ends with calls that the provider goes on with. */
    isPaused: Boolean(isPaused),
    /** @returns the part itself if it goes back as it came */
    fit(part: HostedPart): readonly AssistantPart[] {
      const others = part.type === 'tool-call' ? results : calls
      const isWhole = others.has(part.toolCallId) || (isPaused && last.content.includes(part))
      return isOwn(part, owner) && isWhole ? [part] : tellPart(part)
    },
    /** A text without citations of searches that are told in words. */
    fitText: (part: TextPart): TextPart => (owner === undefined ? withoutSearchCitations(part) : part),
  }
}

/** Anthropic looks for each cited page among the results of its searches. */
function withoutSearchCitations(part: TextPart): TextPart {
  const { anthropic, ...others } = part.providerOptions ?? {}
  const { citations, ...rest } = anthropic ?? {}
  if (!anthropic || !Array.isArray(citations)) return part
  const isOfSearch = (citation: unknown) => JSON.stringify(citation).includes('"web_search_result_location"')
  const kept = citations.filter((citation) => !isOfSearch(citation))
  return {
    ...part,
    providerOptions: { ...others, anthropic: { ...rest, ...(kept.length > 0 && { citations: kept }) } },
  }
}

const isOwn = ({ providerOptions }: HostedPart, owner: string | undefined) =>
  owner !== undefined && providerOptions?.[ownKey]?.['hosted'] === owner
