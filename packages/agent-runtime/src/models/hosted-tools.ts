import type { LanguageModelV4CallOptions, LanguageModelV4ProviderTool } from '@ai-sdk/provider'
import type { HostedTool } from '@homeward/contract/agent-platform'

/** Tools that a model's provider runs itself. */
export interface HostedTools {
  /** As the provider's package knows them. */
  readonly tools: Readonly<Record<HostedTool, LanguageModelV4ProviderTool>>
  /** Whether they go together with function tools. */
  readonly mixes: boolean
}

type ProviderToolId = LanguageModelV4ProviderTool['id']

const withWebSearch = (id: ProviderToolId, mixes = true): HostedTools => ({
  tools: { web_search: { type: 'provider', id, name: 'web_search', args: {} } },
  mixes,
})

/** Hosted tools of OpenAI's Responses API. */
export const openaiTools = withWebSearch('openai.web_search')

/** Claude models from before 4.6: they know the first version of the tool only. */
const olderClaude = /claude-(?:[1-3]|instant|(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:-\d{8})?$)/

/** Hosted tools of a Claude model, in the newest version that it knows. */
export const anthropicTools = (modelId: string): HostedTools =>
  withWebSearch(olderClaude.test(modelId) ? 'anthropic.web_search_20250305' : 'anthropic.web_search_20260318')

/** Hosted tools of a Gemini model. Before Gemini 3, Google Search does not go together with function tools. */
export function googleTools(modelId: string): HostedTools | undefined {
  if (!/(?:^|[/.])(?:gemini-|nano-banana)/i.test(modelId)) return undefined
  const mixes = !/(?:^|[/.])gemini-(?:[12](?:[.-]|$)|pro(?:-vision)?$)/i.test(modelId)
  return withWebSearch('google.google_search', mixes)
}

/** Whose hosted tools a call offers (`openai`, `anthropic`, `google`); undefined if it offers none. */
export const hostedOwner = ({ tools }: Pick<LanguageModelV4CallOptions, 'tools'>): string | undefined =>
  tools?.find((tool) => tool.type === 'provider')?.id.split('.', 1)[0]
